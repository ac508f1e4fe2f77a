//! `berth scenario`: runs scenarios, and prints the schema of their files.

mod files;
mod junit;
mod policies;
mod report;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use berth_kube::UserConnection;
use berth_scenario::{Outcome, RunOptions, Scenario, ScenarioError, run_on, simulate};
use kube::Client;
use serde_json::Value;
use tokio::runtime::Runtime;

use self::policies::LoadedPolicies;
use self::report::{Report, ScenarioResult};
use super::hint::Hint;
use super::output::{self, OutputFlag};
use super::progress::Progress;
use super::{exit_status, out};

const EXIT: &[(u8, &str)] =
    &[(0, "all scenarios passed"), (1, "a scenario failed, or a scenario or its plugins can't be loaded")];

/// A command about scenarios.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Run scenarios, and show what was found where one failed.
    ///
    /// A scenario runs in this process, with an API server, kubelets, controllers and a scheduler of its own. Its time is
    /// simulated: hours pass in milliseconds.
    Run(Args),
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
}

/// Arguments of `berth scenario run`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Scenario files, or directories of them (*.yaml, *.yml).
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Directory of further plugins (*.wasm), for scenarios that name none.
    #[arg(long, value_name = "DIR", conflicts_with = "kubeconfig")]
    plugins: Option<PathBuf>,
    /// KubeSchedulerConfiguration, for scenarios that have none.
    #[arg(long, value_name = "FILE", conflicts_with = "kubeconfig")]
    config: Option<PathBuf>,
    /// Set a variable of the scenarios; VALUE is JSON or a text. Can be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    set: Vec<(String, Value)>,
    /// Run on the cluster of this kubeconfig, with its own scheduler, in real time.
    ///
    /// The objects that a scenario created are deleted at its end. Scenarios run one after the other.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Also write the result as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Run again when a scenario, a configuration or a plugin changes.
    #[arg(long, conflicts_with = "kubeconfig")]
    watch: bool,
    #[command(flatten)]
    output: OutputFlag,
}

/// Reads `NAME=VALUE`.
fn variable(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, for example nodes=50")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    Ok((name.to_owned(), value))
}

/// Runs the command. The exit status tells whether all scenarios passed.
///
/// # Errors
/// There is no scenario, or the cluster can't be reached.
pub fn run(command: Command, runtime: &Runtime) -> Result<ExitCode> {
    match command {
        Command::Schema => {
            out::line(serde_json::to_string_pretty(&Scenario::schema())?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Run(args) if args.watch => {
            watch::run_again(&args.paths, || run_once(&args, runtime))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Run(args) => Ok(if run_once(&args, runtime)?.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
    }
}

/// Runs all scenarios. Returns whether all passed, and the files on which the result depends.
fn run_once(args: &Args, runtime: &Runtime) -> Result<(bool, Vec<PathBuf>)> {
    let files = files::find(&args.paths)?;
    let policies = LoadedPolicies::new(args.config.clone(), args.plugins.clone());
    let began = Instant::now();
    let results = match &args.kubeconfig {
        Some(kubeconfig) => {
            let hint = || "kubectl config view --minify".to_owned();
            let user = runtime.block_on(UserConnection::from_kubeconfig(Some(kubeconfig))).or_hint(hint)?;
            let client = user.api_server();
            let run = |file: &PathBuf| {
                result_of(
                    file,
                    |scenario, options| runtime.block_on(run_on(Client::clone(client), scenario, options)),
                    args,
                    &policies,
                )
            };
            files.iter().map(run).collect()
        }
        None => in_parallel(&files, &|file| result_of(file, simulate, args, &policies)),
    };
    let report = Report::new(results, began.elapsed());
    if let Some(path) = &args.junit {
        junit::write(&report, path)?;
    }
    output::print(&report, args.output.format)?;
    Ok((report.failed == 0, policies.paths()))
}

/// Runs one scenario.
fn result_of(
    file: &Path,
    run: impl FnOnce(&Scenario, RunOptions<'_>) -> Result<Outcome, ScenarioError>,
    args: &Args,
    policies: &LoadedPolicies,
) -> ScenarioResult {
    let began = Instant::now();
    let directory = file.parent().map(Path::to_owned).unwrap_or_default();
    let options = RunOptions { directory: &directory, policies, set: &args.set };
    let outcome = Scenario::load(file).and_then(|scenario| run(&scenario, options));
    ScenarioResult::new(file.display().to_string(), outcome, began.elapsed())
}

/// Runs the scenarios on as many threads as the machine has processors. Returns the results in the order of the files.
fn in_parallel(files: &[PathBuf], run: &(impl Fn(&PathBuf) -> ScenarioResult + Sync)) -> Vec<ScenarioResult> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let (next, done) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let results = Mutex::new(Vec::with_capacity(files.len()));
    let _progress = Progress::counted("scenarios run", files.len(), Arc::clone(&done));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, file)) = take(files, &next) {
                    let result = run(file);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                    done.fetch_add(1, Relaxed);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn take<'f>(files: &'f [PathBuf], next: &AtomicUsize) -> Option<(usize, &'f PathBuf)> {
    let index = next.fetch_add(1, Relaxed);
    files.get(index).map(|file| (index, file))
}
