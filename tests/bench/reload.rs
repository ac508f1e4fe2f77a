//! Exchange of components under load: measures how long an exchange stops the scheduling of pods.
//!
//! Pods are placed one after the other while a plugin's file changes. The host compiles, tests and fills the new
//! version in the background, and then replaces the old version. The gap is the time that the deciding thread spends on
//! the exchange between two cycles. The first cycle after an exchange asks the new component about every node, as for a
//! new pod signature.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use berth_core::Options;
use berth_core::model::Pod;
use berth_tests::engine::{Setup, WORKLOADS, WorkloadRun};
use serde_json::{Value, json};

use crate::round::{round, spread_of, timed};
use crate::{Lines, number};

/// The number of pods from this run that exist at a time. The oldest pod is removed to make room.
const RUNNING: usize = 1_000;

/// The time from one pod to the next. This rate is higher than an API server can take. It still lets the new
/// component, which is filled at low priority, catch up.
const INTERVAL: Duration = Duration::from_millis(1);

/// The maximum time until a new component serves.
const PATIENCE: Duration = Duration::from_secs(300);

/// The number of first evaluations that are measured.
const FIRSTS: usize = 15;

/// Measures `BENCH_RELOADS` exchanges of the component `BENCH_RELOAD_COMPONENT`. The cluster has
/// `BENCH_RELOAD_NODES` nodes with `BENCH_RELOAD_PODS` pods on each.
pub fn measure(lines: &mut Lines) -> Result<()> {
    let (nodes, pods) = (number("BENCH_RELOAD_NODES", 5_000)?, number("BENCH_RELOAD_PODS", 20)?);
    let file = env::var("BENCH_RELOAD_COMPONENT").unwrap_or_else(|_| "inter-pod-affinity.wasm".to_owned());
    let built_in = berth::default_plugins();
    let component = built_in.iter().find(|built_in| built_in.file == file).with_context(|| file.clone())?;
    let folder = tempfile::tempdir()?;
    let (plugins, compiled) = (folder.path().join("plugins"), folder.path().join("compiled"));
    fs::create_dir(&plugins)?;
    let setup = Setup {
        verify_every: Options::default().verify_every,
        plugins_dir: Some(plugins.clone()),
        cache_dir: Some(compiled),
        ..Setup::default()
    };
    // In this workload, every fifth node has a pod.
    let workload = *WORKLOADS.first().context("no workload")?;
    let run = WorkloadRun::with(workload, nodes, 5 * pods, setup)?;
    let mut load = Load { run, running: VecDeque::new(), gaps: Vec::new(), after: Vec::new() };
    round(&mut load.run, 1, WorkloadRun::next_pod)?;
    let firsts: Vec<Duration> = (0..FIRSTS)
        .map(|_| Ok(round(&mut load.run, 1, WorkloadRun::first_of_signature)?.deciding))
        .collect::<Result<_>>()?;
    let exchanges = number("BENCH_RELOADS", 100)?;
    for version in 0..exchanges {
        write_version(&plugins.join(&file), component.bytes, version)?;
        load.until_exchanged().with_context(|| format!("exchange {version}"))?;
    }
    lines.write(&json!({
        "component": file, "nodes": nodes, "running": nodes * pods, "exchanges": exchanges, "gaps": load.gaps.len(),
        "gapMicroseconds": shares(load.gaps.iter().map(|gap| gap.wall)),
        "gapCpuMicroseconds": shares(load.gaps.iter().map(|gap| gap.cpu)),
        "firstEvaluationMicroseconds": spread_of(firsts.into_iter().map(micros)),
        "firstCycleAfterMicroseconds": spread_of(load.after.into_iter().map(micros)),
    }))
}

/// Writes a component with different bytes and the same behavior, by appending a custom section, which only tools
/// read.
fn write_version(path: &Path, component: &[u8], version: usize) -> Result<()> {
    let note = version.to_string();
    let name = b"version";
    let length = u8::try_from(1 + name.len() + note.len())?;
    let custom: &[u8] = &[0, length, u8::try_from(name.len())?];
    // The complete file is renamed into place, so that the loader never sees a partial file.
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, [component, custom, name, note.as_bytes()].concat())?;
    Ok(fs::rename(unfinished, path)?)
}

/// The time that the deciding thread spent on one delivery between two cycles.
struct Gap {
    wall: Duration,
    cpu: Duration,
}

/// Places pods one after the other and records the gaps.
struct Load {
    run: WorkloadRun,
    running: VecDeque<Arc<Pod>>,
    gaps: Vec<Gap>,
    /// The CPU time of the first cycle after each exchange.
    after: Vec<Duration>,
}

impl Load {
    /// Places pods until the new component serves, and then one more pod.
    fn until_exchanged(&mut self) -> Result<()> {
        let patience = Instant::now() + PATIENCE;
        loop {
            let next = Instant::now() + INTERVAL;
            self.place()?;
            if let Some(delivery) = self.run.engine.next_delivery(next.saturating_duration_since(Instant::now())) {
                let began = Instant::now();
                let (exchanged, cpu) = timed(|| self.run.engine.take(delivery));
                self.gaps.push(Gap { wall: began.elapsed(), cpu });
                if exchanged {
                    let deciding = self.place()?;
                    self.after.push(deciding);
                    return Ok(());
                }
            }
            ensure!(Instant::now() < patience, "no new component serves");
        }
    }

    /// Places a pod. Returns the CPU time of its cycle.
    fn place(&mut self) -> Result<Duration> {
        let pod = self.run.next_pod()?;
        self.run.engine.enqueue(Arc::clone(&pod));
        let (placed, deciding) = timed(|| self.run.engine.decide());
        self.run.engine.bind(&pod, &placed?.1);
        self.running.push_back(pod);
        if self.running.len() > RUNNING
            && let Some(oldest) = self.running.pop_front()
        {
            self.run.engine.remove(&oldest);
        }
        Ok(deciding)
    }
}

fn micros(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e8).round() / 100.0
}

/// Returns the 50th and 99th percentile and the maximum, in µs.
fn shares(times: impl Iterator<Item = Duration>) -> Value {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    let at = |share: f64| {
        times.get(((times.len() as f64 * share).ceil() as usize).saturating_sub(1)).map(|time| micros(*time))
    };
    json!({"p50": at(0.5), "p99": at(0.99), "most": at(1.0)})
}
