//! The commands about plugins, one file each.

mod cases;
mod check;
mod list;
mod test;

use std::process::ExitCode;

use anyhow::Result;

/// What to do about plugins.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The plugins that a scheduler would have, and how each fares.
    List(list::Args),
    /// Whether a component can be a plugin: what it exports and reads, a trial, and what it costs.
    Check(check::Args),
    /// Whether a plugin says of given nodes and pods what a table of cases expects.
    Test(test::Args),
}

/// Does it. The exit status says whether all plugins are good.
///
/// # Errors
/// What can't be read, or is no plugin.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(args) => list::list(args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}
