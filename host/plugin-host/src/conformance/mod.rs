//! What a guest must hold, put to the test: a component is taken through a thousand random changes of a made-up cluster, by
//! way of the cache and the feed that a scheduler has, and asked about pods all the while.
//!
//! The way through: [`words`], [`maker`], [`nodes`] and [`pods`] make objects up; [`world`] is the cluster; [`changes`] and
//! [`memory`] are the two examinations; [`bench`] asks the plugin and writes down each broken [`Promise`] as a [`Finding`].
//! Everything follows from a seed.

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

/// How a component is examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// What the cluster, its changes and the pods follow from.
    pub seed: u64,
    /// Changes of the cluster, at least.
    pub deltas: usize,
    /// CPU time that it should take: a slow plugin is asked about fewer pods, never led through fewer changes.
    pub budget: Duration,
    /// What the plugin looks for in labels and annotations, besides what its arguments name: objects are made of it, too.
    pub words: Vec<Box<str>>,
}

impl Default for Examination {
    fn default() -> Self {
        Self { seed: 1, deltas: 1_000, budget: Duration::from_secs(1), words: Vec::new() }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conformance {
    /// Promises that it broke; none where all is well.
    pub findings: Vec<Finding>,
    /// Changes of the cluster that it was taken through.
    pub deltas: usize,
    /// Cycles that it was asked in.
    pub cycles: u64,
    /// How different its answers were.
    pub variety: Variety,
    /// What its memory did.
    pub memory: MemoryUse,
}

/// Pods that are asked about at one look.
const PODS: std::ops::RangeInclusive<usize> = 2..=6;

/// Examines a component with these arguments (JSON).
///
/// # Errors
/// It refuses its arguments.
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
    // Of one that broke down, nothing more is to be learnt.
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

/// As many as half of the budget allows, by what the looks before have cost.
fn pods_per_look(deltas: usize, budget: Duration) -> impl Fn(usize) -> usize {
    let started = thread_cpu_time();
    let asked = Cell::new(0_u32);
    // A look comes after 40 changes, on average.
    let all = u32::try_from(deltas / 40).unwrap_or(u32::MAX).max(1);
    move |_| {
        let cost = thread_cpu_time().saturating_sub(started) / asked.get().max(1);
        let affordable = (budget / 2 / all).as_nanos() / cost.as_nanos().max(1);
        let pods = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(*PODS.start(), *PODS.end());
        asked.set(asked.get().saturating_add(pods as u32));
        pods
    }
}
