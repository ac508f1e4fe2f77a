//! Measures a round of pods by the CPU time of the deciding thread.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use berth_core::model::Pod;
use berth_tests::engine::{CallCounts, WorkloadRun};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// The measurements of one round.
pub struct Round {
    /// The number of pods that were placed.
    pub pods: usize,
    /// The CPU time of the scheduling cycles.
    pub deciding: Duration,
    /// The CPU time of the other events: adding the pods to the queue, and their bindings.
    pub events: Duration,
    /// The calls from the core into the plugins during the cycles.
    pub calls: CallCounts,
}

/// Places `size` pods, which `next` takes from the run, and measures the CPU time.
///
/// # Errors
/// Returns an error if a pod can't be read, or was not placed.
pub fn round(run: &mut WorkloadRun, size: usize, next: fn(&mut WorkloadRun) -> Result<Arc<Pod>>) -> Result<Round> {
    let pods: Vec<_> = (0..size).map(|_| next(run)).collect::<Result<_>>()?;
    let engine = &mut run.engine;
    engine.take_calls();
    let ((), enqueuing) = timed(|| pods.iter().for_each(|pod| engine.enqueue(pod.clone())));
    let (placed, deciding) = timed(|| (0..size).map(|_| engine.decide()).collect::<Result<Vec<_>>>());
    let placed = placed?;
    let node_of = |pod: &Pod| placed.iter().find(|(key, _)| *key == pod.key).map(|(_, node)| node);
    let scheduled: Vec<_> = pods.iter().filter_map(|pod| Some((pod, node_of(pod)?))).collect();
    let ((), binding) = timed(|| scheduled.iter().for_each(|(pod, node)| engine.bind(pod, node)));
    engine.take_deliveries();
    Ok(Round { pods: size, deciding, events: enqueuing + binding, calls: engine.take_calls() })
}

/// Returns the result of `run` and the CPU time that this thread spent on it.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let before = clock_gettime(ClockId::ThreadCPUTime);
    let result = run();
    let after = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = (after.tv_sec - before.tv_sec) * 1_000_000_000 + (after.tv_nsec - before.tv_nsec);
    (result, Duration::from_nanos(nanos.unsigned_abs()))
}

/// Returns median, minimum and maximum of the time per pod, in µs.
pub fn spread(rounds: &[Round], time: fn(&Round) -> Duration) -> Value {
    spread_of(rounds.iter().map(|round| time(round).as_secs_f64() * 1e6 / round.pods as f64))
}

/// Returns median, minimum and maximum of the figures, rounded to two decimals.
pub fn spread_of(figures: impl IntoIterator<Item = f64>) -> Value {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    let rounded = |value: Option<&f64>| value.map(|value| (value * 100.0).round() / 100.0);
    json!({"median": rounded(figures.get(figures.len() / 2)), "least": rounded(figures.first()), "most": rounded(figures.last())})
}
