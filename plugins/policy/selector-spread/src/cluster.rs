//! The plugin's index of the cluster: zones of nodes, pods on nodes, and selectors of Services and controllers.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::{node, pod};
use berth_guest_workloads::{Placed, Selectors};

use crate::Args;
use crate::zones::Zone;

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Zones by node id.
    zones: Vec<Option<Zone>>,
    /// The pods on nodes.
    pub placed: Placed,
    /// Selectors of Services and controllers.
    pub selectors: Selectors,
}

impl Cluster {
    /// Returns the zone of a node, if it has one.
    pub fn zone(&self, node: node::Id) -> Option<&Zone> {
        self.zones.get(node.at())?.as_ref()
    }
}

impl Index<Args> for Cluster {
    type Nodes = node::Labels;
    type Pods = (pod::Namespace, pod::Labels, pod::Deleting);
    type PendingPods = ();

    fn new(_: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, labels: &node::Labels) {
        if node.at() >= self.zones.len() {
            self.zones.resize_with(node.at() + 1, || None);
        }
        // The list was extended above.
        self.zones[node.at()] = Zone::of(labels);
    }

    fn node_removed(&mut self, node: node::Id) {
        if let Some(zone) = self.zones.get_mut(node.at()) {
            *zone = None;
        }
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, facts: (&pod::Namespace, &pod::Labels, &pod::Deleting)) {
        self.placed.set(pod, node, facts);
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.placed.remove(pod);
    }

    fn kinds(args: &Args) -> Vec<Kind> {
        if args.services_only { Selectors::services_alone() } else { Selectors::kinds() }
    }

    fn object_set(&mut self, object: &Object<'_>) {
        self.selectors.set(object);
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        self.selectors.remove(object);
    }
}
