//! A round of pods, by the CPU time of the thread that decides.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use berth_core::model::Pod;
use berth_tests::engine::{Questions, Scene};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// What a round came to.
pub struct Round {
    /// How many pods it placed.
    pub pods: usize,
    /// CPU time of the cycles.
    pub deciding: Duration,
    /// Of what the core was told besides: the pods, and what became of them.
    pub events: Duration,
    /// What the core asked meanwhile.
    pub questions: Questions,
}

/// Places so many pods, the `next` of the scene.
///
/// # Errors
/// One can't be read, or was not placed.
pub fn round(scene: &mut Scene, size: usize, next: fn(&mut Scene) -> Result<Arc<Pod>>) -> Result<Round> {
    let pods: Vec<_> = (0..size).map(|_| next(scene)).collect::<Result<_>>()?;
    let engine = &mut scene.engine;
    engine.take_questions();
    let ((), enqueuing) = timed(|| pods.iter().for_each(|pod| engine.enqueue(pod.clone())));
    let (placed, deciding) = timed(|| (0..size).map(|_| engine.decide()).collect::<Result<Vec<_>>>());
    let placed = placed?;
    let node_of = |pod: &Pod| placed.iter().find(|(key, _)| *key == pod.key).map(|(_, node)| node);
    let placed: Vec<_> = pods.iter().filter_map(|pod| Some((pod, node_of(pod)?))).collect();
    let ((), binding) = timed(|| placed.iter().for_each(|(pod, node)| engine.bind(pod, node)));
    engine.take_deliveries();
    Ok(Round { pods: size, deciding, events: enqueuing + binding, questions: engine.take_questions() })
}

/// The CPU time that this thread takes for it.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let before = clock_gettime(ClockId::ThreadCPUTime);
    let result = run();
    let after = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = (after.tv_sec - before.tv_sec) * 1_000_000_000 + (after.tv_nsec - before.tv_nsec);
    (result, Duration::from_nanos(nanos.unsigned_abs()))
}

/// Median, least and most of a round's time for a pod, in µs.
pub fn spread(rounds: &[Round], time: fn(&Round) -> Duration) -> Value {
    spread_of(rounds.iter().map(|round| time(round).as_secs_f64() * 1e6 / round.pods as f64))
}

/// Median, least and most of some figures.
pub fn spread_of(figures: impl IntoIterator<Item = f64>) -> Value {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    let rounded = |value: Option<&f64>| value.map(|value| (value * 100.0).round() / 100.0);
    json!({"median": rounded(figures.get(figures.len() / 2)), "least": rounded(figures.first()), "most": rounded(figures.last())})
}
