//! The commands `berth config …`, with one file each.

mod check;
mod differences;
mod report;
mod schema;
mod screen;

use std::process::ExitCode;

use anyhow::Result;

/// A command about configuration files.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Print which plugins a configuration file runs, and its errors.
    ///
    /// The output has the plugins of each extension point in the order of their calls, with weight and file; the intended
    /// differences from kube-scheduler; and the fields that have no effect.
    Check(check::Args),
    /// Print the JSON Schema of a configuration document, for editors.
    Schema(schema::Args),
}

/// Runs the command. The exit status tells whether the file is valid.
///
/// # Errors
/// The command can't print its result, or a plugin can't be examined.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Check(args) => check::check(args),
        Command::Schema(args) => schema::schema(args),
    }
}
