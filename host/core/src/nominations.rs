//! Nominations of nodes for pending pods: `status.nominatedNodeName`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::cluster_event::ClusterEvent;
use crate::facts::NodeFacts;
use crate::model::Pod;

/// The nominated nodes of pending pods. Filters count a nominated pod as a pod on its node, for pods of its priority
/// and below (kube-scheduler's nominator).
#[derive(Clone, Debug, Default)]
pub struct Nominations {
    /// By the pod's uid.
    pub(crate) pods: HashMap<Box<str>, Nominated>,
    /// By the node's name, then by the pod's uid.
    by_node: HashMap<Box<str>, BTreeMap<Box<str>, Arc<Pod>>>,
    /// Events since the last call of [`Self::take_events`].
    pub(crate) events: Vec<ClusterEvent>,
}

/// A pod with a nominated node.
#[derive(Clone, Debug)]
pub struct Nominated {
    /// The pod as last seen.
    pub pod: Arc<Pod>,
    /// The node's name.
    pub node: Box<str>,
}

impl Nominations {
    /// Returns whether no pod has a nominated node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Returns the names of nominated nodes, each with its nominated pods. The nodes are in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &Arc<Pod>>)> {
        self.by_node.iter().map(|(node, pods)| (&**node, pods.values()))
    }

    /// Returns the number of nodes that are nominated for at least one pod.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.by_node.len()
    }

    /// Returns the name of the pod's nominated node.
    #[must_use]
    pub fn node_of(&self, uid: &str) -> Option<&str> {
        self.pods.get(uid).map(|nominated| &*nominated.node)
    }

    /// Returns the pod with its nominated node.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&Nominated> {
        self.pods.get(uid)
    }

    /// Returns the pod with its current nomination in `nominated_node_name`, which the API server may not have yet.
    #[must_use]
    pub fn with_nomination(&self, pod: &Arc<Pod>) -> Arc<Pod> {
        let node = self.node_of(&pod.key.uid).unwrap_or_default();
        if *pod.nominated_node_name == *node {
            return Arc::clone(pod);
        }
        Arc::new(Pod { nominated_node_name: node.into(), ..Pod::clone(pod) })
    }

    /// Returns the pods that are nominated to this node, in the order of their uids.
    pub fn on(&self, node: &str) -> impl Iterator<Item = &Arc<Pod>> {
        self.by_node.get(node).into_iter().flat_map(BTreeMap::values)
    }

    /// Applies a pending pod that appeared or changed. A nomination that the API server does not have yet stays if
    /// the update changes other fields only.
    pub fn set(&mut self, pod: &Arc<Pod>) {
        let kept = match self.pods.get(&pod.key.uid) {
            Some(before) if before.pod.nominated_node_name == pod.nominated_node_name => before.node.clone(),
            _ => pod.nominated_node_name.clone(),
        };
        self.nominate(pod, &kept);
    }

    /// Nominates this node for the pod. An empty name clears the nomination.
    pub fn nominate(&mut self, pod: &Arc<Pod>, node: &str) {
        if self.pods.get(&pod.key.uid).is_some_and(|before| *before.node != *node) {
            self.withdraw(&pod.key.uid);
        }
        self.remove(&pod.key.uid);
        if node.is_empty() {
            return;
        }
        self.pods.insert(pod.key.uid.clone(), Nominated { pod: Arc::clone(pod), node: node.into() });
        self.by_node.entry(node.into()).or_default().insert(pod.key.uid.clone(), Arc::clone(pod));
    }

    /// Ends the nomination of a pod that got this node. If another node was nominated, that node is free for others.
    pub fn assigned(&mut self, uid: &str, node: &str) {
        match self.pods.get(uid) {
            Some(nominated) if *nominated.node == *node => drop(self.remove(uid)),
            _ => self.withdraw(uid),
        }
    }

    /// Clears the pod's nomination, which frees the node for others.
    pub fn withdraw(&mut self, uid: &str) {
        if let Some(Nominated { pod, .. }) = self.remove(uid) {
            self.node_released(pod);
        }
    }

    /// Adds the event that a nominated pod does not use its nominated node.
    pub fn node_released(&mut self, pod: Arc<Pod>) {
        let up_to_priority = Some(pod.spec.priority);
        let facts = NodeFacts::USAGE | NodeFacts::USED_PORTS | NodeFacts::PODS;
        self.events.push(ClusterEvent { up_to_priority, ..ClusterEvent::pod(Some(pod), None, facts) });
    }

    /// Returns the events since the last call. If a nominated pod gives up its node, the event is that of a pod that
    /// left the node, for pods up to its priority.
    pub fn take_events(&mut self) -> Vec<ClusterEvent> {
        std::mem::take(&mut self.events)
    }

    fn remove(&mut self, uid: &str) -> Option<Nominated> {
        let nominated = self.pods.remove(uid)?;
        if let Some(pods) = self.by_node.get_mut(&nominated.node) {
            pods.remove(uid);
            if pods.is_empty() {
                self.by_node.remove(&nominated.node);
            }
        }
        Some(nominated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PodKey;

    fn pod(nominated: &str) -> Arc<Pod> {
        let key = PodKey { uid: "p".into(), ..PodKey::default() };
        Arc::new(Pod { key, nominated_node_name: nominated.into(), ..Pod::default() })
    }

    /// Returns the number of nominated pods on node a, on node b, and the number of events.
    fn state(nominations: &mut Nominations) -> (usize, usize, usize) {
        (nominations.on("a").count(), nominations.on("b").count(), nominations.take_events().len())
    }

    #[test]
    fn an_update_keeps_a_newer_nomination() {
        let mut nominations = Nominations::default();
        nominations.set(&pod("a"));
        assert_eq!(state(&mut nominations), (1, 0, 0));
        nominations.set(&pod("b"));
        assert_eq!(state(&mut nominations), (0, 1, 1), "node a is released");
        nominations.nominate(&pod("b"), "a");
        assert_eq!(state(&mut nominations), (1, 0, 1));
        nominations.set(&pod("b"));
        assert_eq!(state(&mut nominations), (1, 0, 0), "an update of something else, older than the nomination");
        nominations.set(&pod(""));
        assert_eq!(state(&mut nominations), (0, 0, 1));
        assert!(nominations.is_empty());
    }

    #[test]
    fn a_nominated_node_is_released_by_another_assignment() {
        for (placed, pods) in [("a", 0), ("b", 1)] {
            let mut nominations = Nominations::default();
            nominations.set(&pod("a"));
            nominations.assigned("p", placed);
            assert_eq!(state(&mut nominations), (0, 0, pods), "{placed}");
        }
    }
}
