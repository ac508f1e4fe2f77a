//! The pods on nodes, counted by what selects them.

use berth_guest::groups::Groups;
use berth_guest::selector::LabelSelector;
use berth_guest::{node, pod};

/// Namespace and labels, and whether the pods are about to end.
type Key = (pod::Namespace, pod::Labels, bool);

/// The pods on nodes by namespace, labels and whether they are about to end.
#[derive(Debug, Default)]
pub struct Placed(Groups<Key>);

impl Placed {
    /// A pod came to a node, or changed there.
    pub fn set(
        &mut self,
        pod: pod::Id,
        node: node::Id,
        (namespace, labels, deleting): (&pod::Namespace, &pod::Labels, &pod::Deleting),
    ) {
        self.0.set(pod, node, (namespace.clone(), labels.clone(), deleting.0), |_| ());
    }

    /// A pod left its node.
    pub fn remove(&mut self, pod: pod::Id) {
        self.0.remove(pod);
    }

    /// The nodes of all pods that the selector selects in a namespace: one as often as it has such pods.
    pub fn nodes<'a>(&'a self, namespace: &'a str, selector: &'a LabelSelector) -> impl Iterator<Item = node::Id> {
        self.nodes_of(namespace, selector, true)
    }

    /// How many pods each of these nodes has that the selector selects in a namespace, without those that are about to end. None,
    /// where it selects everything: nothing is known then of what is to be spread.
    pub fn counts(&self, namespace: &str, selector: &LabelSelector, nodes: node::Ids<'_>) -> Vec<i64> {
        if selector.is_everything() {
            return vec![0; nodes.len()];
        }
        let mut counts: Vec<i64> = Vec::new();
        for node in self.nodes_of(namespace, selector, false) {
            if node.at() >= counts.len() {
                counts.resize(node.at() + 1, 0);
            }
            // It was made above.
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
