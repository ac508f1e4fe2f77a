//! The pods on nodes, counted by selector.

use berth_guest::groups::Groups;
use berth_guest::selector::LabelSelector;
use berth_guest::{node, pod};

/// The namespace, the labels, and true if the pods are being deleted.
type Key = (pod::Namespace, pod::Labels, bool);

/// The pods on nodes, grouped by namespace, labels and whether they are being deleted.
#[derive(Debug, Default)]
pub struct Placed(Groups<Key>);

impl Placed {
    /// Adds or replaces a pod on a node.
    pub fn set(
        &mut self,
        pod: pod::Id,
        node: node::Id,
        (namespace, labels, deleting): (&pod::Namespace, &pod::Labels, &pod::Deleting),
    ) {
        self.0.set(pod, node, (namespace.clone(), labels.clone(), deleting.0), |_| ());
    }

    /// Removes a pod from its node.
    pub fn remove(&mut self, pod: pod::Id) {
        self.0.remove(pod);
    }

    /// Returns the node of each pod in a namespace that the selector selects. A node with several of these pods is
    /// returned several times.
    pub fn nodes<'a>(&'a self, namespace: &'a str, selector: &'a LabelSelector) -> impl Iterator<Item = node::Id> {
        self.nodes_of(namespace, selector, true)
    }

    /// Returns for each of these nodes the number of its pods in a namespace that the selector selects, without pods
    /// that are being deleted. All counts are 0 if the selector selects everything: no workload is then known whose
    /// pods could be spread.
    pub fn counts(&self, namespace: &str, selector: &LabelSelector, nodes: node::Ids<'_>) -> Vec<i64> {
        if selector.is_everything() {
            return vec![0; nodes.len()];
        }
        let mut counts: Vec<i64> = Vec::new();
        for node in self.nodes_of(namespace, selector, false) {
            if node.at() >= counts.len() {
                counts.resize(node.at() + 1, 0);
            }
            // In bounds: the resize above made the element.
            counts[node.at()] += 1;
        }
        nodes.iter().map(|node| counts.get(node.at()).copied().unwrap_or(0)).collect()
    }

    fn nodes_of<'a>(
        &'a self,
        namespace: &'a str,
        selector: &'a LabelSelector,
        deleting: bool,
    ) -> impl Iterator<Item = node::Id> {
        let groups = self.0.iter().map(|(_, group)| group).filter(move |group| {
            let (of_namespace, labels, about_to_end) = &group.key;
            **of_namespace == *namespace && (deleting || !about_to_end) && selector.matches(labels)
        });
        groups.flat_map(|group| self.0.nodes(group))
    }
}
