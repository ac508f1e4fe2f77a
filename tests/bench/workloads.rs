//! Named workloads: pods like those before, and pods like none before.

use std::env;

use anyhow::{Context, Result};
use berth_tests::engine::{Questions, Scene, Setup, WORKLOADS, Workload};
use serde_json::json;

use crate::round::{Round, round, spread};
use crate::{Lines, number, numbers};

/// Pods in a round.
const BATCH: usize = 100;

/// For inter-pod affinity, which may not grow with pods: so many times the usual number.
const CROWD: usize = 5;

/// Measures those that are wanted (`BENCH_WORKLOADS`; all, if none is named), at each number of nodes, in `BENCH_ENGINE_ROUNDS`,
/// of which the median counts.
pub fn measure_all(lines: &mut Lines) -> Result<()> {
    let nodes = numbers("BENCH_ENGINE_NODES", "500 5000 50000")?;
    let wanted = env::var("BENCH_WORKLOADS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split_whitespace().any(|wanted| wanted == name);
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        for nodes in &nodes {
            measure(*workload, *nodes, 1, lines)?;
        }
        if workload.name == "SchedulingPodAffinity"
            && let Some(nodes) = nodes.first()
        {
            measure(*workload, *nodes, CROWD, lines)?;
        }
    }
    Ok(())
}

/// Pods like those before, and then pods like none before.
fn measure(workload: Workload, nodes: usize, crowd: usize, lines: &mut Lines) -> Result<()> {
    let setup = Setup { keeps_nothing: env::var_os("BENCH_ENGINE_KEEPS_NOTHING").is_some(), ..Setup::default() };
    let mut scene = Scene::with(workload, nodes, crowd, setup).with_context(|| workload.name)?;
    let mut line = |case: &str, rounds: &[Round]| {
        let pods: usize = rounds.iter().map(|round| round.pods).sum();
        let over = |figure: fn(&Questions) -> u64| {
            rounds.iter().map(|round| figure(&round.questions)).sum::<u64>() as f64 / pods as f64
        };
        lines.write(&json!({
            "workload": workload.name, "case": case, "nodes": nodes, "templates": workload.templates, "crowd": crowd,
            "microsecondsPerPod": spread(rounds, |round| round.deciding),
            "microsecondsPerPodWithEvents": spread(rounds, |round| round.deciding + round.events),
            "callsPerPod": over(Questions::all_calls), "nodesAskedPerPod": over(Questions::all_nodes),
        }))
    };
    // Each template's first pod is none of those that are measured.
    let known = BATCH.max(workload.templates);
    round(&mut scene, known, Scene::next_pod).with_context(|| workload.name)?;
    let (batch, times) = (batch(workload, nodes), number("BENCH_ENGINE_ROUNDS", 7)?);
    let rounds: Vec<Round> = (0..times).map(|_| round(&mut scene, batch, Scene::next_pod)).collect::<Result<_>>()?;
    line("repeated", &rounds)?;
    let rounds: Vec<Round> =
        (0..times).map(|_| round(&mut scene, 1, Scene::first_of_template)).collect::<Result<_>>()?;
    line("first", &rounds)
}

/// Anti-affinity wants a node for each pod.
fn batch(workload: Workload, nodes: usize) -> usize {
    if workload.name == "SchedulingPodAntiAffinity" { BATCH.min(nodes / 20) } else { BATCH }
}
