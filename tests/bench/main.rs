//! What a decision costs without an API server: core and default components, by the CPU time of the one thread that
//! decides. `scripts/bench` runs it; `cargo bench --workspace --bench engine` does, too.
//!
//! Environment: `BENCH_ENGINE_NODES` (500 5000 50000), `BENCH_WORKLOADS` (all), `BENCH_ENGINE_OUT` (a file for lines of
//! JSON).
#![allow(clippy::print_stdout, reason = "a table for people")]

use std::env;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_tests::engine::{Questions, Scene, WORKLOADS, Workload};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// Pods in a round.
const BATCH: usize = 100;

/// Rounds; the median of them counts.
const ROUNDS: usize = 7;

/// For inter-pod affinity, which may not grow with pods: so many times the usual number.
const CROWD: usize = 5;

fn main() -> Result<()> {
    let nodes = env::var("BENCH_ENGINE_NODES").unwrap_or_else(|_| "500 5000 50000".to_owned());
    let nodes: Vec<usize> =
        nodes.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("BENCH_ENGINE_NODES")?;
    let wanted = env::var("BENCH_WORKLOADS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split_whitespace().any(|wanted| wanted == name);
    let mut out = env::var_os("BENCH_ENGINE_OUT").map(File::create).transpose().context("BENCH_ENGINE_OUT")?;
    let mut write = |line: &Value| -> Result<()> {
        println!("{line}");
        out.as_mut().map_or(Ok(()), |out| Ok(writeln!(out, "{line}")?))
    };
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        for nodes in &nodes {
            measure(*workload, *nodes, 1, &mut write)?;
        }
        if workload.name == "SchedulingPodAffinity"
            && let Some(nodes) = nodes.first()
        {
            measure(*workload, *nodes, CROWD, &mut write)?;
        }
    }
    Ok(())
}

/// Pods like those before, and then pods like none before.
fn measure(workload: Workload, nodes: usize, crowd: usize, write: &mut dyn FnMut(&Value) -> Result<()>) -> Result<()> {
    let mut scene = Scene::set(workload, nodes, crowd).with_context(|| workload.name)?;
    let mut line = |case: &str, rounds: &[Round]| {
        let pods: usize = rounds.iter().map(|round| round.pods).sum();
        let over = |figure: fn(&Questions) -> u64| {
            rounds.iter().map(|round| figure(&round.questions)).sum::<u64>() as f64 / pods as f64
        };
        write(&json!({
            "workload": workload.name, "case": case, "nodes": nodes, "templates": workload.templates, "crowd": crowd,
            "microsecondsPerPod": spread(rounds, |round| round.deciding),
            "microsecondsPerPodWithEvents": spread(rounds, |round| round.deciding + round.events),
            "callsPerPod": over(Questions::all_calls), "nodesAskedPerPod": over(Questions::all_nodes),
        }))
    };
    // Each template's first pod is none of those that are measured.
    let known = BATCH.max(workload.templates);
    round(&mut scene, known, Scene::next_pod).with_context(|| workload.name)?;
    let batch = batch(workload, nodes);
    let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(&mut scene, batch, Scene::next_pod)).collect::<Result<_>>()?;
    line("repeated", &rounds)?;
    let rounds: Vec<Round> =
        (0..ROUNDS).map(|_| round(&mut scene, 1, Scene::first_of_template)).collect::<Result<_>>()?;
    line("first", &rounds)
}

/// Anti-affinity wants a node for each pod.
fn batch(workload: Workload, nodes: usize) -> usize {
    if workload.name == "SchedulingPodAntiAffinity" { BATCH.min(nodes / 20) } else { BATCH }
}

/// What a round came to.
struct Round {
    pods: usize,
    /// CPU time of the cycles.
    deciding: Duration,
    /// Of what the core was told besides: the pods, and what became of them.
    events: Duration,
    questions: Questions,
}

fn round(
    scene: &mut Scene,
    size: usize,
    next: fn(&mut Scene) -> Result<std::sync::Arc<berth_core::model::Pod>>,
) -> Result<Round> {
    let pods: Vec<_> = (0..size).map(|_| next(scene)).collect::<Result<_>>()?;
    let engine = &mut scene.engine;
    engine.take_questions();
    let ((), enqueuing) = timed(|| pods.iter().for_each(|pod| engine.enqueue(pod.clone())));
    let (placed, deciding) = timed(|| (0..size).map(|_| engine.decide()).collect::<Result<Vec<_>>>());
    let placed = placed?;
    let node_of = |pod: &berth_core::model::Pod| placed.iter().find(|(key, _)| *key == pod.key).map(|(_, node)| node);
    let placed: Vec<_> = pods.iter().filter_map(|pod| Some((pod, node_of(pod)?))).collect();
    let ((), binding) = timed(|| placed.iter().for_each(|(pod, node)| engine.bind(pod, node)));
    Ok(Round { pods: size, deciding, events: enqueuing + binding, questions: engine.take_questions() })
}

/// The CPU time that this thread takes for it.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let before = clock_gettime(ClockId::ThreadCPUTime);
    let result = run();
    let after = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = (after.tv_sec - before.tv_sec) * 1_000_000_000 + (after.tv_nsec - before.tv_nsec);
    (result, Duration::from_nanos(nanos.unsigned_abs()))
}

/// Median, least and most of a round's time for a pod, in µs.
fn spread(rounds: &[Round], time: fn(&Round) -> Duration) -> Value {
    let mut micros: Vec<f64> = rounds.iter().map(|round| time(round).as_secs_f64() * 1e6 / round.pods as f64).collect();
    micros.sort_by(f64::total_cmp);
    let rounded = |value: Option<&f64>| value.map(|value| (value * 100.0).round() / 100.0);
    json!({"median": rounded(micros.get(micros.len() / 2)), "least": rounded(micros.first()), "most": rounded(micros.last())})
}
