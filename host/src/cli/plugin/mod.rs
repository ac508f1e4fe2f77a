//! The commands `berth plugin …`, with one file each.

mod cases;
mod check;
mod check_report;
mod componentize;
mod list;
#[cfg(feature = "simulator")]
mod new;
mod replay;
mod test;

use std::process::ExitCode;

use anyhow::Result;

/// A command about plugins.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Create a plugin project: a small filter, its tests and the SDK.
    #[cfg(feature = "simulator")]
    New(new::Args),
    /// List the plugins of a configuration, with state and last error.
    List(list::Args),
    /// Check whether a component keeps the contract, and measure its cost.
    Check(check::Args),
    /// Compare the answers of a plugin with a table of test cases.
    Test(test::Args),
    /// Compare a local build with the one that served a recorded pod.
    Replay(replay::Args),
    /// Convert a core WebAssembly module into a component.
    ///
    /// Compilers that do not support components write core modules.
    Componentize(componentize::Args),
    /// Write the SDK of a plugin project, to update its folder `berth`.
    #[cfg(feature = "simulator")]
    Sdk(new::SdkArgs),
}

/// Runs the command. The exit status tells whether the command found no problem.
///
/// # Errors
/// A file can't be read or is no plugin, or a project can't be written.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(args) => list::list(args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Componentize(args) => componentize::componentize(&args),
        #[cfg(feature = "simulator")]
        Command::New(args) => new::new(&args),
        #[cfg(feature = "simulator")]
        Command::Sdk(args) => new::sdk(&args),
    }
}
