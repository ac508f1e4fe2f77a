//! `berth plugin check`: examines a component and prints what it exports, reads and costs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::check_report::PluginReport;
use crate::cli::exit_status;
use crate::cli::hint::{Hint, quoted};
use crate::cli::output::{self, OutputFlag};
use crate::cli::progress::Progress;
use berth_conformance::Examination;
use berth_core::limits::Limits;
use berth_plugin_host::{LoadCause, LoadError};

/// Arguments of `berth plugin check`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Component file (*.wasm).
    file: PathBuf,
    /// Arguments of the plugin as a JSON object, like pluginConfig[].args.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
    /// Seed of the random cluster changes.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Label, annotation or value that generated objects contain; repeatable.
    ///
    /// Generated objects always contain the words in --args. Name here what else the plugin looks for.
    #[arg(long = "word", value_name = "WORD")]
    words: Vec<Box<str>>,
    #[command(flatten)]
    output: OutputFlag,
}

const EXIT: &[(u8, &str)] =
    &[(0, "the component keeps the contract"), (1, "the component can't be loaded, or does not keep the contract")];

/// Checks the component and prints the report.
pub(super) fn check(args: &Args) -> Result<ExitCode> {
    let parsed: serde_json::Value = serde_json::from_str(&args.args).context("--args is not JSON")?;
    ensure!(parsed.is_object(), "--args is not a JSON object, such as {{\"resource\": \"nvidia.com/gpu\"}}");
    let examination = Examination { seed: args.seed, words: args.words.clone(), ..Examination::default() };
    let progress = Progress::timed("checking the component");
    let checked = berth_conformance::check(&args.file, &args.args, Limits::default(), examination);
    drop(progress);
    let report = match checked {
        Ok(report) => PluginReport::new(&report, args.seed),
        Err(error) => return refused(&args.file, error),
    };
    output::print(&report, args.output.format)?;
    Ok(if report.conformance.held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the error. If the file is a core module, the error has the hint to run `berth plugin componentize`.
pub(super) fn refused<T>(file: &Path, error: LoadError) -> Result<T> {
    if error.cause == LoadCause::CoreModule {
        let file = quoted(file.display());
        return Err(error).or_hint(|| format!("berth plugin componentize {file} --output component.wasm"));
    }
    Err(error.into())
}
