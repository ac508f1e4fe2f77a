//! Checks whether a component keeps the contract: the conformance check, and the rest of `berth plugin check`.
//!
//! - In: the file of a component, its arguments, the limits, and an [`Examination`] with its seed.
//! - Out: a [`CheckReport`] with what the component declares and costs, and a [`Conformance`] with each broken
//!   [`Promise`] of the contract as a [`Finding`]. [`Solo`] calls one component with a given cluster.
//! - Never: no scheduler runs, and no component serves. The crate makes no promise of its own: the contract is in
//!   `wit/`. The seed and the number of pods per inspection determine the changes and the calls; the number of pods
//!   depends on the CPU time that the plugin needs.
//!
//! In the examination, a component receives random changes of a synthetic cluster (by default, 1000 changes). The
//! examination uses the scheduler's own cache and feed. After every few changes, an inspection calls the component for
//! some pods. [`words`], [`maker`], [`named`], [`nodes`] and [`pods`] generate objects. [`world`] is the cluster. [`changes`] and
//! [`memory`] are the two parts of the examination. [`bench`] calls the plugin and records each finding.

mod answer;
mod bench;
mod changes;
mod check;
mod classes;
mod compare;
mod finding;
mod maker;
mod memory;
mod named;
mod nodes;
mod pods;
mod promise;
mod question;
mod scope;
mod skip;
mod solo;
mod variety;
mod words;
mod world;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

pub use self::answer::Answer;
use self::bench::Bench;
use self::changes::Changes;
pub use self::check::{CHECK_NODES, CheckReport, check};
pub use self::finding::{Finding, Violation};
pub use self::memory::MemoryUse;
pub use self::promise::Promise;
pub use self::solo::{NodeAnswer, Solo};
pub use self::variety::Variety;
use berth_core::grants::Grants;
use berth_core::limits::Limits;
use berth_plugin_host::examine::thread_cpu_time;
use berth_plugin_host::{LoadCause, LoadedComponent};

/// The settings of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The seed of the cluster, its changes and the pods.
    pub seed: u64,
    /// The minimum number of changes of the cluster.
    pub deltas: usize,
    /// The intended CPU time of the examination. A slow plugin is called for fewer pods, but receives at least
    /// `deltas` changes. So the examination of a slow plugin can take longer.
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
    /// The number of cycles in which the plugin was called.
    pub cycles: u64,
    /// The variety of the plugin's answers; the default if the examination through changes ended early.
    pub variety: Variety,
    /// The grants that the plugin needs for what it reads, and for what it asked for during the examination.
    pub needs: Grants,
    /// The result of the memory examination; the default if one of the two parts ended early.
    pub memory: MemoryUse,
}

/// The number of pods per inspection.
const PODS: std::ops::RangeInclusive<usize> = 2..=6;

/// Examines a component with these arguments (JSON).
///
/// # Errors
/// The plugin can't be started, refuses its arguments, or returns an invalid declaration.
fn examine(
    component: &LoadedComponent,
    arguments: &str,
    limits: &Arc<Limits>,
    examination: Examination,
) -> Result<Conformance, LoadCause> {
    let Examination { seed, deltas, budget, words } = examination;
    let mut bench = Bench::new(component, arguments, &words, limits)?;
    let (mut variety, mut memory) = (None, None);
    if let Ok(changes) = Changes::new(&mut bench, seed) {
        variety = changes.run(deltas, pods_per_inspection(deltas, budget)).ok();
    }
    // Without a variety, the plugin trapped or exceeded a limit, so the memory examination is skipped.
    if variety.is_some() {
        memory = memory::check(&mut bench, seed).ok();
    }
    Ok(Conformance {
        deltas: bench.deltas,
        cycles: bench.cycles,
        variety: variety.unwrap_or_default(),
        memory: memory.unwrap_or_default(),
        needs: bench.needs,
        findings: bench.findings,
    })
}

/// Returns a function that computes the number of pods of the next inspection. All inspections together take about half
/// of the budget, by the CPU time per pod so far. The number stays within [`PODS`].
fn pods_per_inspection(deltas: usize, budget: Duration) -> impl Fn(usize) -> usize {
    let started = thread_cpu_time();
    let examined_pods = Cell::new(0_u32);
    // The number of inspections: there are 40 changes per inspection on average.
    let all = u32::try_from(deltas / 40).unwrap_or(u32::MAX).max(1);
    move |_| {
        let cost = thread_cpu_time().saturating_sub(started) / examined_pods.get().max(1);
        let affordable = (budget / 2 / all).as_nanos() / cost.as_nanos().max(1);
        let pods = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(*PODS.start(), *PODS.end());
        examined_pods.set(examined_pods.get().saturating_add(pods as u32));
        pods
    }
}
