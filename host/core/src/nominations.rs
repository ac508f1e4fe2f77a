//! Room on a node that was promised to a pending pod: `status.nominatedNodeName`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::cluster_event::ClusterEvent;
use crate::facts::NodeFacts;
use crate::model::Pod;

/// Which pending pods count on which nodes, for pods of their priority and below (kube-scheduler's nominator).
#[derive(Clone, Debug, Default)]
pub struct Nominations {
    /// By uid.
    pods: HashMap<Box<str>, Nominated>,
    /// By the node's name, then by uid.
    by_node: HashMap<Box<str>, BTreeMap<Box<str>, Arc<Pod>>>,
    /// Since they were taken last.
    events: Vec<ClusterEvent>,
}

/// A pod to which room is promised.
#[derive(Clone, Debug)]
pub struct Nominated {
    /// The pod as it was seen last.
    pub pod: Arc<Pod>,
    /// The node's name.
    pub node: Box<str>,
}

impl Nominations {
    /// Nothing is promised to anyone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// The names of nodes on which room is promised, with those to whom it is; in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &Arc<Pod>>)> {
        self.by_node.iter().map(|(node, pods)| (&**node, pods.values()))
    }

    /// On how many nodes room is promised.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.by_node.len()
    }

    /// The name of the node on which room is promised to the pod.
    #[must_use]
    pub fn node_of(&self, uid: &str) -> Option<&str> {
        self.pods.get(uid).map(|nominated| &*nominated.node)
    }

    /// The pod, with the node on which room is promised to it.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&Nominated> {
        self.pods.get(uid)
    }

    /// The pod with the node that is promised to it, of which the API server may not have heard yet.
    #[must_use]
    pub fn told(&self, pod: &Arc<Pod>) -> Arc<Pod> {
        let node = self.node_of(&pod.key.uid).unwrap_or_default();
        if *pod.nominated_node_name == *node {
            return Arc::clone(pod);
        }
        Arc::new(Pod { nominated_node_name: node.into(), ..Pod::clone(pod) })
    }

    /// The pods to whom room on this node is promised, by uid.
    pub fn on(&self, node: &str) -> impl Iterator<Item = &Arc<Pod>> {
        self.by_node.get(node).into_iter().flat_map(BTreeMap::values)
    }

    /// A pending pod appeared or changed. A nomination that the API server has not seen yet outlives a change of
    /// something else.
    pub fn set(&mut self, pod: &Arc<Pod>) {
        let kept = match self.pods.get(&pod.key.uid) {
            Some(before) if before.pod.nominated_node_name == pod.nominated_node_name => before.node.clone(),
            _ => pod.nominated_node_name.clone(),
        };
        self.nominate(pod, &kept);
    }

    /// Promises room on this node to the pod; with an empty name, nowhere.
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

    /// The pod got this node: room that was promised on another is free.
    pub fn placed(&mut self, uid: &str, node: &str) {
        match self.pods.get(uid) {
            Some(nominated) if *nominated.node == *node => drop(self.remove(uid)),
            _ => self.withdraw(uid),
        }
    }

    /// The pod does not need the room any more: others may.
    pub fn withdraw(&mut self, uid: &str) {
        if let Some(Nominated { pod, .. }) = self.remove(uid) {
            self.room_is_free(pod);
        }
    }

    /// The pod's nomination ended, and the pod is not on that node.
    pub fn room_is_free(&mut self, pod: Arc<Pod>) {
        let up_to_priority = Some(pod.spec.priority);
        let facts = NodeFacts::USAGE | NodeFacts::USED_PORTS | NodeFacts::PODS;
        self.events.push(ClusterEvent { up_to_priority, ..ClusterEvent::pod(Some(pod), None, facts) });
    }

    /// What happened since this was asked last: to those of lower priority, a nominated pod that goes leaves its node.
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

    /// On which of the nodes a and b, and how many were told that there is room.
    fn state(nominations: &mut Nominations) -> (usize, usize, usize) {
        (nominations.on("a").count(), nominations.on("b").count(), nominations.take_events().len())
    }

    #[test]
    fn what_the_api_server_says_and_what_it_has_not_heard_of() {
        let mut nominations = Nominations::default();
        nominations.set(&pod("a"));
        assert_eq!(state(&mut nominations), (1, 0, 0));
        nominations.set(&pod("b"));
        assert_eq!(state(&mut nominations), (0, 1, 1), "room on a is free");
        nominations.nominate(&pod("b"), "a");
        assert_eq!(state(&mut nominations), (1, 0, 1));
        nominations.set(&pod("b"));
        assert_eq!(state(&mut nominations), (1, 0, 0), "an update of something else, older than the nomination");
        nominations.set(&pod(""));
        assert_eq!(state(&mut nominations), (0, 0, 1));
        assert!(nominations.is_empty());
    }

    #[test]
    fn room_is_free_where_the_pod_did_not_go() {
        for (placed, told) in [("a", 0), ("b", 1)] {
            let mut nominations = Nominations::default();
            nominations.set(&pod("a"));
            nominations.placed("p", placed);
            assert_eq!(state(&mut nominations), (0, 0, told), "{placed}");
        }
    }
}
