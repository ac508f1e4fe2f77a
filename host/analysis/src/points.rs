//! A cluster over time: a few numbers for each of many moments, for charts.

use std::collections::BTreeMap;

use berth_core::queue::SubQueue;
use berth_core::{Core, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resources whose utilization charts show.
const CHARTED: [&str; 2] = ["cpu", "memory"];

/// A cluster and its scheduler at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPoint {
    /// The time, in milliseconds since 1970.
    pub at: u64,
    /// The number of pods with a node.
    pub pods: usize,
    /// The number of pending pods in each sub-queue: `active`, `backoff`, `unschedulable` and `gated`.
    pub pending: BTreeMap<String, usize>,
    /// The number of scheduling cycles since the start of the scheduler.
    pub cycles: u64,
    /// For `cpu` and `memory`: the requests of all pods, as a part of what all nodes can allocate. Without such a resource, a
    /// name is absent.
    pub utilization: BTreeMap<String, f64>,
}

impl ClusterPoint {
    /// Returns the point of a core at a time.
    #[must_use]
    pub fn of(core: &Core, at: Timestamp) -> Self {
        let mut sums = [(0, 0); CHARTED.len()];
        for info in core.cache().nodes() {
            let (requested, allocatable) = (&info.usage.requested, &info.node.allocatable);
            let amounts = [(requested.milli_cpu, allocatable.milli_cpu), (requested.memory, allocatable.memory)];
            for ((used, all), (requested, allocatable)) in sums.iter_mut().zip(amounts) {
                *used += i128::from(requested);
                *all += i128::from(allocatable);
            }
        }
        let utilization = CHARTED.into_iter().zip(sums).filter(|(_, (_, all))| *all > 0);
        Self {
            at: at.0,
            pods: core.cache().pod_count(),
            pending: SubQueue::ALL.map(|queue| (queue.name().to_owned(), core.queue().len(queue))).into(),
            cycles: core.cycles(),
            utilization: utilization.map(|(name, (used, all))| (name.to_owned(), used as f64 / all as f64)).collect(),
        }
    }
}
