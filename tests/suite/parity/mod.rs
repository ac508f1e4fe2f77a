//! Compares how kube-scheduler and Berth place the same workload. The same pods must be placed, and all other pods
//! must get the same messages. The distributions of pods over zones and nodes may differ only about as much as the
//! distributions of kube-scheduler's runs differ from each other.
//!
//! `PARITY_SCHEDULER` is the path of kube-scheduler, which `scripts/controlplane kube-scheduler` builds.

mod outcome;
mod workload;

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use berth::scheduler::{self, Scheduler};
use berth_tests::objects::pod;
use berth_tests::{Journal, Target, api};
use serde_json::Value;

use self::outcome::{Distribution, Outcome, is_in_group};
use self::workload::Workload;
use crate::kube_scheduler::KubeScheduler;

crate::case::cases!(Real: a_recorded_workload_has_the_same_outcome);

/// The number of runs of the workload with each scheduler. Each run of Berth has another seed. kube-scheduler takes no
/// seed.
const RUNS: u64 = 4;

async fn a_recorded_workload_has_the_same_outcome(target: &Target) -> Result<()> {
    let workload = Workload::read()?;
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for seed in 0..RUNS {
        let running = KubeScheduler::start(target)?;
        theirs.push(outcome(target, &workload).await.context("kube-scheduler")?);
        running.stop().await?;
        let running = berth(target, seed).await?;
        ours.push(outcome(target, &workload).await.context("Berth")?);
        target.stop(running).await?;
    }
    println!("{}", table(&workload, &theirs[0], &ours[0]));
    let differ = differences(&theirs, &ours);
    ensure!(differ.is_empty(), "{}", differ.join("\n"));
    distributions(&workload, &theirs, &ours)
}

async fn berth(target: &Target, seed: u64) -> Result<Scheduler> {
    let core = berth_core::Options { seed, ..berth_core::Options::default() };
    let options = scheduler::Options { core, ..scheduler::Options::default() };
    Scheduler::start(target.client.clone(), target.recorded(options)).await
}

/// Runs the workload with the scheduler that is running now, and deletes the workload's objects. Returns the outcome.
async fn outcome(target: &Target, workload: &Workload) -> Result<Outcome> {
    let journal = Journal::start(&target.client).await?;
    let cluster: Vec<Value> = workload.nodes().chain(workload.objects.iter().cloned()).collect();
    api::create_all(&target.client, cluster).await?;
    until_ready(target, &journal).await?;
    // The pods are created one after the other, because pods with the same priority are scheduled in order of
    // creation.
    for pod in workload.pods() {
        api::create(&target.client, &pod).await?;
    }
    let outcome = Outcome::wait(&journal, workload).await?;
    journal.check()?;
    for object in &workload.objects {
        api::delete(&target.client, object).await?;
    }
    target.clean_up().await?;
    Ok(outcome)
}

/// Waits until the scheduler places a pod, and removes that pod.
async fn until_ready(target: &Target, journal: &Journal) -> Result<()> {
    let first = pod("first", "1m");
    api::create(&target.client, &first).await?;
    journal.until_pod_placed("first").await?;
    api::delete(&target.client, &first).await?;
    journal.until_gone("first").await
}

/// Compares all runs of both schedulers with kube-scheduler's first run. Returns a line for each pod that was placed in
/// only one of the two compared runs, and for each pod with different messages.
fn differences(theirs: &[Outcome], ours: &[Outcome]) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(expected) = theirs.first() else { return lines };
    for (scheduler_name, outcomes) in [("kube-scheduler", theirs), ("Berth", ours)] {
        for (run, outcome) in outcomes.iter().enumerate() {
            for (pod, node) in &outcome.placed {
                if let Some(message) = expected.rejected.get(pod) {
                    lines.push(format!(
                        "{pod}: run {run} of {scheduler_name} placed it on {node}, but kube-scheduler's first run \
                         rejected it: {message}"
                    ));
                }
            }
            for (pod, message) in
                outcome.rejected.iter().filter(|(pod, message)| expected.rejected.get(*pod) != Some(*message))
            {
                let first = expected.rejected.get(pod);
                lines.push(format!(
                    "{pod}: run {run} of {scheduler_name} has the message {message}, kube-scheduler's first run \
                     {first:?}"
                ));
            }
        }
    }
    lines
}

/// Checks that Berth's runs are, on average, as close to kube-scheduler's runs as kube-scheduler's runs are to each
/// other. A factor of 1.5 plus 2 pods is allowed, because with few runs the average distance of one scheduler's own
/// runs can vary by a factor of two.
fn distributions(workload: &Workload, theirs: &[Outcome], ours: &[Outcome]) -> Result<()> {
    let zones = workload.zones();
    let of = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.distribution(&zones)).collect::<Vec<_>>();
    let (theirs, ours) = (of(theirs), of(ours));
    for (at, over) in ["zones", "nodes"].into_iter().enumerate() {
        let between = |ones: &[Distribution], others: &[Distribution]| -> i64 {
            ones.iter().flat_map(|one| others.iter().map(move |other| one.distance(other)[at])).sum()
        };
        // `own` compares each run of kube-scheduler with all others; the distance of a run to itself is 0. `cross`
        // compares each run of Berth with each run of kube-scheduler.
        let (own, cross) = (between(&theirs, &theirs), between(&ours, &theirs));
        let runs = i64::try_from(theirs.len())?;
        let (own, cross) = (own as f64 / (runs * (runs - 1)) as f64, cross as f64 / (runs * runs) as f64);
        println!("over {over}: kube-scheduler's runs differ by {own:.1} pods, Berth's from them by {cross:.1}");
        ensure!(
            cross <= 1.5 * own + 2.0,
            "over {over}: Berth's runs differ from kube-scheduler's by {cross:.1} pods on average, kube-scheduler's \
             from each other by {own:.1}"
        );
    }
    Ok(())
}

fn table(workload: &Workload, theirs: &Outcome, ours: &Outcome) -> String {
    let mut table = format!("{:<18} {:>5} {:>15} {:>6}  {}", "pods", "count", "kube-scheduler", "Berth", "message");
    for group in &workload.pods {
        let placed = |outcome: &Outcome| outcome.placed.keys().filter(|pod| is_in_group(pod, &group.name)).count();
        let message = ours
            .rejected
            .iter()
            .find(|(pod, _)| is_in_group(pod, &group.name))
            .map_or("", |(_, message)| message.as_str());
        let (theirs, ours) = (placed(theirs), placed(ours));
        // Writing to a string does not fail.
        let _ = write!(table, "\n{:<18} {:>5} {theirs:>15} {ours:>6}  {message}", group.name, group.count);
    }
    table
}
