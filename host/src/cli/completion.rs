//! `berth completion`: prints the completion script of a shell.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use super::{Cli, out};

/// Arguments of `berth completion`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "For this session: source <(berth completion bash)")]
pub struct Args {
    /// Shell that runs the script.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the script.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "berth", &mut script);
    out::text(String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
