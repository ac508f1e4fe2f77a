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
use crate::cli::hint::Hint;
use crate::cli::out;

/// Arguments of `berth plugin new`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the plugin: lower-case letters, digits and single dashes.
    name: String,
    /// Language of the plugin.
    #[arg(long, value_enum)]
    lang: Language,
    /// New or empty directory for the project [default: NAME].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Arguments of `berth plugin sdk`.
#[derive(Debug, clap::Args)]
pub struct SdkArgs {
    /// Language of the SDK.
    #[arg(long, value_enum)]
    lang: Language,
    /// New or empty directory for the SDK.
    dir: PathBuf,
}

/// Writes the project and prints the next steps.
pub(super) fn new(args: &Args) -> Result<ExitCode> {
    let again = |name: &str| format!("berth plugin new {name} --lang {}", args.lang.key());
    let name = Name::new(&args.name, args.lang).or_hint(|| again(&name::similar(&args.name)))?;
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    write::project(&dir, args.lang, &name).or_hint(|| format!("{} --dir DIR", again(&args.name)))?;
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
        ("./build --test".to_owned(), "run the unit test"),
        ("./build".to_owned(), "build the component"),
        (format!("berth plugin test cases.yaml {name}.wasm"), "compare its answers with cases.yaml"),
        ("berth scenario run scenario.yaml".to_owned(), "run it in a simulated cluster"),
        (format!("berth plugin check {name}.wasm"), "check it, and measure its cost"),
        (format!("cp {name}.wasm DIR"), "install it for berth run --plugins DIR"),
    ];
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let steps: String = steps.iter().map(|(command, what)| format!("  {command:width$}   {what}\n")).collect();
    let (plugin, needs, dir) = (language.plugin(), language.needs(), dir.display());
    format!("Created {dir}: {plugin} has the plugin, berth/ the SDK.\nYou need {needs}\n\n  cd {dir}\n{steps}")
}
