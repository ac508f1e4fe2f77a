//! What WebAssembly costs: the same plugins' code as components and as native code, side by side, and how much of a
//! decision is spent in components at all.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_tests::engine::{Scene, Setup, WORKLOADS};
use serde_json::json;

use crate::native::PLUGINS;
use crate::round::{Round, round, spread_of};
use crate::{Lines, number};

/// New templates; and then rounds of pods of known ones.
const ROUNDS: usize = 25;

/// Pods in such a round.
const BATCH: usize = 100;

/// Measures in a cluster of `BENCH_PRICE_NODES` nodes.
pub fn measure(lines: &mut Lines) -> Result<()> {
    let nodes = number("BENCH_PRICE_NODES", 1_000)?;
    let workload = *WORKLOADS.first().context("no workload")?;
    let timed = Setup { times_questions: true, ..Setup::default() };
    // A pod that is new to one plugin need not be so to another: where nothing is kept, it always is.
    let anew = Setup { keeps_nothing: true, ..timed.clone() };
    let mut scene = Scene::with(workload, nodes, 0, anew)?;
    round(&mut scene, 1, Scene::first_of_template)?;
    let firsts: Vec<Round> =
        (0..ROUNDS).map(|_| round(&mut scene, 1, Scene::first_of_template)).collect::<Result<_>>()?;
    for plugin in PLUGINS {
        let native = (plugin.firsts)(nodes, ROUNDS);
        let component = of_plugin(&firsts, plugin.name);
        let (least_native, least) = (least(&native), least(&component));
        if least == 0.0 {
            // Its answers are those about another template, which were kept all the same.
            continue;
        }
        lines.write(&json!({
            "case": "first", "plugin": plugin.name, "nodes": nodes,
            "nativeMicroseconds": spread_of(native.iter().map(micros)),
            "componentMicroseconds": spread_of(component.iter().map(micros)),
            "ratio": least / least_native, "nanosecondsPerNode": least * 1e3 / nodes as f64,
        }))?;
    }
    let mut scene = Scene::with(workload, nodes, 0, timed)?;
    round(&mut scene, BATCH, Scene::next_pod)?;
    let repeated: Vec<Round> = (0..ROUNDS).map(|_| round(&mut scene, BATCH, Scene::next_pod)).collect::<Result<_>>()?;
    let mut calls = BTreeMap::<&str, u64>::new();
    for round in &repeated {
        round.questions.calls.iter().for_each(|(name, count)| *calls.entry(name).or_default() += count);
    }
    for (name, calls) in calls.into_iter().filter(|(_, calls)| *calls > 0) {
        lines.write(&json!({
            "case": "repeated", "plugin": name, "nodes": nodes, "callsPerPod": calls as f64 / (ROUNDS * BATCH) as f64,
            "componentMicroseconds": spread_of(of_plugin(&repeated, name).iter().map(|time| micros(time) / BATCH as f64)),
        }))?;
    }
    let asking = |round: &Round| round.questions.time.values().sum::<Duration>();
    lines.write(&json!({
        "case": "repeated", "plugin": "", "nodes": nodes,
        "decisionMicroseconds": spread_of(repeated.iter().map(|round| micros(&round.deciding) / BATCH as f64)),
        "componentMicroseconds": spread_of(repeated.iter().map(|round| micros(&asking(round)) / BATCH as f64)),
        "shareOfComponents": spread_of(repeated.iter().map(|round| asking(round).as_secs_f64() / round.deciding.as_secs_f64())),
    }))
}

/// How long the plugin took in each round.
fn of_plugin(rounds: &[Round], name: &str) -> Vec<Duration> {
    rounds.iter().map(|round| round.questions.time.get(name).copied().unwrap_or_default()).collect()
}

fn micros(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// What is least disturbed by whatever else the machine does.
fn least(times: &[Duration]) -> f64 {
    times.iter().map(micros).fold(f64::INFINITY, f64::min)
}
