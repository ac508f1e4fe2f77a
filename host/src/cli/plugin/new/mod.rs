//! `berth plugin new` and `berth plugin sdk`: write a plugin project with its SDK from the sources in the binary.

mod language;
mod name;
mod sources;
mod write;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use self::language::Language;
use self::name::Name;
use crate::cli::out;

/// Arguments of `berth plugin new`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The plugin's name, as profiles and messages have it: small letters, digits and dashes.
    name: String,
    /// What it is written in.
    #[arg(long, value_enum)]
    lang: Language,
    /// Where the project goes: a folder that is new or empty [default: the name].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Arguments of `berth plugin sdk`.
#[derive(Debug, clap::Args)]
pub struct SdkArgs {
    /// The language whose SDK it is.
    #[arg(long, value_enum)]
    lang: Language,
    /// Where it goes: a folder that is new or empty.
    dir: PathBuf,
}

/// Writes the project and prints the next steps.
pub(super) fn new(args: &Args) -> Result<ExitCode> {
    let name = Name::new(&args.name, args.lang)?;
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    write::project(&dir, args.lang, &name)?;
    out::text(next(&dir, args.lang, &name))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes only the SDK.
pub(super) fn sdk(args: &SdkArgs) -> Result<ExitCode> {
    write::sdk(&args.dir, args.lang)?;
    Ok(ExitCode::SUCCESS)
}

fn next(dir: &Path, language: Language, name: &Name) -> String {
    let steps = [
        ("./build --test".to_owned(), "the plugin's own test"),
        ("./build".to_owned(), "makes the component"),
        (format!("berth plugin test cases.yaml {name}.wasm"), "whether it says what the cases expect"),
        (format!("berth plugin check {name}.wasm"), "what it reads and costs"),
        (format!("cp {name}.wasm DIR"), "the folder of berth run --plugins DIR, which is watched"),
    ];
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let steps: String = steps.iter().map(|(command, what)| format!("  {command:width$}   {what}\n")).collect();
    let (plugin, needs, dir) = (language.plugin(), language.needs(), dir.display());
    format!("{dir}: {plugin} is the plugin, berth/ its SDK. It needs {needs}\n\n  cd {dir}\n{steps}")
}
