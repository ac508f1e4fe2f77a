//! The plugin's index of the cluster: names and labels of nodes, pods on nodes, and Services.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::selector::LabelSelector;
use berth_guest::{node, pod};
use berth_guest_workloads::{Placed, Selectors};

use crate::Args;

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Name and labels by node id.
    nodes: Vec<Option<(node::Name, node::Labels)>>,
    /// The pods on nodes.
    pub placed: Placed,
    /// Selectors of Services.
    pub selectors: Selectors,
}

impl Cluster {
    /// Returns the labels of a node.
    pub fn labels(&self, node: node::Id) -> Option<&node::Labels> {
        self.nodes.get(node.at())?.as_ref().map(|(_, labels)| labels)
    }

    /// Returns the labels of the first node, ordered by name, that has a pod of this namespace which the selector
    /// matches.
    pub fn first_with_pods(&self, namespace: &str, selector: &LabelSelector) -> Option<&node::Labels> {
        let nodes = self.placed.nodes(namespace, selector).filter_map(|node| self.nodes.get(node.at())?.as_ref());
        nodes.min_by(|(one, _), (two, _)| (**one).cmp(&**two)).map(|(_, labels)| labels)
    }
}

impl Index<Args> for Cluster {
    type Nodes = (node::Name, node::Labels);
    type Pods = (pod::Namespace, pod::Labels, pod::Deleting);
    type PendingPods = ();

    fn new(_: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, (name, labels): (&node::Name, &node::Labels)) {
        if node.at() >= self.nodes.len() {
            self.nodes.resize_with(node.at() + 1, || None);
        }
        // The list was extended above.
        self.nodes[node.at()] = Some((name.clone(), labels.clone()));
    }

    fn node_removed(&mut self, node: node::Id) {
        if let Some(known) = self.nodes.get_mut(node.at()) {
            *known = None;
        }
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, facts: (&pod::Namespace, &pod::Labels, &pod::Deleting)) {
        self.placed.set(pod, node, facts);
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.placed.remove(pod);
    }

    fn kinds(_: &Args) -> Vec<Kind> {
        Selectors::services_alone()
    }

    fn object_set(&mut self, object: &Object<'_>) {
        self.selectors.set(object);
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        self.selectors.remove(object);
    }
}
