//! The plugin's index of the cluster: topology domains and taints of nodes, and pods grouped by namespace and
//! labels.

use std::cell::{Ref, RefCell};

use berth_guest::groups::Groups;
use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::room::Room;
use berth_guest::topology::{Key, Topologies};
use berth_guest::{node, pod};
use berth_guest_workloads::Selectors;

use crate::args::Args;
use crate::counted::Counts;

/// The properties that all pods of a group have in common: namespace and labels.
pub type PodKey = (pod::Namespace, pod::Labels);

/// The limit in bytes for the counts of all pod signatures. At 5,000 nodes, the counts of one pod signature take about
/// ten kilobytes per constraint.
const CACHE_BYTES: usize = 96 << 20;

/// The plugin's index of the cluster.
pub struct Cluster {
    /// The domains of topology keys. A key is added when a constraint with this key is read for the first time.
    topologies: RefCell<Topologies>,
    /// Names and taints by node id.
    facts_by_node: Vec<NodeFacts>,
    /// The pods on nodes. Pods that are being deleted are not included, because they don't count.
    pub groups: Groups<PodKey>,
    /// Selectors of Services and controllers.
    pub selectors: Selectors,
    /// An LRU cache for the counts, bounded in bytes.
    pub room: Room<Counts>,
    affinity_version: u64,
    taints_version: u64,
}

/// The facts that node inclusion policies need, besides labels.
#[derive(Clone, Debug, Default)]
pub struct NodeFacts {
    /// `metadata.name`.
    pub name: node::Name,
    /// `spec.taints`.
    pub taints: node::Taints,
}

impl Index<Args> for Cluster {
    type Nodes = (node::Name, node::Labels, node::Taints);
    type Pods = (pod::Namespace, pod::Labels, pod::Deleting);
    type PendingPods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster {
            topologies: RefCell::default(),
            facts_by_node: Vec::new(),
            groups: Groups::default(),
            selectors: Selectors::default(),
            room: Room::new(CACHE_BYTES),
            affinity_version: 0,
            taints_version: 0,
        }
    }

    fn node_set(&mut self, node: node::Id, facts: (&node::Name, &node::Labels, &node::Taints)) {
        let (name, labels, taints) = facts;
        let relabelled = self.topologies.get_mut().set(node, labels);
        self.room.has_nodes(node.at() + 1);
        if node.at() >= self.facts_by_node.len() {
            self.facts_by_node.resize_with(node.at() + 1, NodeFacts::default);
        }
        // The list was extended above.
        let node_facts = &mut self.facts_by_node[node.at()];
        self.affinity_version += u64::from(relabelled || node_facts.name != *name);
        self.taints_version += u64::from(node_facts.taints != *taints);
        *node_facts = NodeFacts { name: name.clone(), taints: taints.clone() };
    }

    fn node_removed(&mut self, node: node::Id) {
        self.topologies.get_mut().remove(node);
        if let Some(node_facts) = self.facts_by_node.get_mut(node.at()) {
            *node_facts = NodeFacts::default();
        }
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, facts: (&pod::Namespace, &pod::Labels, &pod::Deleting)) {
        let (namespace, labels, deleting) = facts;
        if deleting.0 {
            self.groups.remove(pod);
        } else {
            self.groups.set(pod, node, (namespace.clone(), labels.clone()), |_| ());
        }
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.groups.remove(pod);
    }

    fn kinds(args: &Args) -> Vec<Kind> {
        if args.defaults.is_empty() { Vec::new() } else { Selectors::kinds() }
    }

    fn object_set(&mut self, object: &Object<'_>) {
        self.selectors.set(object);
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        self.selectors.remove(object);
    }
}

impl Cluster {
    /// Returns the domains of the topology keys that were added with `key`.
    pub fn topologies(&self) -> Ref<'_, Topologies> {
        self.topologies.borrow()
    }

    /// Adds a topology key, if necessary, and returns its id.
    pub fn key(&self, key: &str) -> Key {
        self.topologies.borrow_mut().key(key)
    }

    /// Returns the name and taints of a node, or `None` for a node id that was never used.
    pub fn node_facts(&self, node: node::Id) -> Option<&NodeFacts> {
        self.facts_by_node.get(node.at())
    }

    /// Returns a number that grows when a node's name or labels change.
    pub fn affinity_version(&self) -> u64 {
        self.affinity_version
    }

    /// Returns a number that grows when a node's taints change.
    pub fn taints_version(&self) -> u64 {
        self.taints_version
    }
}
