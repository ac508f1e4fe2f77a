//! The cost of WebAssembly: compares the same plugin code as a component and as native code, and measures the share
//! of a decision that is spent in components.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_tests::engine::{Setup, WORKLOADS, WorkloadRun};
use serde_json::json;

use crate::native::{Asker, FIRSTS, OF_EACH_POD};
use crate::round::{Round, round, spread_of};
use crate::{Lines, number};

/// The number of rounds: of first pods of new templates, and then of pods of known templates.
const ROUNDS: usize = 25;

/// The number of pods in a round of known templates.
const BATCH: usize = 100;

/// Measures in a cluster of `BENCH_PRICE_NODES` nodes. Components in the directory `BENCH_PRICE_PLUGINS` replace
/// the built-in components with the same names, to compare builds.
pub fn measure(lines: &mut Lines) -> Result<()> {
    let nodes = number("BENCH_PRICE_NODES", 5_000)?;
    measure_firsts(lines, nodes)?;
    measure_repeated(lines, nodes)
}

/// Measures the first pod of a template, for which each plugin is asked about all nodes.
fn measure_firsts(lines: &mut Lines, nodes: usize) -> Result<()> {
    let workload = *WORKLOADS.first().context("no workload")?;
    // With the result cache on, a pod that is new to one plugin can be known to another. Without the cache, every
    // pod is new to every plugin.
    let anew = Setup { without_result_cache: true, ..timed() };
    let mut run = WorkloadRun::with(workload, nodes, 0, anew)?;
    round(&mut run, 1, WorkloadRun::first_of_signature)?;
    let mut natives: Vec<Asker> = FIRSTS.iter().map(|plugin| (plugin.start)(nodes)).collect();
    let (mut components, mut native) = (Vec::new(), vec![Vec::new(); FIRSTS.len()]);
    // Components and native code take turns, because the machine's speed varies over time.
    for number in 0..ROUNDS {
        components.push(round(&mut run, 1, WorkloadRun::first_of_signature)?);
        native.iter_mut().zip(&mut natives).for_each(|(times, ask)| times.push(ask(number)));
    }
    let (mut all_native, mut all) = (0.0, 0.0);
    for (plugin, native) in FIRSTS.iter().zip(&native) {
        let component = of_plugin(&components, plugin.name);
        let (least_native, least) = (least(native), least(&component));
        (all_native, all) = (all_native + least_native, all + least);
        lines.write(&json!({
            "case": "first", "plugin": plugin.name, "nodes": nodes,
            "nativeMicroseconds": spread_of(native.iter().map(micros)),
            "componentMicroseconds": spread_of(component.iter().map(micros)),
            "ratio": least / least_native, "nanosecondsPerNode": least * 1e3 / nodes as f64,
        }))?;
    }
    lines.write(&json!({
        "case": "first", "plugin": "", "nodes": nodes,
        "nativeMicroseconds": spread_of([all_native]), "componentMicroseconds": spread_of([all]),
        "ratio": all / all_native, "nanosecondsPerNode": all * 1e3 / nodes as f64,
    }))
}

fn measure_repeated(lines: &mut Lines, nodes: usize) -> Result<()> {
    let workload = *WORKLOADS.first().context("no workload")?;
    let mut run = WorkloadRun::with(workload, nodes, 0, timed())?;
    round(&mut run, BATCH, WorkloadRun::next_pod)?;
    let mut natives: Vec<Asker> = OF_EACH_POD.iter().map(|plugin| (plugin.start)(nodes)).collect();
    let (mut repeated, mut native) = (Vec::new(), vec![Vec::new(); OF_EACH_POD.len()]);
    for number in 0..ROUNDS {
        repeated.push(round(&mut run, BATCH, WorkloadRun::next_pod)?);
        for (times, ask) in native.iter_mut().zip(&mut natives) {
            times.extend((number * BATCH..(number + 1) * BATCH).map(|pod| micros(&ask(pod))));
        }
    }
    let mut calls = BTreeMap::<&str, u64>::new();
    for round in &repeated {
        round.calls.calls.iter().for_each(|(name, count)| *calls.entry(name).or_default() += count);
    }
    let mut beyond_native = 0.0;
    for (name, calls) in calls.into_iter().filter(|(_, calls)| *calls > 0) {
        let component: Vec<f64> = of_plugin(&repeated, name).iter().map(|time| micros(time) / BATCH as f64).collect();
        // Without native code to compare with, the whole time of the component counts as the cost of WebAssembly.
        let measured = OF_EACH_POD.iter().zip(&native).find(|(plugin, _)| plugin.name == name);
        let native = measured.map_or(&[][..], |(_, times)| times);
        beyond_native += (median(&component) - median(native)).max(0.0);
        lines.write(&json!({
            "case": "repeated", "plugin": name, "nodes": nodes, "callsPerPod": calls as f64 / (ROUNDS * BATCH) as f64,
            "nativeMicroseconds": spread_of(native.iter().copied()), "componentMicroseconds": spread_of(component),
        }))?;
    }
    let asking = |round: &Round| round.calls.time.values().sum::<Duration>();
    let decisions: Vec<f64> = repeated.iter().map(|round| micros(&round.deciding) / BATCH as f64).collect();
    lines.write(&json!({
        "case": "repeated", "plugin": "", "nodes": nodes,
        "componentMicroseconds": spread_of(repeated.iter().map(|round| micros(&asking(round)) / BATCH as f64)),
        "shareOfComponents": spread_of(repeated.iter().map(|round| asking(round).as_secs_f64() / round.deciding.as_secs_f64())),
        "shareOfWebAssembly": beyond_native / median(&decisions),
        "decisionMicroseconds": spread_of(decisions),
    }))
}

fn timed() -> Setup {
    let plugins_dir = std::env::var_os("BENCH_PRICE_PLUGINS").map(Into::into);
    Setup { measures_time: true, plugins_dir, ..Setup::default() }
}

/// Returns the time that the plugin took in each round.
fn of_plugin(rounds: &[Round], name: &str) -> Vec<Duration> {
    rounds.iter().map(|round| round.calls.time.get(name).copied().unwrap_or_default()).collect()
}

fn micros(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Returns the shortest time in µs, which other work on the machine disturbs least.
fn least(times: &[Duration]) -> f64 {
    times.iter().map(micros).fold(f64::INFINITY, f64::min)
}

/// Returns the median, or 0 if there are no figures.
fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
