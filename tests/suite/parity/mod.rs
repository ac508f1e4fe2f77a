//! The same workload placed by kube-scheduler and by Berth: the same pods find a place, the others are told the same, and
//! both distribute them alike, as far as kube-scheduler itself does from one run to the next.
//!
//! `PARITY_SCHEDULER` names the program (`scripts/controlplane kube-scheduler` builds it).

mod outcome;
mod workload;

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use berth::scheduler::{self, Scheduler};
use berth_tests::objects::pod;
use berth_tests::{ControlPlane, Journal, Target, api};
use serde_json::Value;

use self::outcome::{Outcome, is_of};
use self::workload::Workload;
use crate::kube_scheduler::KubeScheduler;

crate::case::cases!(Real: a_recorded_workload);

/// Runs of each, with other seeds.
const RUNS: u64 = 4;

/// Whether there is what it takes.
pub fn possible() -> bool {
    KubeScheduler::program().is_some() && ControlPlane::assets().is_some()
}

async fn a_recorded_workload(target: &Target) -> Result<()> {
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
    Scheduler::start(target.client.clone(), scheduler::Options { core, ..scheduler::Options::default() }).await
}

/// What the scheduler that runs makes of the workload, of which nothing is left then.
async fn outcome(target: &Target, workload: &Workload) -> Result<Outcome> {
    let journal = Journal::start(&target.client).await?;
    let cluster: Vec<Value> = workload.nodes().chain(workload.objects.iter().cloned()).collect();
    api::create_all(&target.client, cluster).await?;
    until_ready(target, &journal).await?;
    // One after the other: pods of the same priority are tried in the order in which they came.
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

/// A pod that is placed shows that the scheduler is at work; it makes room again for the others.
async fn until_ready(target: &Target, journal: &Journal) -> Result<()> {
    let first = pod("first", "1m");
    api::create(&target.client, &first).await?;
    journal.placed_pod("first").await?;
    api::delete(&target.client, &first).await?;
    journal.gone("first").await
}

/// Pods that one scheduler placed and the other did not, or told otherwise, whatever the run.
fn differences(theirs: &[Outcome], ours: &[Outcome]) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(expected) = theirs.first() else { return lines };
    for (who, outcomes) in [("kube-scheduler", theirs), ("Berth", ours)] {
        for (run, outcome) in outcomes.iter().enumerate() {
            for (pod, node) in &outcome.placed {
                if let Some(why) = expected.rejected.get(pod) {
                    lines.push(format!(
                        "{pod}: {who}'s run {run} placed it on {node}; kube-scheduler's first said {why}"
                    ));
                }
            }
            for (pod, why) in outcome.rejected.iter().filter(|(pod, why)| expected.rejected.get(*pod) != Some(*why)) {
                let first = expected.rejected.get(pod);
                lines.push(format!("{pod}: {who}'s run {run} said {why}; kube-scheduler's first {first:?}"));
            }
        }
    }
    lines
}

/// A run of Berth's has one of kube-scheduler's as near as those are to each other. A quarter more is chance: of so few runs
/// the farthest two are not as far apart as two can be.
fn distributions(workload: &Workload, theirs: &[Outcome], ours: &[Outcome]) -> Result<()> {
    let zones = workload.zones();
    let of = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.distribution(&zones)).collect::<Vec<_>>();
    let (theirs, ours) = (of(theirs), of(ours));
    for (at, over) in ["zones", "nodes"].into_iter().enumerate() {
        let pairs = theirs.iter().flat_map(|one| theirs.iter().map(move |other| one.distance(other)[at]));
        let apart = pairs.max().unwrap_or_default();
        let nearest = ours.iter().filter_map(|own| theirs.iter().map(|other| own.distance(other)[at]).min());
        let nearest: Vec<i64> = nearest.collect();
        println!(
            "over {over}: kube-scheduler's runs differ by up to {apart} pods, Berth's from the nearest of them by {nearest:?}"
        );
        let bound = apart + apart / 4 + 1;
        ensure!(nearest.iter().all(|distance| *distance <= bound), "over {over}: {nearest:?} of {bound}");
    }
    Ok(())
}

fn table(workload: &Workload, theirs: &Outcome, ours: &Outcome) -> String {
    let mut table = format!("{:<18} {:>5} {:>15} {:>6}  {}", "pods", "count", "kube-scheduler", "Berth", "told");
    for group in &workload.pods {
        let placed = |outcome: &Outcome| outcome.placed.keys().filter(|pod| is_of(pod, &group.name)).count();
        let told = ours.rejected.iter().find(|(pod, _)| is_of(pod, &group.name)).map_or("", |(_, why)| why.as_str());
        let (theirs, ours) = (placed(theirs), placed(ours));
        // Writing to a string does not fail.
        let _ = write!(table, "\n{:<18} {:>5} {theirs:>15} {ours:>6}  {told}", group.name, group.count);
    }
    table
}
