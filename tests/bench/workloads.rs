//! Named workloads: measures pods of known templates, and first pods of new templates.

use std::env;

use anyhow::{Context, Result};
use berth_core::Options;
use berth_tests::engine::{CallCounts, Setup, WORKLOADS, Workload, WorkloadRun};
use serde_json::json;

use crate::round::{Round, round, spread};
use crate::{Lines, number, numbers};

/// The number of pods in a round.
const BATCH: usize = 100;

/// Multiplies the running pods of one cluster of SchedulingPodAffinity: the cost of inter-pod affinity must not
/// grow with the number of pods.
const CROWD: usize = 5;

/// The number of rounds in a row before the next cluster has its turn. Clusters take turns, because the machine's speed
/// can drop by half for moments, and such a moment must affect all compared sizes.
const IN_A_ROW: usize = 3;

/// Measures the workloads in `BENCH_WORKLOADS` (all, if unset), at each number of nodes in `BENCH_ENGINE_NODES`.
/// Each workload is measured in `BENCH_ENGINE_ROUNDS` rounds, of which the median counts.
pub fn measure_all(lines: &mut Lines) -> Result<()> {
    let (nodes, times) = (numbers("BENCH_ENGINE_NODES", "500 5000 50000")?, number("BENCH_ENGINE_ROUNDS", 9)?);
    let wanted = env::var("BENCH_WORKLOADS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split_whitespace().any(|wanted| wanted == name);
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        let crowded = nodes.first().filter(|_| workload.name == "SchedulingPodAffinity").map(|nodes| (*nodes, CROWD));
        let sizes = nodes.iter().map(|nodes| (*nodes, 1)).chain(crowded);
        let mut clusters = sizes
            .map(|(nodes, pods_factor)| Measured::new(*workload, nodes, pods_factor))
            .collect::<Result<Vec<_>>>()
            .with_context(|| workload.name)?;
        in_turn(&mut clusters, times, Measured::place_known)?;
        in_turn(&mut clusters, times, Measured::place_first)?;
        clusters.iter().try_for_each(|cluster| cluster.write(lines))?;
    }
    Ok(())
}

fn in_turn(clusters: &mut [Measured], times: usize, place: fn(&mut Measured) -> Result<()>) -> Result<()> {
    for done in (0..times).step_by(IN_A_ROW) {
        for cluster in &mut *clusters {
            (done..times).take(IN_A_ROW).try_for_each(|_| place(cluster))?;
        }
    }
    Ok(())
}

/// A cluster of one size, with the rounds that were measured there.
struct Measured {
    workload: Workload,
    nodes: usize,
    pods_factor: usize,
    run: WorkloadRun,
    repeated: Vec<Round>,
    first: Vec<Round>,
}

impl Measured {
    /// Starts the cluster and places the first pod of each template. These pods are not measured.
    fn new(workload: Workload, nodes: usize, pods_factor: usize) -> Result<Self> {
        let setup = Setup {
            without_result_cache: env::var_os("BENCH_ENGINE_KEEPS_NOTHING").is_some(),
            verify_every: Options::default().verify_every,
            ..Setup::default()
        };
        let mut run = WorkloadRun::with(workload, nodes, pods_factor, setup)?;
        round(&mut run, BATCH.max(workload.templates), WorkloadRun::next_pod)?;
        Ok(Self { workload, nodes, pods_factor, run, repeated: Vec::new(), first: Vec::new() })
    }

    /// Measures a round of pods whose templates are known.
    fn place_known(&mut self) -> Result<()> {
        let round = round(&mut self.run, batch(self.workload, self.nodes), WorkloadRun::next_pod);
        self.repeated.push(round.with_context(|| self.workload.name)?);
        Ok(())
    }

    /// Measures the first pod of a new template.
    fn place_first(&mut self) -> Result<()> {
        let round = round(&mut self.run, 1, WorkloadRun::first_of_signature);
        self.first.push(round.with_context(|| self.workload.name)?);
        Ok(())
    }

    fn write(&self, lines: &mut Lines) -> Result<()> {
        self.line("repeated", &self.repeated, lines)?;
        self.line("first", &self.first, lines)
    }

    fn line(&self, case: &str, rounds: &[Round], lines: &mut Lines) -> Result<()> {
        let pods: usize = rounds.iter().map(|round| round.pods).sum();
        let over = |figure: fn(&CallCounts) -> u64| {
            rounds.iter().map(|round| figure(&round.calls)).sum::<u64>() as f64 / pods as f64
        };
        lines.write(&json!({
            "workload": self.workload.name, "case": case, "nodes": self.nodes, "templates": self.workload.templates,
            "podsFactor": self.pods_factor,
            "microsecondsPerPod": spread(rounds, |round| round.deciding),
            "microsecondsPerPodWithEvents": spread(rounds, |round| round.deciding + round.events),
            "callsPerPod": over(CallCounts::all_calls), "nodesAskedPerPod": over(CallCounts::all_nodes),
        }))
    }
}

/// Returns the size of a round. Required anti-affinity takes a node per pod, so its rounds are smaller in small
/// clusters.
fn batch(workload: Workload, nodes: usize) -> usize {
    if workload.name == "SchedulingPodAntiAffinity" { BATCH.min(nodes / 20) } else { BATCH }
}
