//! Very large clusters: memory of the process, and CPU time of a decision.
//!
//! Ten pods run on every node. The pods to place come from 50 templates in turn.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use berth_core::Options;
use berth_tests::engine::{Setup, WORKLOADS, WorkloadRun};
use serde_json::json;

use crate::round::{Round, round, spread};
use crate::{Lines, numbers};

const TEMPLATES: usize = 50;

/// Multiplies the running pods of the workload SchedulingBasic, which has one on every fifth node: ten on every
/// node.
const CROWD: usize = 50;

const BATCH: usize = 100;
const ROUNDS: usize = 7;

/// Measures each number of nodes in `BENCH_LARGE_NODES`. List the smallest number first, because memory is measured
/// for the whole process.
pub fn measure_all(lines: &mut Lines) -> Result<()> {
    for nodes in numbers("BENCH_LARGE_NODES", "5000 100000")? {
        measure(nodes, lines)?;
    }
    Ok(())
}

fn measure(nodes: usize, lines: &mut Lines) -> Result<()> {
    let workload = WORKLOADS.first().context("no workload")?.of_templates(TEMPLATES);
    let began = Instant::now();
    let mut run = WorkloadRun::with(
        workload,
        nodes,
        CROWD,
        Setup { verify_every: Options::default().verify_every, ..Setup::default() },
    )?;
    let filled = began.elapsed();
    let known = round(&mut run, 2 * TEMPLATES, WorkloadRun::next_pod)?;
    let rounds: Vec<Round> =
        (0..ROUNDS).map(|_| round(&mut run, BATCH, WorkloadRun::next_pod)).collect::<Result<_>>()?;
    let first: Vec<Round> =
        (0..ROUNDS).map(|_| round(&mut run, 1, WorkloadRun::first_of_signature)).collect::<Result<_>>()?;
    let held = run.engine.memory();
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    lines.write(&json!({
        "nodes": nodes, "running": nodes * 10, "templates": TEMPLATES, "fillSeconds": filled.as_secs_f64(),
        "residentMB": resident("VmRSS:")?, "peakMB": resident("VmHWM:")?,
        "componentsMB": megabytes(held.all), "largestComponentMB": megabytes(held.most),
        "microsecondsPerRepeated": spread(&rounds, |round| round.deciding),
        "microsecondsPerRepeatedWithEvents": spread(&rounds, |round| round.deciding + round.events),
        "microsecondsPerFirst": spread(&first, |round| round.deciding),
        "microsecondsPerFirstOfAll": known.deciding.as_secs_f64() * 1e6 / known.pods as f64,
    }))
}

/// Reads a line of this process's `/proc/self/status`. Returns MiB.
fn resident(line: &str) -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let value = status.lines().find_map(|text| text.strip_prefix(line)).and_then(|text| text.split_whitespace().next());
    Ok(value.context("no such line")?.parse::<f64>()? / 1024.0)
}
