//! Undoes changes of the copy. A change is undone by sending the object's former version, so that plugins receive one
//! change and are not filled again.

use std::sync::Arc;

use berth_core::Event;
use berth_core::model::{ObjectKey, Pod, PodKey};

use super::state::Sandbox;

/// A position in the sequence of changes of a [`Sandbox`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(usize);

impl Sandbox {
    /// Returns the position after the latest change.
    #[must_use]
    pub fn position(&self) -> Position {
        Position(self.undo.len())
    }

    /// Undoes all changes after this position, the latest first.
    pub fn revert_to(&mut self, position: Position) {
        while self.undo.len() > position.0
            && let Some(events) = self.undo.pop()
        {
            events.into_iter().for_each(|event| drop(self.step(event)));
        }
    }

    /// Applies a change and remembers how to undo it.
    pub(super) fn change(&mut self, event: Event) {
        let undo = self.inverse(&event);
        self.undo.push(undo);
        self.step(event);
    }

    /// Returns the events that restore the object that `event` changes.
    fn inverse(&self, event: &Event) -> Vec<Event> {
        match event {
            Event::NodeSet(node) => vec![self.node_before(&node.name)],
            Event::NodeRemoved(name) => vec![self.node_before(name)],
            Event::PodSet(pod) => self.pod_before(&pod.key),
            Event::PodRemoved(key) => self.pod_before(key),
            Event::ObjectSet(object) => vec![self.object_before(&object.key)],
            Event::ObjectRemoved(key) => vec![self.object_before(key)],
            _ => Vec::new(),
        }
    }

    fn node_before(&self, name: &str) -> Event {
        let cache = self.core().cache();
        let node = cache.node_id(name).and_then(|id| cache.node(id));
        node.map_or_else(|| Event::NodeRemoved(name.into()), |info| Event::NodeSet(Arc::clone(&info.node)))
    }

    fn object_before(&self, key: &ObjectKey) -> Event {
        let object = self.core().cache().objects().by_key(key);
        object.map_or_else(|| Event::ObjectRemoved(key.clone()), |cached| Event::ObjectSet(Arc::clone(&cached.object)))
    }

    fn pod_before(&self, key: &PodKey) -> Vec<Event> {
        // The removal comes first, because a pod that has a node can't become pending.
        let removed = Event::PodRemoved(key.clone());
        let before = self.pod(&key.uid).map(Event::PodSet);
        std::iter::once(removed).chain(before).collect()
    }

    /// Returns the pod with this uid: a pod with a node, or a pending pod with its current nomination.
    #[must_use]
    pub fn pod(&self, uid: &str) -> Option<Arc<Pod>> {
        let core = self.core();
        let with_node = || core.cache().pod_by_uid(uid).map(|cached| Arc::clone(&cached.pod));
        let queued = || core.queue().get(uid).map(|entry| core.nominations().with_nomination(&entry.pod));
        let unclaimed = || core.unclaimed_pods().find(|pod| *pod.key.uid == *uid).cloned();
        with_node().or_else(queued).or_else(unclaimed)
    }
}
