//! One number for each thing that a policy can change.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_analysis::percentile;
use schemars::JsonSchema;
use serde::Serialize;

use super::course::Course;
use super::sample::{Sample, mean};

/// What a policy did, as numbers. A number about the use of the cluster is a mean over the time of the capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measures {
    /// The number of bindings.
    pub bound: u64,
    /// How long pods waited for a node.
    pub pending: Pending,
    /// The number of pods without a node at the end.
    pub pending_at_end: u64,
    /// The number of evicted pods.
    pub evictions: u64,
    /// The number of pods that were deleted because their node was deleted.
    pub lost_with_nodes: u64,
    /// By resource: the requests of all pods on nodes, as a part of what all nodes can allocate, from 0 to 1.
    pub utilization: BTreeMap<Arc<str>, f64>,
    /// By resource: the standard deviation of the utilization of the nodes.
    pub imbalance: BTreeMap<Arc<str>, f64>,
    /// By resource: the part of what is free that lies on nodes on which a pod does not fit, on average over the pods of
    /// the capture.
    pub fragmentation: BTreeMap<Arc<str>, f64>,
    /// The number of nodes with a pod that is not of a DaemonSet and no static pod.
    pub nodes_used: NodesUsed,
    /// The fewest nodes that still run all pods of the moment with the most pods. Absent if this was not computed.
    pub compaction: Option<u64>,
    /// How the pods of controllers are spread.
    pub spread: Spread,
}

/// How long pods waited for a node, in seconds. A pod that got no node counts with the time to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// The number of pods that needed a node.
    pub pods: u64,
    /// The median.
    pub median: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest time.
    pub max: f64,
}

/// The number of used nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodesUsed {
    /// The mean.
    pub mean: f64,
    /// The largest number.
    pub max: u64,
}

/// The largest part of a controller's pods in one place, on average over controllers with several pods. Lower is more
/// even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// On one node. Absent without a controller with several pods.
    pub node: Option<f64>,
    /// In one zone (`topology.kubernetes.io/zone`). Absent without zones.
    pub zone: Option<f64>,
}

/// Returns the measures of a course.
#[must_use]
pub fn measures(course: &Course) -> Measures {
    let samples = &course.samples;
    let used = samples.iter().map(|sample| sample.nodes_used);
    let means: Vec<f64> = used.clone().map(|used| used as f64).collect();
    let of = |value: fn(&Sample) -> Option<f64>| mean(&samples.iter().filter_map(value).collect::<Vec<_>>());
    Measures {
        bound: course.bound,
        pending: pending(&course.waits),
        pending_at_end: course.pending_at_end,
        evictions: course.evictions,
        lost_with_nodes: course.lost_with_nodes,
        utilization: by_resource(samples, |sample| &sample.utilization),
        imbalance: by_resource(samples, |sample| &sample.imbalance),
        fragmentation: by_resource(samples, |sample| &sample.fragmentation),
        nodes_used: NodesUsed { mean: mean(&means).unwrap_or_default(), max: used.max().unwrap_or_default() },
        compaction: None,
        spread: Spread { node: of(|sample| sample.on_one_node), zone: of(|sample| sample.in_one_zone) },
    }
}

fn by_resource(samples: &[Sample], values: fn(&Sample) -> &BTreeMap<Arc<str>, f64>) -> BTreeMap<Arc<str>, f64> {
    let mut all: BTreeMap<&Arc<str>, Vec<f64>> = BTreeMap::new();
    for (resource, value) in samples.iter().flat_map(values) {
        all.entry(resource).or_default().push(*value);
    }
    all.into_iter().filter_map(|(resource, values)| Some((Arc::clone(resource), mean(&values)?))).collect()
}

/// Returns the percentiles of waits in milliseconds, by nearest rank.
fn pending(waits: &[u64]) -> Pending {
    let mut waits = waits.to_vec();
    waits.sort_unstable();
    let seconds =
        |percent: usize| waits.get(percentile(waits.len(), percent)).copied().unwrap_or_default() as f64 / 1000.0;
    Pending { pods: waits.len() as u64, median: seconds(50), p99: seconds(99), max: seconds(100) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_ranked() {
        assert_eq!(pending(&[]), Pending::default());
        let waits: Vec<u64> = (1..=200).rev().map(|second| second * 1000).collect();
        assert_eq!(pending(&waits), Pending { pods: 200, median: 100.0, p99: 198.0, max: 200.0 });
        assert_eq!(pending(&[500]), Pending { pods: 1, median: 0.5, p99: 0.5, max: 0.5 });
    }
}
