//! The nodes of a cluster with what their pods use, and the number of pending pods: all at once, and then what changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use berth_core::cache::{Cache, Change, NodeId, NodeInfo};
use berth_core::model::{Condition, ConditionStatus, Node, Resources};
use berth_core::queue::SubQueue;
use berth_core::{Core, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::PodRef;
use crate::suggest::taints;

/// Amounts by the name of the resource: `cpu` in millicores, `memory` and `ephemeral-storage` in bytes, others in their
/// own unit.
pub type Amounts = BTreeMap<String, i64>;

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSummary {
    /// `metadata.name`
    pub name: String,
    /// `metadata.labels`
    pub labels: BTreeMap<String, String>,
    /// `spec.taints`, each as `KEY=VALUE:EFFECT` or `KEY:EFFECT`.
    pub taints: Vec<String>,
    /// `spec.unschedulable`
    pub unschedulable: bool,
    /// Whether the condition Ready is True.
    pub ready: bool,
    /// `status.allocatable`
    pub allocatable: Amounts,
    /// The sum of the requests of the node's pods, including pods whose binding is in progress.
    pub requested: Amounts,
}

/// The nodes of a cluster, or those that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterListing {
    /// The time of the listing, in milliseconds since 1970.
    pub at: u64,
    /// Whether `nodes` has all nodes. Otherwise, it has those that appeared or changed since the listing before.
    pub complete: bool,
    /// The nodes.
    pub nodes: Vec<NodeSummary>,
    /// The names of nodes that were removed since the listing before.
    pub removed: Vec<String>,
    /// The number of pods with a node.
    pub pods: usize,
    /// The number of pending pods in each sub-queue: `active`, `backoff`, `unschedulable` and `gated`.
    pub pending: BTreeMap<String, usize>,
    /// The number of scheduling cycles since the start of the scheduler.
    pub cycles: u64,
    /// The time that these cycles took, in microseconds. Absent in a listing of the past, because a capture has no such times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_micros: Option<u64>,
}

/// The pods of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePods {
    /// The pods, by namespace and name.
    pub pods: Vec<NodePod>,
}

/// A pod of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePod {
    /// The pod.
    pub pod: PodRef,
    /// `spec.priority`
    pub priority: i32,
    /// What the pod requests.
    pub requested: Amounts,
}

impl NodePods {
    /// Returns the pods of the node with this name, or `None` if there is no such node.
    #[must_use]
    pub fn of(core: &Core, node: &str) -> Option<Self> {
        let cache = core.cache();
        let info = cache.node(cache.node_id(node)?)?;
        let mut pods: Vec<NodePod> = info
            .pods
            .iter()
            .filter_map(|id| cache.pod(*id))
            .map(|cached| NodePod {
                pod: PodRef::from(&cached.pod.key),
                priority: cached.pod.spec.priority,
                requested: amounts(&cached.pod.requests.effective),
            })
            .collect();
        pods.sort_unstable();
        Some(Self { pods })
    }
}

/// Follows the nodes of a cluster.
#[derive(Debug, Default)]
pub struct ClusterFollower {
    /// The position in the log of the cache up to which the follower has read; `None` before the first listing.
    position: Option<u64>,
    names: HashMap<NodeId, Box<str>>,
}

/// What a follower reads of a core, between two steps. It shares no part of the cache, because the core would have to copy
/// a shared part before the next change.
#[derive(Debug)]
pub struct ClusterView {
    /// Whether `nodes` has all nodes.
    complete: bool,
    nodes: Vec<ViewedNode>,
    removed: Vec<NodeId>,
    /// The position in the log of the cache.
    end: u64,
    pods: usize,
    pending: BTreeMap<String, usize>,
    cycles: u64,
}

/// A node, and the sum of the requests of its pods.
#[derive(Debug)]
struct ViewedNode {
    id: NodeId,
    node: Arc<Node>,
    requested: Resources,
}

impl ClusterView {
    /// Copies what a follower at this position needs: the nodes that changed since then, or all nodes for `None`, and if the
    /// log of the cache does not go back so far.
    #[must_use]
    pub fn of(core: &Core, position: Option<u64>) -> Self {
        let pending = SubQueue::ALL.map(|sub_queue| (sub_queue.name().to_owned(), core.queue().len(sub_queue)));
        Self { pending: pending.into(), cycles: core.cycles(), ..Self::of_nodes(core.cache(), position) }
    }

    fn of_nodes(cache: &Cache, position: Option<u64>) -> Self {
        let changes = position.and_then(|position| cache.log().since(position));
        let complete = changes.is_none();
        let (mut changed, mut removed) = (BTreeSet::new(), Vec::new());
        for change in changes.into_iter().flatten() {
            match change {
                Change::Node(id, _) => drop(changed.insert(id)),
                Change::NodeRemoved(id) => removed.push(id),
                _ => {}
            }
        }
        let nodes = match complete {
            true => cache.nodes().map(ViewedNode::of).collect(),
            false => changed.into_iter().filter_map(|id| cache.node(id)).map(ViewedNode::of).collect(),
        };
        let (end, pods) = (cache.log().end(), cache.pod_count());
        Self { complete, nodes, removed, end, pods, pending: BTreeMap::new(), cycles: 0 }
    }
}

impl ViewedNode {
    fn of(info: &NodeInfo) -> Self {
        Self { id: info.id, node: Arc::clone(&info.node), requested: info.usage.requested.clone() }
    }
}

impl ClusterFollower {
    /// Returns the position for the next [`ClusterView`].
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.position
    }

    /// Returns what the view of this follower has: all nodes the first time, and then what changed. If the follower fell
    /// behind the log, returns all nodes again.
    pub fn next(&mut self, view: ClusterView, at: Timestamp) -> ClusterListing {
        let ClusterView { complete, nodes, removed, end, pods, pending, cycles } = view;
        if complete {
            self.names.clear();
        }
        let mut removed: BTreeSet<Box<str>> = removed.iter().filter_map(|id| self.names.remove(id)).collect();
        for ViewedNode { id, node, .. } in &nodes {
            // A node that was removed and created again under its name has changed.
            removed.remove(&node.name);
            self.names.insert(*id, node.name.clone());
        }
        self.position = Some(end);
        ClusterListing {
            at: at.0,
            complete,
            nodes: nodes.iter().map(NodeSummary::of).collect(),
            removed: removed.into_iter().map(Into::into).collect(),
            pods,
            pending,
            cycles,
            cycles_micros: None,
        }
    }
}

impl NodeSummary {
    fn of(ViewedNode { node, requested, .. }: &ViewedNode) -> Self {
        let is_ready = |condition: &Condition| &*condition.kind == "Ready" && condition.status == ConditionStatus::True;
        Self {
            name: node.name.to_string(),
            labels: node.labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            taints: node.taints.iter().map(taints::shown).collect(),
            unschedulable: node.unschedulable,
            ready: node.conditions.iter().any(is_ready),
            allocatable: amounts(&node.allocatable),
            requested: amounts(requested),
        }
    }
}

fn amounts(resources: &Resources) -> Amounts {
    let Resources { milli_cpu, memory, ephemeral_storage, pods, scalars } = resources;
    let named = [("cpu", *milli_cpu), ("memory", *memory), ("ephemeral-storage", *ephemeral_storage), ("pods", *pods)];
    let named = named.into_iter().map(|(name, amount)| (name.to_owned(), amount));
    named
        .chain(scalars.iter().map(|(name, amount)| (name.to_string(), *amount)))
        .filter(|(_, amount)| *amount != 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_core::model::{Pod, PodKey, PodRequests};

    fn set_node(cache: &mut Cache, name: &str) {
        cache.set_node(Arc::new(Node { name: name.into(), ..Node::default() }));
    }

    fn set_pod(cache: &mut Cache, name: &str, node: &str) {
        let key = PodKey { namespace: "default".into(), name: name.into(), uid: name.into() };
        let effective = Resources { milli_cpu: 100, ..Resources::default() };
        let requests = Arc::new(PodRequests { effective, ..PodRequests::default() });
        cache.set_pod(Arc::new(Pod { key, node_name: node.into(), requests, ..Pod::default() }));
    }

    /// The names of nodes, with the CPU that is requested.
    type Nodes = Vec<(String, Option<i64>)>;

    /// Returns whether the next listing is complete, its nodes, and its removed nodes.
    fn next(follower: &mut ClusterFollower, cache: &Cache) -> (bool, Nodes, Vec<String>) {
        let listing = follower.next(ClusterView::of_nodes(cache, follower.position()), Timestamp(0));
        let nodes = listing.nodes.into_iter();
        let nodes = nodes.map(|node| (node.name, node.requested.get("cpu").copied())).collect();
        (listing.complete, nodes, listing.removed)
    }

    fn named(nodes: &[(&str, Option<i64>)]) -> Nodes {
        nodes.iter().map(|(name, cpu)| ((*name).to_owned(), *cpu)).collect()
    }

    #[test]
    fn a_follower_gets_all_nodes_and_then_what_changed() {
        let (mut cache, mut follower) = (Cache::default(), ClusterFollower::default());
        assert_eq!(next(&mut follower, &cache), (true, named(&[]), Vec::new()), "an empty cluster");
        ["a", "b", "c"].iter().for_each(|name| set_node(&mut cache, name));
        assert_eq!(next(&mut follower, &cache), (false, named(&[("a", None), ("b", None), ("c", None)]), Vec::new()));
        set_pod(&mut cache, "p", "b");
        set_pod(&mut cache, "q", "b");
        assert_eq!(next(&mut follower, &cache), (false, named(&[("b", Some(200))]), Vec::new()));
        assert_eq!(next(&mut follower, &cache), (false, named(&[]), Vec::new()), "nothing changed");
        let mut late = ClusterFollower::default();
        assert_eq!(next(&mut late, &cache).1.len(), 3);
    }

    #[test]
    fn removed_nodes_are_named_unless_they_are_there_again() {
        let (mut cache, mut follower) = (Cache::default(), ClusterFollower::default());
        ["a", "b", "c"].iter().for_each(|name| set_node(&mut cache, name));
        next(&mut follower, &cache);
        cache.remove_node("a");
        cache.remove_node("b");
        set_node(&mut cache, "b");
        assert_eq!(next(&mut follower, &cache), (false, named(&[("b", None)]), vec!["a".to_owned()]));
        cache.remove_node("b");
        set_node(&mut cache, "d");
        cache.remove_node("d");
        assert_eq!(next(&mut follower, &cache), (false, named(&[]), vec!["b".to_owned()]));
    }

    #[test]
    fn a_follower_that_fell_behind_the_log_gets_all_nodes_again() {
        let (mut cache, mut follower) = (Cache::with_log_of(4), ClusterFollower::default());
        set_node(&mut cache, "a");
        set_node(&mut cache, "b");
        next(&mut follower, &cache);
        cache.remove_node("a");
        (0..40).for_each(|pod| set_pod(&mut cache, &pod.to_string(), "b"));
        assert_eq!(next(&mut follower, &cache), (true, named(&[("b", Some(4000))]), Vec::new()));
    }
}
