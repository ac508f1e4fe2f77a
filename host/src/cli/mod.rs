//! The command line, with one file per command.

mod capture;
#[cfg(feature = "simulator")]
mod cluster;
mod color;
mod completion;
mod components;
mod config;
#[cfg(feature = "simulator")]
mod controllers;
#[cfg(feature = "simulator")]
mod demo;
mod exit_status;
mod explain;
mod grants;
mod hint;
mod kube_scheduler;
mod live;
mod log;
mod man;
mod out;
mod output;
mod plugin;
mod port;
mod progress;
mod recorded;
mod replay;
mod run;
#[cfg(feature = "simulator")]
mod scenario;
#[cfg(feature = "simulator")]
mod sim;
mod simulator;
mod source;
mod stop_signal;
mod whatif;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

/// The heading of the flags that every command has.
const GLOBAL: &str = "Global options";

/// A Kubernetes scheduler whose filters and scores are WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "berth", version, max_term_width = 110, styles = color::STYLES)]
#[command(after_help = exit_status::section(exit_status::BERTH))]
struct Cli {
    /// Log level, or a list of target=level [default: info for run and sim, else warn].
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILTER", env = "BERTH_LOG", hide_env_values = true)]
    log: Option<String>,
    /// Log verbosity as in Kubernetes: 4 logs details, 6 everything; overrides --log.
    #[arg(short, long = "v", global = true, help_heading = GLOBAL, value_name = "NUMBER", overrides_with = "verbosity")]
    verbosity: Option<u32>,
    /// Format of the log lines on standard error.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FORMAT", value_enum, default_value_t, overrides_with = "logging_format")]
    logging_format: LoggingFormat,
    /// Whether help, errors and log lines have colors; auto obeys NO_COLOR.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", value_enum, default_value_t, overrides_with = "color")]
    color: ColorChoice,
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
    #[cfg(feature = "simulator")]
    Sim(sim::Args),
    /// Play kubelets and controllers on an API server that has none.
    ///
    /// Pods run, workloads get their pods, volumes are provisioned, nodes have leases and taints: all simulated, so that
    /// no container runs. Refuses a cluster in which kube-controller-manager or a kubelet runs.
    #[cfg(feature = "simulator")]
    Controllers(controllers::Args),
    /// Schedule a sample workload in a simulated cluster, and print the result.
    #[cfg(feature = "simulator")]
    Demo(demo::Args),
    /// Run scenarios that test a scheduling policy, in simulated time.
    #[cfg(feature = "simulator")]
    #[command(subcommand)]
    Scenario(scenario::Command),
    /// Explain why a pod is pending or on its node, or list the queue.
    #[command(subcommand)]
    Explain(explain::Command),
    /// Print what a change of a cluster or of the policy would do.
    ///
    /// The answer is computed on a copy of the cluster, with the scheduler's own core and the plugins. The command only
    /// reads from the cluster. Without a flag of the question, the answer is which pending pods fit now.
    Whatif(Box<whatif::Args>),
    /// Write what happens in a cluster to a file, whichever scheduler it has.
    ///
    /// The command only reads. `berth explain` and `berth whatif` answer about any moment of the file.
    Capture(capture::Args),
    /// Play back what a scheduler did, and compare the decisions.
    ///
    /// Needs no cluster. `berth run --capture` records a capture.
    Replay(replay::Args),
    /// Check configuration files, or print their JSON Schemas.
    #[command(subcommand)]
    Config(config::Command),
    /// List, create, check and test plugins.
    #[command(subcommand)]
    Plugin(plugin::Command),
    /// Print the completion script of a shell.
    Completion(completion::Args),
    /// Write the manual pages, one for each command.
    Man(man::Args),
}

/// Parses the command line and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = kube_scheduler::arguments(std::env::args_os());
    let color = color::choice(&arguments);
    color::apply(color);
    let cli = match parse(arguments, color) {
        Ok(cli) => cli,
        Err(error) => return invalid(&error),
    };
    let log = match log::start(log_filter(&cli), cli.logging_format) {
        Ok(log) => log,
        Err(error) => {
            report(&error.context("--log"));
            return ExitCode::from(2);
        }
    };
    let result = start(cli.command);
    // Flush the log first, so that the error comes last.
    drop(log);
    match result {
        Ok(code) => code,
        Err(error) if out::is_unread(&error) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: Vec<OsString>, color: ColorChoice) -> Result<Cli, clap::Error> {
    let matches = Cli::command().color(color).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// Prints the help, the version, or the error of an invalid command line. Returns the exit status.
fn invalid(error: &clap::Error) -> ExitCode {
    match simulator::absent_command(error) {
        Some(name) => report(&anyhow::anyhow!(
            "this build of berth has no command `{name}`, because it was built without the cargo feature `simulator`; \
             use a build with the default features"
        )),
        // Printing fails if the reader has stopped reading.
        None => drop(error.print()),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints the error with its causes, and the command to run next if the error has a hint.
fn report(error: &anyhow::Error) {
    let style = color::STYLES.get_error();
    anstream::eprintln!("{style}error:{style:#} {}", chain(error));
    if let Some(next) = hint::of(error) {
        print_hint(next);
    }
}

/// Prints the command to run next.
fn print_hint(next: &str) {
    let style = color::STYLES.get_literal();
    anstream::eprintln!("try: {style}{next}{style:#}");
}

fn start(command: Command) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = |()| ExitCode::SUCCESS;
    let code = match command {
        Command::Run(args) => runtime.block_on(run::run(*args)).map(done),
        #[cfg(feature = "simulator")]
        Command::Sim(args) => runtime.block_on(sim::run(args)).map(done),
        #[cfg(feature = "simulator")]
        Command::Controllers(args) => runtime.block_on(controllers::run(args)).map(done),
        #[cfg(feature = "simulator")]
        Command::Demo(args) => runtime.block_on(demo::run(args)).map(done),
        #[cfg(feature = "simulator")]
        Command::Scenario(command) => scenario::run(command, &runtime),
        Command::Explain(command) => runtime.block_on(explain::run(command)).map(done),
        Command::Whatif(args) => whatif::run(&args, &runtime),
        Command::Capture(args) => runtime.block_on(capture::run(args)),
        Command::Replay(args) => replay::run(&args, &runtime),
        Command::Config(command) => config::run(command),
        Command::Plugin(command) => plugin::run(command),
        Command::Completion(args) => completion::run(&args),
        Command::Man(args) => man::run(&args),
    };
    // A task that hangs must not keep the process alive.
    runtime.shutdown_background();
    code
}

/// Returns the log filter. The filters for `run`, `sim` and -v 0 to 5 silence the request logs of kube_client, because
/// the callers log these errors themselves.
fn log_filter(cli: &Cli) -> &str {
    let default = match cli.command {
        Command::Run(_) => "info,kube_client::client::builder=off",
        #[cfg(feature = "simulator")]
        Command::Sim(_) | Command::Controllers(_) => "info,kube_client::client::builder=off",
        // The command itself reports an API server that can't be reached.
        _ => "warn,kube_client::client::builder=off",
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

/// Compares a text with its file in the repository. With `UPDATE_DOCS=1`, writes the file.
#[cfg(test)]
fn check_document(path: &std::path::Path, text: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("the file is written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let path = path.display();
    assert!(kept == text, "{path} is out of date: run UPDATE_DOCS=1 cargo test -p berth --lib");
}

#[cfg(test)]
mod help_test;
