//! `berth man`: writes the manual pages.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;

use super::Cli;

/// Arguments of `berth man`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "To read a page: man -l DIR/berth-run.1")]
pub struct Args {
    /// Directory for the pages, such as ~/.local/share/man/man1; created if missing.
    dir: PathBuf,
}

/// Writes a page for each command.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let dir = &args.dir;
    std::fs::create_dir_all(dir).with_context(|| format!("creating the directory {}", dir.display()))?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(|| format!("writing pages to {}", dir.display()))?;
    Ok(ExitCode::SUCCESS)
}
