//! The nodes of a cluster with what their pods use, and the number of pending pods: all at once, and then what changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use berth_core::cache::{Cache, Change, NodeId, NodeInfo};
use berth_core::model::{Condition, ConditionStatus, Resources};
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

/// What a follower reads of a core, between two steps. Reading takes no time for each node.
#[derive(Debug)]
pub struct ClusterView {
    cache: Cache,
    pending: BTreeMap<String, usize>,
    cycles: u64,
}

impl ClusterView {
    /// Copies what a follower at this position needs.
    #[must_use]
    pub fn of(core: &Core, position: u64) -> Self {
        let pending = SubQueue::ALL.map(|sub_queue| (sub_queue.name().to_owned(), core.queue().len(sub_queue)));
        Self { cache: core.cache().frozen(position), pending: pending.into(), cycles: core.cycles() }
    }
}

impl ClusterFollower {
    /// Returns the position for the next [`ClusterView`].
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position.unwrap_or_default()
    }

    /// Returns all nodes the first time, and then what changed. If the follower fell behind the log, returns all nodes
    /// again.
    pub fn next(&mut self, view: &ClusterView, at: Timestamp) -> ClusterListing {
        let cache = &view.cache;
        let changes = self.position.and_then(|position| cache.log().since(position));
        let complete = changes.is_none();
        let (mut changed, mut removed) = (BTreeSet::new(), Vec::new());
        match changes {
            None => {
                self.names.clear();
                changed.extend(cache.nodes().map(|info| info.id));
            }
            Some(changes) => {
                for change in changes {
                    match change {
                        Change::Node(id, _) => drop(changed.insert(id)),
                        Change::NodeRemoved(id) => removed.extend(self.names.remove(&id)),
                        _ => {}
                    }
                }
            }
        }
        let infos: Vec<&NodeInfo> = changed.into_iter().filter_map(|id| cache.node(id)).collect();
        self.names.extend(infos.iter().map(|info| (info.id, info.node.name.clone())));
        // A node that was removed and created again under its name has changed.
        removed.retain(|name| cache.node_id(name).is_none());
        self.position = Some(cache.log().end());
        ClusterListing {
            at: at.0,
            complete,
            nodes: infos.into_iter().map(NodeSummary::of).collect(),
            removed: removed.into_iter().map(Into::into).collect(),
            pods: cache.pod_count(),
            pending: view.pending.clone(),
            cycles: view.cycles,
            cycles_micros: None,
        }
    }
}

impl NodeSummary {
    fn of(info: &NodeInfo) -> Self {
        let node = &*info.node;
        let is_ready = |condition: &Condition| &*condition.kind == "Ready" && condition.status == ConditionStatus::True;
        Self {
            name: node.name.to_string(),
            labels: node.labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            taints: node.taints.iter().map(taints::shown).collect(),
            unschedulable: node.unschedulable,
            ready: node.conditions.iter().any(is_ready),
            allocatable: amounts(&node.allocatable),
            requested: amounts(&info.usage.requested),
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
