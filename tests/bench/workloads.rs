//! Named workloads: pods like those before, and pods like none before.

use std::env;

use anyhow::{Context, Result};
use berth_core::Options;
use berth_tests::engine::{Questions, Scene, Setup, WORKLOADS, Workload};
use serde_json::json;

use crate::round::{Round, round, spread};
use crate::{Lines, number, numbers};

/// Pods in a round.
const BATCH: usize = 100;

/// For inter-pod affinity, which may not grow with pods: so many times the usual number.
const CROWD: usize = 5;

/// Rounds in a row, then it is another cluster's turn: the machine is slower by half for moments, which are to be the same for all
/// sizes that are compared.
const IN_A_ROW: usize = 3;

/// Measures those that are wanted (`BENCH_WORKLOADS`; all, if none is named), at each number of nodes in turn, in
/// `BENCH_ENGINE_ROUNDS`, of which the median counts.
pub fn measure_all(lines: &mut Lines) -> Result<()> {
    let (nodes, times) = (numbers("BENCH_ENGINE_NODES", "500 5000 50000")?, number("BENCH_ENGINE_ROUNDS", 9)?);
    let wanted = env::var("BENCH_WORKLOADS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split_whitespace().any(|wanted| wanted == name);
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        let crowded = nodes.first().filter(|_| workload.name == "SchedulingPodAffinity").map(|nodes| (*nodes, CROWD));
        let sizes = nodes.iter().map(|nodes| (*nodes, 1)).chain(crowded);
        let mut clusters = sizes
            .map(|(nodes, crowd)| Measured::new(*workload, nodes, crowd))
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

/// A cluster of one size, and what pods cost there.
struct Measured {
    workload: Workload,
    nodes: usize,
    crowd: usize,
    scene: Scene,
    repeated: Vec<Round>,
    first: Vec<Round>,
}

impl Measured {
    /// Each template's first pod is placed here, and none of those that are measured.
    fn new(workload: Workload, nodes: usize, crowd: usize) -> Result<Self> {
        let setup = Setup {
            keeps_nothing: env::var_os("BENCH_ENGINE_KEEPS_NOTHING").is_some(),
            verify_every: Options::default().verify_every,
            ..Setup::default()
        };
        let mut scene = Scene::with(workload, nodes, crowd, setup)?;
        round(&mut scene, BATCH.max(workload.templates), Scene::next_pod)?;
        Ok(Self { workload, nodes, crowd, scene, repeated: Vec::new(), first: Vec::new() })
    }

    /// A round of pods like those before.
    fn place_known(&mut self) -> Result<()> {
        let round = round(&mut self.scene, batch(self.workload, self.nodes), Scene::next_pod);
        self.repeated.push(round.with_context(|| self.workload.name)?);
        Ok(())
    }

    /// A pod like none before.
    fn place_first(&mut self) -> Result<()> {
        let round = round(&mut self.scene, 1, Scene::first_of_template);
        self.first.push(round.with_context(|| self.workload.name)?);
        Ok(())
    }

    fn write(&self, lines: &mut Lines) -> Result<()> {
        self.line("repeated", &self.repeated, lines)?;
        self.line("first", &self.first, lines)
    }

    fn line(&self, case: &str, rounds: &[Round], lines: &mut Lines) -> Result<()> {
        let pods: usize = rounds.iter().map(|round| round.pods).sum();
        let over = |figure: fn(&Questions) -> u64| {
            rounds.iter().map(|round| figure(&round.questions)).sum::<u64>() as f64 / pods as f64
        };
        lines.write(&json!({
            "workload": self.workload.name, "case": case, "nodes": self.nodes, "templates": self.workload.templates,
            "crowd": self.crowd,
            "microsecondsPerPod": spread(rounds, |round| round.deciding),
            "microsecondsPerPodWithEvents": spread(rounds, |round| round.deciding + round.events),
            "callsPerPod": over(Questions::all_calls), "nodesAskedPerPod": over(Questions::all_nodes),
        }))
    }
}

/// Anti-affinity wants a node for each pod.
fn batch(workload: Workload, nodes: usize) -> usize {
    if workload.name == "SchedulingPodAntiAffinity" { BATCH.min(nodes / 20) } else { BATCH }
}
