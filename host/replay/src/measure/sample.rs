//! The use of a cluster at a moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_analysis::whatif::belongs_to_node;
use berth_core::Timestamp;
use berth_core::cache::{Cache, NodeId, NodeInfo};
use berth_core::model::{Pod, PodRequests, Resources};
use hashbrown::HashMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::History;

/// The number of samples of a history, spread evenly over its time.
const SAMPLES: u64 = 100;

/// The largest number of different requests for which the fragmentation is measured. The most frequent ones count.
const MOST_REQUESTS: usize = 32;

/// The label with the zone of a node.
const ZONE: &str = "topology.kubernetes.io/zone";

/// What is measured at each sample, and when.
pub struct Sampler {
    begin: Timestamp,
    end: Timestamp,
    /// The resources that pods request, in the form in which a pod names them.
    resources: Vec<Arc<str>>,
    /// The requests of pods, with the number of pods.
    requests: Vec<(Arc<PodRequests>, u64)>,
}

/// The use of the cluster at a moment. Ratios are from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// The time.
    pub at: Timestamp,
    /// The number of pods without a node.
    pub pending: u64,
    /// The number of pods on nodes.
    pub running: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of nodes with a pod that is not of a DaemonSet and no static pod.
    pub nodes_used: u64,
    /// By resource: the requests of all pods on nodes, as a part of what all nodes can allocate.
    pub utilization: BTreeMap<Arc<str>, f64>,
    /// By resource: the standard deviation of the utilization of the nodes.
    pub imbalance: BTreeMap<Arc<str>, f64>,
    /// By resource: the part of what is free that lies on nodes on which a pod does not fit, on average over the pods of
    /// the capture.
    pub fragmentation: BTreeMap<Arc<str>, f64>,
    /// The largest part of the pods of a controller that are on one node, on average over controllers with several pods.
    /// Absent without such a controller.
    pub on_one_node: Option<f64>,
    /// The largest part of the pods of a controller that are in one zone, as above. Absent without zones.
    pub in_one_zone: Option<f64>,
}

impl Sampler {
    /// Returns a sampler for worlds of this history.
    #[must_use]
    pub fn new(history: &History) -> Self {
        let mut requests: HashMap<Arc<PodRequests>, u64> = HashMap::new();
        for pod in history.pods.iter().map(|recorded| &recorded.pod).filter(|pod| !belongs_to_node(pod)) {
            *requests.entry(Arc::clone(&pod.requests)).or_default() += 1;
        }
        let mut requests: Vec<(Arc<PodRequests>, u64)> = requests.into_iter().collect();
        let amounts = |requests: &PodRequests| {
            let Resources { milli_cpu, memory, ephemeral_storage, scalars, .. } = &requests.effective;
            (*milli_cpu, *memory, *ephemeral_storage, scalars.clone())
        };
        requests.sort_by_cached_key(|(requests, count)| (std::cmp::Reverse(*count), amounts(requests)));
        let named = requests.iter().flat_map(|(requests, _)| requested(&requests.effective));
        let mut resources: Vec<Arc<str>> = named.collect();
        resources.sort_unstable();
        resources.dedup();
        requests.truncate(MOST_REQUESTS);
        Self { begin: history.begin, end: history.end, resources, requests }
    }

    /// Returns the time of a sample, or `None` after the last one.
    pub(super) fn time(&self, sample: usize) -> Option<Timestamp> {
        let (begin, end) = (self.begin.0, self.end.0);
        let sample = sample as u64;
        (sample < SAMPLES).then(|| Timestamp(begin + (end - begin) * (2 * sample + 1) / (2 * SAMPLES)))
    }

    pub(super) fn sample(&self, cache: &Cache, at: Timestamp, pending: u64) -> Sample {
        let mut sample = Sample { at, pending, running: cache.pods().count() as u64, ..Sample::default() };
        for node in cache.nodes() {
            sample.nodes += 1;
            let mut pods = node.pods.iter().filter_map(|pod| cache.pod(*pod));
            sample.nodes_used += u64::from(pods.any(|cached| !belongs_to_node(&cached.pod)));
        }
        for resource in &self.resources {
            let used = Used::of(cache, resource);
            sample.utilization.extend(used.utilization.map(|ratio| (Arc::clone(resource), ratio)));
            sample.imbalance.extend(used.imbalance.map(|ratio| (Arc::clone(resource), ratio)));
        }
        sample.fragmentation = self.fragmentation(cache);
        (sample.on_one_node, sample.in_one_zone) = spread(cache);
        sample
    }

    fn fragmentation(&self, cache: &Cache) -> BTreeMap<Arc<str>, f64> {
        let all: u64 = self.requests.iter().map(|(_, count)| count).sum();
        let mut free: BTreeMap<&Arc<str>, (f64, f64)> = BTreeMap::new();
        for node in cache.nodes() {
            let fits = |(requests, _): &&(Arc<PodRequests>, u64)| !fits(&requests.effective, node);
            let without: u64 = self.requests.iter().filter(fits).map(|(_, count)| count).sum();
            let unusable = without as f64 / all.max(1) as f64;
            for resource in &self.resources {
                let amount = left(node, resource).max(0) as f64;
                let (total, lost) = free.entry(resource).or_default();
                *total += amount;
                *lost += amount * unusable;
            }
        }
        let ratio = |(total, lost): (f64, f64)| if total > 0.0 { lost / total } else { 0.0 };
        free.into_iter().map(|(resource, sums)| (Arc::clone(resource), ratio(sums))).collect()
    }
}

/// The utilization of a resource.
struct Used {
    /// `None` if no node has the resource.
    utilization: Option<f64>,
    imbalance: Option<f64>,
}

impl Used {
    fn of(cache: &Cache, resource: &str) -> Self {
        let (mut nodes, mut requested, mut allocatable, mut sum, mut squares) = (0_u64, 0.0, 0.0, 0.0, 0.0);
        for node in cache.nodes() {
            let all = amount(&node.node.allocatable, resource);
            if all <= 0 {
                continue;
            }
            let used = amount(&node.usage.requested, resource);
            let ratio = used as f64 / all as f64;
            nodes += 1;
            requested += used as f64;
            allocatable += all as f64;
            sum += ratio;
            squares += ratio * ratio;
        }
        if nodes == 0 {
            return Self { utilization: None, imbalance: None };
        }
        let mean = sum / nodes as f64;
        // Rounding can make the variance of equal numbers negative.
        let variance = (squares / nodes as f64 - mean * mean).max(0.0);
        Self { utilization: Some(requested / allocatable), imbalance: Some(variance.sqrt()) }
    }
}

/// Returns the amount of a resource by its name in Kubernetes.
fn amount(resources: &Resources, name: &str) -> i64 {
    match name {
        "cpu" => resources.milli_cpu,
        "memory" => resources.memory,
        "ephemeral-storage" => resources.ephemeral_storage,
        name => resources.scalar(name),
    }
}

/// Returns the names of the resources with an amount.
fn requested(resources: &Resources) -> Vec<Arc<str>> {
    let usual = ["cpu", "memory", "ephemeral-storage"].map(Arc::from);
    let names = usual.into_iter().chain(resources.scalars.iter().map(|(name, _)| Arc::clone(name)));
    names.filter(|name| amount(resources, name) > 0).collect()
}

fn left(node: &NodeInfo, resource: &str) -> i64 {
    amount(&node.node.allocatable, resource).saturating_sub(amount(&node.usage.requested, resource))
}

/// Returns whether the requests fit on the node beside its pods.
fn fits(requests: &Resources, node: &NodeInfo) -> bool {
    let usual = [
        (requests.milli_cpu, node.node.allocatable.milli_cpu, node.usage.requested.milli_cpu),
        (requests.memory, node.node.allocatable.memory, node.usage.requested.memory),
        (requests.ephemeral_storage, node.node.allocatable.ephemeral_storage, node.usage.requested.ephemeral_storage),
        (1, node.node.allocatable.pods, node.usage.requested.pods),
    ];
    usual.into_iter().all(|(more, all, used)| more <= 0 || more <= all.saturating_sub(used))
        && requests.scalars.iter().all(|(name, more)| *more <= 0 || *more <= left(node, name))
}

/// The pods of a controller, by node and by zone.
#[derive(Default)]
struct Placed<'c> {
    pods: u64,
    nodes: HashMap<NodeId, u64>,
    zones: HashMap<&'c str, u64>,
}

/// Returns the largest part of a controller's pods on one node, and in one zone, on average over all controllers with
/// several pods on nodes.
fn spread(cache: &Cache) -> (Option<f64>, Option<f64>) {
    let mut placed: BTreeMap<&str, Placed<'_>> = BTreeMap::new();
    for (_, cached) in cache.pods() {
        let Some(node) = cached.node.and_then(|id| cache.node(id)) else { continue };
        let Some(owner) = owner(&cached.pod) else { continue };
        let of_owner = placed.entry(owner).or_default();
        of_owner.pods += 1;
        *of_owner.nodes.entry(node.id).or_default() += 1;
        if let Some(zone) = node.node.labels.get(ZONE) {
            *of_owner.zones.entry(zone).or_default() += 1;
        }
    }
    let several: Vec<&Placed<'_>> = placed.values().filter(|placed| placed.pods > 1).collect();
    let most = |counts: &mut dyn Iterator<Item = u64>, pods: u64| counts.max().map(|most| most as f64 / pods as f64);
    let nodes: Vec<f64> = several.iter().filter_map(|of| most(&mut of.nodes.values().copied(), of.pods)).collect();
    let zones: Vec<f64> = several.iter().filter_map(|of| most(&mut of.zones.values().copied(), of.pods)).collect();
    (mean(&nodes), mean(&zones))
}

fn owner(pod: &Pod) -> Option<&str> {
    if belongs_to_node(pod) {
        return None;
    }
    pod.owners.iter().find(|owner| owner.controller).map(|owner| &*owner.uid)
}

/// Returns the mean, or `None` of no values.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

#[cfg(test)]
mod tests {
    use berth_core::model::{Labels, Node, Owner, PodKey};

    use super::*;

    fn resources(milli_cpu: i64, memory: i64, pods: i64) -> Resources {
        Resources { milli_cpu, memory, pods, ..Resources::default() }
    }

    fn requests(milli_cpu: i64, memory: i64) -> Arc<PodRequests> {
        Arc::new(PodRequests { effective: resources(milli_cpu, memory, 0), ..PodRequests::default() })
    }

    /// Returns a cluster with two nodes in two zones, and these pods: name, node, CPU, controller.
    fn cluster(pods: &[(&str, &str, i64, &str)]) -> Cache {
        let mut cache = Cache::default();
        for (name, zone) in [("a", "one"), ("b", "two")] {
            let labels: Labels = [(ZONE, zone)].into_iter().collect();
            let allocatable = resources(1000, 100, 10);
            cache.set_node(Arc::new(Node { name: name.into(), labels, allocatable, ..Node::default() }));
        }
        for (name, node, cpu, controller) in pods {
            let owner =
                Owner { kind: (*controller).into(), uid: (*controller).into(), controller: true, ..Owner::default() };
            cache.set_pod(Arc::new(Pod {
                key: PodKey { uid: (*name).into(), ..PodKey::default() },
                node_name: (*node).into(),
                requests: requests(*cpu, 10),
                owners: [owner].into(),
                ..Pod::default()
            }));
        }
        cache
    }

    fn sampler(requests: Vec<(Arc<PodRequests>, u64)>) -> Sampler {
        let resources = vec!["cpu".into(), "memory".into()];
        Sampler { begin: Timestamp(1000), end: Timestamp(3000), resources, requests }
    }

    #[test]
    fn samples_are_spread_evenly() {
        let sampler = sampler(Vec::new());
        let times: Vec<u64> = (0..).map_while(|number| sampler.time(number)).map(|time| time.0).collect();
        assert_eq!((times.len(), times[0], times[1], times[99]), (100, 1010, 1030, 2990));
    }

    #[test]
    fn the_use_of_a_cluster_is_measured() {
        let cache = cluster(&[
            ("1", "a", 500, "ReplicaSet"),
            ("2", "a", 100, "ReplicaSet"),
            ("3", "b", 200, "ReplicaSet"),
            ("4", "b", 0, "DaemonSet"),
            ("5", "b", 0, "DaemonSet"),
        ]);
        // One of four pods needs 500 millicores, which `a` lacks.
        let sampler = sampler(vec![(requests(100, 10), 3), (requests(500, 10), 1)]);
        let sample = sampler.sample(&cache, Timestamp(7), 3);
        assert_eq!((sample.nodes, sample.running, sample.pending, sample.nodes_used), (2, 5, 3, 2));
        let close = |found: Option<&f64>, expected: f64| {
            let found = *found.expect("a value");
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        };
        close(sample.utilization.get("cpu"), 0.4);
        close(sample.imbalance.get("cpu"), 0.2);
        close(sample.utilization.get("memory"), 0.25);
        // 400 of 1200 free millicores are on `a`.
        close(sample.fragmentation.get("cpu"), 400.0 * 0.25 / 1200.0);
        close(sample.on_one_node.as_ref(), 2.0 / 3.0);
        close(sample.in_one_zone.as_ref(), 2.0 / 3.0);
    }

    #[test]
    fn an_empty_cluster_has_no_ratios() {
        let sample = sampler(Vec::new()).sample(&Cache::default(), Timestamp(7), 0);
        assert_eq!(sample, Sample { at: Timestamp(7), ..Sample::default() });
        let only_daemons = cluster(&[("1", "a", 0, "DaemonSet"), ("2", "a", 0, "DaemonSet")]);
        let sample = sampler(Vec::new()).sample(&only_daemons, Timestamp(7), 0);
        assert_eq!((sample.nodes_used, sample.on_one_node, sample.in_one_zone), (0, None, None));
    }
}
