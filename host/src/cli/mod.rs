//! The command line, with one file per command.

mod cluster;
mod config;
mod demo;
mod kube_scheduler;
mod log;
mod out;
mod plugin;
mod run;
mod sim;
mod stop_signal;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// A Kubernetes scheduler whose filters and scores are WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "berth", version, max_term_width = 110)]
struct Cli {
    /// Log level, or a list of target=level [default: info for run and sim, else warn].
    #[arg(long, global = true, value_name = "FILTER", env = "BERTH_LOG")]
    log: Option<String>,
    /// Log verbosity as in Kubernetes: 4 logs details, 6 everything; overrides --log.
    #[arg(short, long = "v", global = true, value_name = "NUMBER", overrides_with = "verbosity")]
    verbosity: Option<u32>,
    /// Format of the log lines on standard error.
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t, overrides_with = "logging_format")]
    logging_format: LoggingFormat,
    #[command(subcommand)]
    command: Command,
}

/// A log format, with the name that kube-scheduler uses.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum LoggingFormat {
    /// Lines for people.
    #[default]
    Text,
    /// A JSON object per line.
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Schedule the pods of a cluster until stopped.
    Run(Box<run::Args>),
    /// Run an in-memory API server with simulated kubelets and controllers.
    Sim(sim::Args),
    /// Schedule a sample workload in a simulated cluster, and print the result.
    Demo(demo::Args),
    /// Check configuration files, or print their JSON Schemas.
    #[command(subcommand)]
    Config(config::Command),
    /// List, create, check and test plugins.
    #[command(subcommand)]
    Plugin(plugin::Command),
}

/// Parses the command line and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse_from(kube_scheduler::arguments(std::env::args_os()));
    let log = match log::start(log_filter(&cli), cli.logging_format) {
        Ok(log) => log,
        Err(error) => {
            eprintln!("error: --log: {error:#}");
            return ExitCode::from(2);
        }
    };
    let result = start(cli.command);
    // Flush the log first, so that the error is the last line.
    drop(log);
    match result {
        Ok(code) => code,
        Err(error) if out::is_unread(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", chain(&error));
            ExitCode::FAILURE
        }
    }
}

fn start(command: Command) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = |()| ExitCode::SUCCESS;
    let code = match command {
        Command::Run(args) => runtime.block_on(run::run(*args)).map(done),
        Command::Sim(args) => runtime.block_on(sim::run(args)).map(done),
        Command::Demo(args) => runtime.block_on(demo::run(args)).map(done),
        Command::Config(command) => config::run(command),
        Command::Plugin(command) => plugin::run(command),
    };
    // A task that hangs must not keep the process alive.
    runtime.shutdown_background();
    code
}

/// Returns the log filter. The default filter silences the client's own request logs: the callers log these errors
/// themselves.
fn log_filter(cli: &Cli) -> &str {
    let default = if matches!(cli.command, Command::Demo(_) | Command::Config(_) | Command::Plugin(_)) {
        "warn"
    } else {
        "info,kube_client::client::builder=off"
    };
    match (cli.verbosity, &cli.log) {
        (Some(0..=3), _) => "info,kube_client::client::builder=off",
        (Some(4..=5), _) => "info,kube_client::client::builder=off,berth=debug,berth_core=debug",
        (Some(_), _) => "info,berth=trace,berth_core=trace",
        (None, Some(filter)) => filter,
        (None, None) => default,
    }
}

/// Formats the error with its causes. A cause that the text already contains is left out.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
