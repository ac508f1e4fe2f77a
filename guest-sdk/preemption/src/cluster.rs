//! The nodes, the pods on them, and PodDisruptionBudgets.

use std::collections::BTreeMap;

use berth_guest::{node, pod};

use crate::budgets::Budgets;
use crate::resident::Resident;

/// The nodes, the pods on them, and PodDisruptionBudgets. A plugin's index updates it.
#[derive(Debug, Default)]
pub struct Cluster {
    /// Node names by node id; empty for an unused id.
    names: Vec<String>,
    /// Node ids by node name.
    ids: BTreeMap<String, node::Id>,
    /// Pod ids by node id. The pods of a node are in the order in which the host added them.
    on_node: Vec<Vec<pod::Id>>,
    /// Pods by pod id.
    pods: Vec<Option<Resident>>,
    /// PodDisruptionBudgets.
    pub budgets: Budgets,
}

/// The facts of a pod on a node that the cluster receives.
pub type PodFacts<'a> = (&'a pod::Name, &'a pod::Namespace, &'a pod::Labels, &'a pod::Priority, &'a pod::StartTime);

impl Cluster {
    /// Adds a node, or changes its name.
    pub fn set_node(&mut self, node: node::Id, name: &node::Name) {
        if self.name(node) != name.0 {
            self.remove_node(node);
            grow(&mut self.names, node.at()).clone_from(&name.0);
        }
        self.ids.insert(name.0.clone(), node);
    }

    /// Removes a node.
    pub fn remove_node(&mut self, node: node::Id) {
        let name = std::mem::take(grow(&mut self.names, node.at()));
        // A new node may have the name already.
        if self.ids.get(&name) == Some(&node) {
            self.ids.remove(&name);
        }
    }

    /// Adds a pod to a node, or replaces its facts.
    pub fn set_pod(&mut self, id: pod::Id, node: node::Id, facts: PodFacts<'_>) {
        let (name, namespace, labels, priority, started) = facts;
        let moved = grow(&mut self.pods, id.at()).as_ref().is_none_or(|known| known.node != node);
        if moved {
            self.remove_pod(id);
            grow(&mut self.on_node, node.at()).push(id);
        }
        *grow(&mut self.pods, id.at()) = Some(Resident {
            node,
            name: name.0.clone(),
            namespace: namespace.0.clone(),
            labels: labels.clone(),
            priority: priority.value,
            started: (started.0 != 0).then(|| started.0.saturating_mul(1000)),
        });
    }

    /// Removes a pod from its node.
    pub fn remove_pod(&mut self, id: pod::Id) {
        if let Some(pod) = grow(&mut self.pods, id.at()).take() {
            grow(&mut self.on_node, pod.node.at()).retain(|known| *known != id);
        }
    }

    /// Returns the pods on a node.
    pub fn pods_on(&self, node: node::Id) -> impl Iterator<Item = (pod::Id, &Resident)> {
        let ids = self.on_node.get(node.at()).into_iter().flatten();
        ids.filter_map(|id| Some((*id, self.pod(*id)?)))
    }

    /// Returns the pod with this id, if the pod is on a node.
    pub fn pod(&self, id: pod::Id) -> Option<&Resident> {
        self.pods.get(id.at())?.as_ref()
    }

    /// Returns a node's name; empty for an unknown node.
    pub fn name(&self, node: node::Id) -> &str {
        self.names.get(node.at()).map_or("", String::as_str)
    }

    /// Returns the node with this name.
    pub fn node(&self, name: &str) -> Option<node::Id> {
        self.ids.get(name).copied()
    }
}

/// Returns the element at `at`. Extends the list with default values if necessary.
fn grow<T: Default>(list: &mut Vec<T>, at: usize) -> &mut T {
    if at >= list.len() {
        list.resize_with(at + 1, T::default);
    }
    // The list was extended above.
    &mut list[at]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> node::Name {
        node::Name(name.to_owned())
    }

    #[test]
    fn a_node_is_found_by_its_present_name() {
        let mut cluster = Cluster::default();
        cluster.set_node(node::Id(0), &named("a"));
        assert_eq!((cluster.node("a"), cluster.node(""), cluster.node("b")), (Some(node::Id(0)), None, None));
        cluster.set_node(node::Id(0), &named("b"));
        assert_eq!((cluster.node("a"), cluster.node("b"), cluster.name(node::Id(0))), (None, Some(node::Id(0)), "b"));
        // A node may return with another id before the host removes the old one.
        cluster.set_node(node::Id(1), &named("b"));
        cluster.remove_node(node::Id(0));
        assert_eq!((cluster.node("b"), cluster.name(node::Id(0))), (Some(node::Id(1)), ""));
        cluster.remove_node(node::Id(1));
        assert_eq!(cluster.node("b"), None);
    }

    #[test]
    fn a_pod_is_on_one_node_at_a_time() {
        let mut cluster = Cluster::default();
        let place = |cluster: &mut Cluster, node, priority| {
            let (name, namespace) = (pod::Name("p".to_owned()), pod::Namespace("default".to_owned()));
            let priority = pod::Priority { value: priority, ..pod::Priority::default() };
            let labels = pod::Labels::default();
            cluster.set_pod(pod::Id(3), node::Id(node), (&name, &namespace, &labels, &priority, &pod::StartTime(5)));
        };
        let on =
            |cluster: &Cluster, node| -> Vec<pod::Id> { cluster.pods_on(node::Id(node)).map(|(id, _)| id).collect() };
        place(&mut cluster, 0, 1);
        assert_eq!(cluster.pod(pod::Id(3)).map(|pod| (pod.priority, pod.started)), Some((1, Some(5000))));
        place(&mut cluster, 1, 2);
        assert_eq!((on(&cluster, 0), on(&cluster, 1)), (vec![], vec![pod::Id(3)]));
        assert_eq!(cluster.pod(pod::Id(3)).map(|pod| pod.priority), Some(2));
        cluster.remove_pod(pod::Id(3));
        assert!(on(&cluster, 1).is_empty() && cluster.pod(pod::Id(3)).is_none());
    }
}
