//! The commands `berth config …`, with one file each.

mod check;
mod differences;
mod report;
mod screen;

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::out;
use berth_config::SCHEMAS;

/// A command about configuration files.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Print which plugins a configuration file runs, and its errors.
    ///
    /// The output has the plugins of each extension point in the order of their calls, with weight and file; the intended
    /// differences from kube-scheduler; and the fields that have no effect.
    Check(check::Args),
    /// Print the JSON Schema of a configuration document, for editors.
    Schema(SchemaArgs),
}

/// Arguments of `berth config schema`.
#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// Kind of the document.
    #[arg(default_value = berth_config::v1::KIND, value_parser = SCHEMAS.map(|schema| schema.kind))]
    kind: String,
}

/// Runs the command. The exit status tells whether the file is valid.
///
/// # Errors
/// The command can't print its result, or a plugin can't be examined.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Check(args) => check::check(args),
        Command::Schema(args) => schema(&args),
    }
}

fn schema(args: &SchemaArgs) -> Result<ExitCode> {
    let schema = SCHEMAS.iter().find(|schema| schema.kind == args.kind).context("no schema of this kind")?;
    out::text(schema.text())?;
    Ok(ExitCode::SUCCESS)
}
