//! Examines whether a plugin keeps the promises of the contract. A component goes through a thousand random changes
//! of a synthetic cluster, with the scheduler's own cache and feed, and is called for pods in between.
//!
//! [`words`], [`maker`], [`nodes`] and [`pods`] generate objects. [`world`] is the cluster. [`changes`] and
//! [`memory`] are the two examinations. [`bench`] calls the plugin and records each broken [`Promise`] as a
//! [`Finding`]. A seed determines everything.

mod answer;
mod bench;
mod changes;
mod classes;
mod compare;
mod finding;
mod maker;
mod memory;
mod nodes;
mod pods;
mod promise;
mod question;
mod scope;
mod skip;
mod variety;
mod words;
mod world;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

pub use self::answer::Answer;
use self::bench::Bench;
use self::changes::Changes;
pub use self::finding::{Finding, What};
pub use self::memory::MemoryUse;
pub use self::promise::Promise;
pub use self::variety::Variety;
use super::guest::thread_cpu_time;
use super::load::{LoadCause, LoadedComponent};
use berth_core::limits::Limits;

/// The settings of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The seed of the cluster, its changes and the pods.
    pub seed: u64,
    /// The minimum number of changes of the cluster.
    pub deltas: usize,
    /// The intended CPU time. A slow plugin is called for fewer pods; the number of changes stays the same.
    pub budget: Duration,
    /// Strings that the plugin looks for in labels and annotations, beyond those in its arguments. Generated objects
    /// contain them.
    pub words: Vec<Box<str>>,
}

impl Default for Examination {
    fn default() -> Self {
        Self { seed: 1, deltas: 1_000, budget: Duration::from_secs(1), words: Vec::new() }
    }
}

/// The result of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conformance {
    /// The broken promises; empty if there are none.
    pub findings: Vec<Finding>,
    /// The number of changes of the cluster.
    pub deltas: usize,
    /// The number of cycles.
    pub cycles: u64,
    /// The variety of its answers.
    pub variety: Variety,
    /// The result of the memory examination.
    pub memory: MemoryUse,
}

/// The number of pods per inspection.
const PODS: std::ops::RangeInclusive<usize> = 2..=6;

/// Examines a component with these arguments (JSON).
///
/// # Errors
/// The plugin refuses its arguments.
pub(super) fn examine(
    component: &LoadedComponent,
    arguments: &str,
    limits: &Arc<Limits>,
    examination: Examination,
) -> Result<Conformance, LoadCause> {
    let Examination { seed, deltas, budget, words } = examination;
    let mut bench = Bench::new(component, arguments, &words, limits)?;
    let (mut variety, mut memory) = (None, None);
    if let Ok(changes) = Changes::new(&mut bench, seed) {
        variety = changes.run(deltas, pods_per_look(deltas, budget)).ok();
    }
    // After a breakdown, the memory examination is skipped.
    if variety.is_some() {
        memory = memory::check(&mut bench, seed).ok();
    }
    Ok(Conformance {
        deltas: bench.deltas,
        cycles: bench.cycles,
        variety: variety.unwrap_or_default(),
        memory: memory.unwrap_or_default(),
        findings: bench.findings,
    })
}

/// Returns as many pods as half of the budget allows, by the cost of earlier inspections.
fn pods_per_look(deltas: usize, budget: Duration) -> impl Fn(usize) -> usize {
    let started = thread_cpu_time();
    let asked = Cell::new(0_u32);
    // There are 40 changes per inspection on average.
    let all = u32::try_from(deltas / 40).unwrap_or(u32::MAX).max(1);
    move |_| {
        let cost = thread_cpu_time().saturating_sub(started) / asked.get().max(1);
        let affordable = (budget / 2 / all).as_nanos() / cost.as_nanos().max(1);
        let pods = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(*PODS.start(), *PODS.end());
        asked.set(asked.get().saturating_add(pods as u32));
        pods
    }
}
