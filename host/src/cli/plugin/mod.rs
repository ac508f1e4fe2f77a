//! The commands `berth plugin …`, with one file each.

mod cases;
mod check;
mod componentize;
mod list;
mod new;
mod test;

use std::process::ExitCode;

use anyhow::Result;

/// What to do about plugins.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// A project for a plugin of one's own: a small filter to begin with, its tests and its SDK.
    New(new::Args),
    /// The plugins that a scheduler would have, and how each fares.
    List(list::Args),
    /// Whether a component can be a plugin: what it exports and reads, a trial, and what it costs.
    Check(check::Args),
    /// Whether a plugin says of given nodes and pods what a table of cases expects.
    Test(test::Args),
    /// Makes a plugin of a core WebAssembly module, for compilers that don't know components.
    Componentize(componentize::Args),
    /// The SDK that `new` writes into a project's `berth` folder, to renew that one.
    Sdk(new::SdkArgs),
}

/// Runs the command. The exit status tells whether all plugins passed.
///
/// # Errors
/// A file can't be read or is no plugin, or a project can't be written.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(args) => list::list(args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
        Command::New(args) => new::new(&args),
        Command::Componentize(args) => componentize::componentize(&args),
        Command::Sdk(args) => new::sdk(&args),
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}
