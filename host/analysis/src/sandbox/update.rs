//! Brings a sandbox in line with a newer copy of the cluster. Plugins receive the differences only, which takes much less
//! time than a new sandbox.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use berth_core::model::Pod;
use berth_core::{Event, Timestamp};

use super::state::Sandbox;
use super::undo::Position;
use crate::copy::ClusterCopy;

impl Sandbox {
    /// Undoes all changes, and replaces the cluster by this copy and the time by `now`. The copy must have the kinds of
    /// the first copy. Profiles and components stay the same; if they change, create a new sandbox.
    pub fn update(&mut self, copy: &ClusterCopy, now: Timestamp) {
        self.revert_to(Position::default());
        self.now = now;
        let events = [self.new_nodes(copy), self.new_pods(copy), self.new_pending(copy), self.new_objects(copy)];
        events.into_iter().flatten().for_each(|event| drop(self.step(event)));
    }

    fn new_nodes(&self, copy: &ClusterCopy) -> Vec<Event> {
        let cache = self.core().cache();
        let names: HashSet<&str> = copy.nodes.iter().map(|node| &*node.name).collect();
        let gone = cache.nodes().filter(|info| !names.contains(&*info.node.name));
        let gone = gone.map(|info| Event::NodeRemoved(info.node.name.clone()));
        let changed = copy.nodes.iter().filter(|node| {
            let known = cache.node_id(&node.name).and_then(|id| cache.node(id));
            known.is_none_or(|info| !is_same(&info.node, node))
        });
        gone.chain(changed.map(|node| Event::NodeSet(Arc::clone(node)))).collect()
    }

    fn new_pods(&self, copy: &ClusterCopy) -> Vec<Event> {
        let cache = self.core().cache();
        let uids: HashSet<&str> = copy.pods.iter().map(|pod| &*pod.key.uid).collect();
        let gone = cache.pods().map(|(_, cached)| &cached.pod).filter(|pod| !uids.contains(&*pod.key.uid));
        let gone = gone.map(|pod| Event::PodRemoved(pod.key.clone()));
        let changed = copy.pods.iter().filter(|pod| {
            let known = cache.pod_by_uid(&pod.key.uid);
            known.is_none_or(|cached| !is_same(&cached.pod, pod))
        });
        gone.chain(changed.map(|pod| Event::PodSet(Arc::clone(pod)))).collect()
    }

    fn new_pending(&self, copy: &ClusterCopy) -> Vec<Event> {
        let wanted: Vec<&Arc<Pod>> = copy.pending.iter().filter(|pod| self.wants_pending(pod)).collect();
        let uids: HashSet<&str> = wanted.iter().map(|pod| &*pod.key.uid).collect();
        let core = self.core();
        // The queue has no order.
        let queued: BTreeSet<&berth_core::model::PodKey> = core.queue().all().map(|entry| &entry.pod.key).collect();
        let others = core.unclaimed_pods().map(|pod| &pod.key);
        let gone = queued.into_iter().chain(others).filter(|key| !uids.contains(&*key.uid));
        let gone = gone.map(|key| Event::PodRemoved(key.clone()));
        let changed = wanted.into_iter().filter(|pod| {
            let known = core.queue().get(&pod.key.uid).map(|entry| core.nominations().with_nomination(&entry.pod));
            known.is_none_or(|known| !is_same(&known, pod))
        });
        gone.chain(changed.map(|pod| Event::PodSet(Arc::clone(pod)))).collect()
    }

    fn new_objects(&self, copy: &ClusterCopy) -> Vec<Event> {
        let objects = self.core().cache().objects();
        let keys: HashSet<&berth_core::model::ObjectKey> = copy.objects.iter().map(|object| &object.key).collect();
        let gone = objects.iter().map(|(_, cached)| &cached.object.key).filter(|key| !keys.contains(*key));
        let gone = gone.map(|key| Event::ObjectRemoved(key.clone()));
        let changed = copy.objects.iter().filter(|object| {
            let is_read = objects.kind_id(&object.key.kind).is_some_and(|kind| objects.fields(kind).is_some());
            is_read && objects.by_key(&object.key).is_none_or(|cached| !is_same(&cached.object, object))
        });
        gone.chain(changed.map(|object| Event::ObjectSet(Arc::clone(object)))).collect()
    }
}

fn is_same<T: PartialEq>(one: &Arc<T>, other: &Arc<T>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}
