//! A reader of the pending pods, which checks them.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::Core;
use berth_core::cache::{Change, PodId};
use berth_core::model::Pod;

/// The pending pods, as the change log shows them.
#[derive(Default)]
pub struct PendingPods {
    position: u64,
    known: BTreeMap<PodId, Arc<Pod>>,
}

impl PendingPods {
    /// Reads the log. Checks that the pending pods are the pods in the queue, that the log has all of their changes, and
    /// that no pod on a node has the id of a pending pod. If no plugin reads pending pods, there are none.
    pub fn catch_up(&mut self, core: &Core, is_read: bool, seed: u64) {
        let cache = core.cache();
        let now = || cache.pending_pods().map(|(id, pod)| (id, Arc::clone(pod)));
        match cache.log().since(self.position) {
            None => self.known = now().collect(),
            Some(changes) => changes.for_each(|change| self.apply(change, core)),
        }
        self.position = cache.log().end();
        assert_eq!(self.known, now().collect(), "seed {seed}: the log misses a change of a pending pod");
        let both = self.known.keys().find(|id| cache.pod(**id).is_some());
        assert_eq!(both, None, "seed {seed}: a pod on a node has the id of a pending pod");
        let uids = |pods: &mut dyn Iterator<Item = &Arc<Pod>>| -> BTreeMap<Box<str>, Arc<Pod>> {
            pods.map(|pod| (pod.key.uid.clone(), Arc::clone(pod))).collect()
        };
        let queued = core.queue().all().map(|entry| &entry.pod);
        let expected = uids(&mut queued.filter(|_| is_read));
        assert_eq!(uids(&mut self.known.values()), expected, "seed {seed}: pending pods");
    }

    fn apply(&mut self, change: Change, core: &Core) {
        match change {
            Change::PendingPod(id) => {
                if let Some(pod) = core.cache().pending_pod(id) {
                    self.known.insert(id, Arc::clone(pod));
                }
            }
            Change::PendingPodRemoved(id) if core.cache().pending_pod(id).is_none() => drop(self.known.remove(&id)),
            _ => {}
        }
    }
}
