//! Pods that await evictions, because no attempt can succeed before their victims are being deleted; and pods that
//! await their victims, which are all being deleted but have not left the node yet.

use std::collections::BTreeSet;

use super::Queue;
use super::admission::AdmissionRequest;
use super::advisor::HelpedPods;
use super::entry::{QueuedPod, Rejection};
use super::incoming::{Cause, PodChange};
use super::position::Position;
use super::waiters::Waiter;
use crate::time::Timestamp;

/// What happens to a pod after the evictions for it have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEvictions {
    /// The pod waits for an event that helps, as after any rejection.
    Waits,
    /// As `Waits`, but preempted pods are still leaving its nominated node ([`QueuedPod::awaits_victims`]).
    AwaitsVictims,
    /// The pod is tried after its backoff.
    Retries,
    /// The pod is tried at once, because a victim could not be evicted or a plugin activated the pod.
    Activates,
}

impl Queue {
    /// Keeps a rejected pod while pods are evicted for it. Events do not move it until [`Queue::evictions_ended`].
    /// kube-scheduler's DefaultPreemption does the same in its PreEnqueue.
    pub fn await_evictions(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        self.end_ticket(&mut entry);
        let position = Position::AwaitsEvictions(self.arrival());
        self.enter(position, entry, Some(Cause::AttemptFailed));
    }

    /// Moves a pod on after the evictions for it have ended. From now on events count for the pod. Changes of the pod
    /// itself while it awaited evictions count as well.
    pub fn evictions_ended(&mut self, uid: &str, next: AfterEvictions) {
        if !matches!(self.pods.get(uid), Some((Position::AwaitsEvictions(_), _))) {
            return;
        }
        let Some((_, mut entry)) = self.take(uid) else { return };
        let changed = entry.changed;
        let next = if std::mem::take(&mut entry.activated) { AfterEvictions::Activates } else { next };
        match next {
            AfterEvictions::Waits | AfterEvictions::AwaitsVictims if entry.is_helped_by(changed) => {
                let change = PodChange::of(&entry.pod, changed.intersection(entry.facts_that_help()));
                self.enqueue(entry, AdmissionRequest::for_cause(Cause::PodUpdated(change)));
            }
            AfterEvictions::Waits | AfterEvictions::AwaitsVictims => {
                entry.awaits_victims = next == AfterEvictions::AwaitsVictims;
                let position = Position::Unschedulable(entry.queued, self.arrival());
                self.enter(position, entry, None);
            }
            AfterEvictions::Retries => {
                self.enqueue(entry, AdmissionRequest::for_cause(Cause::PodUpdated(PodChange::Other)))
            }
            AfterEvictions::Activates => {
                self.enqueue(entry, AdmissionRequest::for_cause(Cause::Activated).at_once(true))
            }
        }
    }

    /// Ends the special treatment of a pod that awaits its victims ([`QueuedPod::awaits_victims`]), because no pod is
    /// leaving its nominated node any more or the nomination changed. Events then help the pod as they help any other
    /// pod.
    pub fn stop_awaiting_victims(&mut self, uid: &str) {
        if !self.get(uid).is_some_and(|entry| entry.awaits_victims) {
            return;
        }
        if let Some((position, mut entry)) = self.take(uid) {
            entry.awaits_victims = false;
            self.put(position, entry);
        }
    }

    /// Returns those of `waiters` that `helped` names.
    pub(super) fn waiters_among(&self, waiters: &BTreeSet<Waiter>, helped: HelpedPods) -> Vec<Waiter> {
        let waits = |uid: Box<str>| {
            let number = self.pods.get(&uid)?.0.waits()?;
            Some((number, uid)).filter(|waiter| waiters.contains(waiter))
        };
        match helped {
            HelpedPods::All => waiters.iter().cloned().collect(),
            HelpedPods::Only(uids) => uids.into_iter().filter_map(waits).collect(),
        }
    }
}
