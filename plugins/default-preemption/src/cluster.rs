//! The plugin's index of the cluster: the pods of each node, and PodDisruptionBudgets.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::{node, pod};
use berth_preemption::{Cluster, PodFacts, budget_kind};

use crate::args::Args;

impl Index<Args> for Cluster {
    type Nodes = node::Name;
    type Pods = (pod::Name, pod::Namespace, pod::Labels, pod::Priority, pod::StartTime);
    type PendingPods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, name: &node::Name) {
        self.set_node(node, name);
    }

    fn node_removed(&mut self, node: node::Id) {
        self.remove_node(node);
    }

    fn pod_set(&mut self, id: pod::Id, node: node::Id, facts: PodFacts<'_>) {
        self.set_pod(id, node, facts);
    }

    fn pod_removed(&mut self, id: pod::Id) {
        self.remove_pod(id);
    }

    fn kinds(_args: &Args) -> Vec<Kind> {
        vec![budget_kind()]
    }

    fn object_set(&mut self, budget: &Object<'_>) {
        self.budgets.set(budget);
    }

    fn object_removed(&mut self, budget: &Object<'_>) {
        self.budgets.remove(budget);
    }
}
