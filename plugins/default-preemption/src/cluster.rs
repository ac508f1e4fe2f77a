//! The plugin's index of the cluster: the pods of each node, and PodDisruptionBudgets.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::{node, pod};

use crate::args::Args;
use crate::budgets::{self, Budgets};
use crate::resident::Resident;

/// The plugin's index of the cluster.
#[derive(Debug, Default)]
pub struct Cluster {
    /// Node names by node id; empty for an unused id.
    names: Vec<String>,
    /// Pod ids by node id. The pods of a node are in the order in which the host added them.
    on_node: Vec<Vec<pod::Id>>,
    /// Pods by pod id.
    pods: Vec<Option<Resident>>,
    /// PodDisruptionBudgets.
    pub budgets: Budgets,
}

type PodFacts<'a> = (&'a pod::Name, &'a pod::Namespace, &'a pod::Labels, &'a pod::Priority, &'a pod::StartTime);

impl Index<Args> for Cluster {
    type Nodes = node::Name;
    type Pods = (pod::Name, pod::Namespace, pod::Labels, pod::Priority, pod::StartTime);
    type PendingPods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, name: &node::Name) {
        grow(&mut self.names, node.at()).clone_from(&name.0);
    }

    fn node_removed(&mut self, node: node::Id) {
        grow(&mut self.names, node.at()).clear();
    }

    fn pod_set(&mut self, id: pod::Id, node: node::Id, facts: PodFacts<'_>) {
        let (name, namespace, labels, priority, started) = facts;
        let moved = grow(&mut self.pods, id.at()).as_ref().is_none_or(|known| known.node != node);
        if moved {
            self.pod_removed(id);
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

    fn pod_removed(&mut self, id: pod::Id) {
        if let Some(pod) = grow(&mut self.pods, id.at()).take() {
            grow(&mut self.on_node, pod.node.at()).retain(|known| *known != id);
        }
    }

    fn kinds(_args: &Args) -> Vec<Kind> {
        vec![budgets::kind()]
    }

    fn object_set(&mut self, budget: &Object<'_>) {
        self.budgets.set(budget);
    }

    fn object_removed(&mut self, budget: &Object<'_>) {
        self.budgets.remove(budget);
    }
}

impl Cluster {
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

    /// Returns the node with this name. A linear search is sufficient, because few pods have a nominated node.
    pub fn node(&self, name: &str) -> Option<node::Id> {
        let at = self.names.iter().position(|known| known == name && !name.is_empty())?;
        // Node ids are u32.
        Some(node::Id(at as u32))
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
