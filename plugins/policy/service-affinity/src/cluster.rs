//! The cluster as this plugin keeps it: the nodes' names and labels, the pods on them, and the Services.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::selector::LabelSelector;
use berth_guest::{node, pod};
use berth_guest_workloads::{Placed, Selectors};

use crate::Args;

/// See the module.
#[derive(Default)]
pub struct Cluster {
    /// Name and labels, by node.
    nodes: Vec<Option<(node::Name, node::Labels)>>,
    /// The pods on nodes.
    pub placed: Placed,
    /// The Services.
    pub selectors: Selectors,
}

impl Cluster {
    /// The labels of a node.
    pub fn labels(&self, node: node::Id) -> Option<&node::Labels> {
        self.nodes.get(node.at())?.as_ref().map(|(_, labels)| labels)
    }

    /// The labels of the first node by name on which the selector selects a pod in this namespace.
    pub fn first_with_pods(&self, namespace: &str, selector: &LabelSelector) -> Option<&node::Labels> {
        let nodes = self.placed.nodes(namespace, selector).filter_map(|node| self.nodes.get(node.at())?.as_ref());
        nodes.min_by(|(one, _), (two, _)| (**one).cmp(&**two)).map(|(_, labels)| labels)
    }
}

impl Index<Args> for Cluster {
    type Nodes = (node::Name, node::Labels);
    type Pods = (pod::Namespace, pod::Labels, pod::Deleting);

    fn new(_: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, (name, labels): (&node::Name, &node::Labels)) {
        if node.at() >= self.nodes.len() {
            self.nodes.resize_with(node.at() + 1, || None);
        }
        // It was made above.
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
