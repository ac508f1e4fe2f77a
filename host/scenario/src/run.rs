//! Runs a scenario.

use std::path::Path;
use std::sync::Arc;

use berth_clock::{Clock, RealClock, RuntimeClock};
use berth_core::Timestamp;
use kube::Client;
use kube::api::DeleteParams;
use serde_json::Value;

use crate::cluster::{Cluster, Simulated};
use crate::conditions::Problem;
use crate::error::ScenarioError;
use crate::expand::{self, ExpandedStep};
use crate::file::Scenario;
use crate::outcome::{Failure, Outcome};
use crate::policy::Policies;
use crate::steps::{Runner, source};

/// The stack size of the thread of a run, in bytes. Plugins run on this stack.
const STACK: usize = 8 << 20;

/// The time of day at which a simulated cluster begins.
const START: &str = "2026-01-01T00:00:00Z";

/// The largest number of pods that are explained after a failure.
const MOST_EXPLAINED: usize = 2;

/// What a run needs besides the scenario.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The directory to which the paths in the scenario are relative.
    pub directory: &'a Path,
    /// Loads the plugins and profiles.
    pub policies: &'a dyn Policies,
    /// Values that replace variables of the scenario.
    pub set: &'a [(String, Value)],
}

/// Runs a scenario in simulated time, on a thread of its own.
///
/// # Errors
/// The scenario is wrong, or its plugins can't serve.
pub fn simulate(scenario: &Scenario, options: RunOptions<'_>) -> Result<Outcome, ScenarioError> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .thread_stack_size(STACK)
            .build()
            .map_err(|error| ScenarioError::cluster("the runtime", error))?;
        let outcome = runtime.block_on(simulated(scenario, options));
        runtime.shutdown_background();
        outcome
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("scenario".into()).stack_size(STACK).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| ScenarioError::cluster("the thread of the scenario", error))?;
        thread
            .join()
            .unwrap_or_else(|_| Err(ScenarioError::cluster("the scenario", "it panicked; the log has the message")))
    })
}

async fn simulated(scenario: &Scenario, options: RunOptions<'_>) -> Result<Outcome, ScenarioError> {
    let steps = expand::steps(scenario, options.set)?;
    let start = scenario.start.as_deref().unwrap_or(START);
    let start =
        start.parse().map_err(|_| ScenarioError::field("start", format!("{start:?} is no time such as {START}")))?;
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::from(start));
    let policy = options.policies.load(&source(&scenario.scheduler.clone().unwrap_or_default(), options.directory))?;
    let (simulated, client) = Simulated::start(&clock, policy, scenario.seed).await?;
    let cluster = Cluster::watch(client, clock, Some(simulated)).await?;
    let mut runner = Runner::new(cluster, options.directory, options.policies);
    run(&mut runner, &steps).await
}

/// Runs a scenario on another cluster, in real time. Then deletes the objects that the scenario created.
///
/// # Errors
/// The scenario is wrong, or has a step that only a simulated cluster can do, or the API server can't be reached.
pub async fn run_on(client: Client, scenario: &Scenario, options: RunOptions<'_>) -> Result<Outcome, ScenarioError> {
    let steps = expand::steps(scenario, options.set)?;
    if let Some((path, step)) = steps.iter().find_map(|step| Some((&step.path, only_simulated(step)?))) {
        let why = format!("`{step}` needs a simulated cluster; leave out --kubeconfig, or the step");
        return Err(ScenarioError::field(path, why));
    }
    if scenario.scheduler.is_some() {
        return Err(ScenarioError::field("scheduler", "the scheduler of a cluster of --kubeconfig can't be exchanged"));
    }
    let cluster = Cluster::watch(client, Arc::new(RealClock), None).await?;
    let mut runner = Runner::new(cluster, options.directory, options.policies);
    let outcome = run(&mut runner, &steps).await;
    for (api, name) in runner.created.iter().rev() {
        // An object can have been deleted by a step, or by its owner.
        let _ = api.delete(name, &DeleteParams::background()).await;
    }
    outcome
}

/// Returns the name of a step that only a simulated cluster can do.
fn only_simulated(ExpandedStep { step, .. }: &ExpandedStep) -> Option<&'static str> {
    let steps = [
        ("advance", step.advance.is_some()),
        ("fail", step.fail.is_some()),
        ("recover", step.recover.is_some()),
        ("scheduler", step.scheduler.is_some()),
    ];
    steps.into_iter().find_map(|(name, is_it)| is_it.then_some(name))
}

async fn run(runner: &mut Runner<'_>, steps: &[ExpandedStep]) -> Result<Outcome, ScenarioError> {
    let began = runner.cluster.clock.instant();
    let mut outcome = Outcome::default();
    for step in steps {
        let problems = match runner.run(step).await {
            Ok(problems) => problems,
            Err(ScenarioError::Step(why)) => vec![Problem { text: why, pods: Vec::new() }],
            Err(error) => return Err(error),
        };
        if !problems.is_empty() {
            outcome.failure = Some(failure(runner, step, problems).await);
            break;
        }
        outcome.steps += 1;
    }
    outcome.conditions = runner.conditions;
    outcome.cluster_seconds = (runner.cluster.clock.instant() - began).as_secs_f64();
    outcome.history.clone_from(&runner.cluster.view().history);
    Ok(outcome)
}

async fn failure(runner: &Runner<'_>, step: &ExpandedStep, problems: Vec<Problem>) -> Failure {
    let mut explanations = Vec::new();
    if let Some(simulated) = &runner.cluster.simulated {
        let now = u64::try_from(runner.cluster.clock.timestamp().as_millisecond()).unwrap_or_default();
        for pod in problems.iter().flat_map(|problem| &problem.pods).take(MOST_EXPLAINED) {
            // A typed pod is always JSON.
            let Ok(mut object) = serde_json::to_value(pod) else { continue };
            object["apiVersion"] = "v1".into();
            object["kind"] = "Pod".into();
            explanations.push(simulated.explain(&object, Timestamp(now)).await);
        }
    }
    Failure {
        step: step.path.clone(),
        name: step.step.name.clone().unwrap_or_default(),
        problems: problems.into_iter().map(|problem| problem.text).collect(),
        explanations,
    }
}
