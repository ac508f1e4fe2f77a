//! The pending pods, for plugins that read them.
//!
//! Pending pods have ids from the same space as pods on nodes, but are stored separately, so that nothing counts them
//! as pods on nodes. The cache holds no pending pods unless [`Cache::keep_pending_pods`] was called.

use std::sync::Arc;

use super::Cache;
use super::ids::PodId;
use super::log::Change;
use super::register::{Keyed, Register};
use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::model::Pod;
use crate::pod_signature::changed_facts;

/// The pending pods, by uid. `None` if the cache does not hold pending pods.
pub(crate) type PendingPods = Option<Register<PendingPod>>;

/// A pending pod.
#[derive(Clone, Debug)]
pub(crate) struct PendingPod {
    /// An id that the pods on nodes lent ([`super::ids::Slab::lend`]).
    pub id: PodId,
    pub pod: Arc<Pod>,
}

impl Keyed for PendingPod {
    type Key = str;

    fn key(&self) -> &str {
        &self.pod.key.uid
    }
}

impl Cache {
    /// Sets whether the cache holds the pending pods. `pods` returns all pending pods, and is called when the cache
    /// begins to hold them. Returns whether the setting changed.
    pub fn keep_pending_pods(&mut self, keep: bool, pods: impl FnOnce() -> Vec<Arc<Pod>>) -> bool {
        if keep == self.pending.is_some() {
            return false;
        }
        if keep {
            self.pending = Some(Register::default());
            pods().iter().for_each(|pod| self.add_pending_pod(pod));
        } else {
            for pending in self.pending.take().iter().flat_map(|pending| pending.iter()) {
                self.pods.take_back(pending.id.0);
                self.log.push(Change::PendingPodRemoved(pending.id));
            }
        }
        self.trim();
        true
    }

    /// Adds or updates a pending pod, if the cache holds pending pods.
    pub fn set_pending_pod(&mut self, pod: &Arc<Pod>) {
        let Some(pending) = &mut self.pending else { return };
        let known = pending.find(&pod.key.uid).and_then(|key| pending.get_mut(key));
        let event = match known {
            Some(known) if known.pod == *pod => return,
            Some(known) => {
                let before = std::mem::replace(&mut known.pod, Arc::clone(pod));
                self.log.push(Change::PendingPod(known.id));
                let changed = changed_facts(&before, pod);
                ClusterEvent::pending_pod(Some(before), Some(Arc::clone(pod)), changed)
            }
            None => {
                self.add_pending_pod(pod);
                ClusterEvent::pending_pod(None, Some(Arc::clone(pod)), PodFacts::all())
            }
        };
        self.events.push(event);
        self.trim();
    }

    /// Removes a pending pod, if the cache holds it.
    pub fn remove_pending_pod(&mut self, uid: &str) {
        let Some(pending) = &mut self.pending else { return };
        let Some((key, removed)) = pending.find(uid).and_then(|key| Some((key, pending.retire(key)?))) else { return };
        // No reader knows the key.
        pending.free(key);
        self.pods.take_back(removed.id.0);
        self.log.push(Change::PendingPodRemoved(removed.id));
        self.events.push(ClusterEvent::pending_pod(Some(removed.pod), None, PodFacts::all()));
        self.trim();
    }

    /// Returns the pending pods, in no particular order. Empty if the cache does not hold pending pods.
    pub fn pending_pods(&self) -> impl Iterator<Item = (PodId, &Arc<Pod>)> {
        self.pending.iter().flat_map(|pending| pending.iter()).map(|pending| (pending.id, &pending.pod))
    }

    /// Returns the pending pod with this id.
    #[must_use]
    pub fn pending_pod(&self, id: PodId) -> Option<&Arc<Pod>> {
        Some(&self.pending.as_ref()?.get(self.pods.lent(id.0)?)?.pod)
    }

    fn add_pending_pod(&mut self, pod: &Arc<Pod>) {
        let Some(pending) = &mut self.pending else { return };
        let key = pending.insert(PendingPod { id: PodId::default(), pod: Arc::clone(pod) });
        let id = PodId(self.pods.lend(key));
        if let Some(pending) = pending.get_mut(key) {
            pending.id = id;
        }
        self.log.push(Change::PendingPod(id));
    }
}

#[cfg(test)]
#[path = "pending_test.rs"]
mod tests;
