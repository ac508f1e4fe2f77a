//! Activation: plugins move pending pods to the active sub-queue.

use super::Queue;
use super::admission::AdmissionRequest;
use super::incoming::Cause;
use super::position::Position;

impl Queue {
    /// Moves a waiting pod to the active sub-queue without waiting for its backoff. A gated pod has to pass pre-enqueue
    /// first. If the pod can't move now, the activation is remembered ([`Queue::remember_activation`]).
    pub fn activate(&mut self, uid: &str) {
        if self.remember_activation(uid) || matches!(self.pods.get(uid), Some((Position::Active(..), _))) {
            return;
        }
        if let Some((_, entry)) = self.take(uid) {
            self.enqueue(entry, AdmissionRequest::for_cause(Cause::Activated).at_once(true));
        }
    }

    /// Remembers the activation of a pod that waits for admission or awaits evictions. Returns whether the pod does. A
    /// pod that comes back rejected from an attempt is tried again after its backoff, as in kube-scheduler. A pod that
    /// awaits evictions is tried again as soon as they have ended.
    pub fn remember_activation(&mut self, uid: &str) -> bool {
        let Some((Position::Admission | Position::AwaitsEvictions(_), entry)) = self.pods.get_mut(uid) else {
            return false;
        };
        entry.activated = true;
        true
    }
}
