//! Admission to the active and backoff sub-queues. All calls of plugins about pods that wait for admission are made
//! here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Queue;
use super::advisor::{Admission, Advisor};
use super::entry::QueuedPod;
use super::incoming::Cause;
use super::position::Position;
use crate::plugins::PluginError;
use crate::time::Timestamp;

/// Why and how a pod asks for admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionRequest {
    /// `None` if the pod only moves within its sub-queue.
    cause: Option<Cause>,
    /// The pod does not wait for the end of its backoff.
    at_once: bool,
    /// The pod was rejected. It is only admitted if an event or a change of the pod during its attempt may help.
    rejected: bool,
}

impl AdmissionRequest {
    /// The pod's position in the active sub-queue changed.
    pub const MOVES_IN_ACTIVE: Self = Self { cause: None, at_once: true, rejected: false };
    /// The pod's position in the backoff sub-queue changed.
    pub const MOVES_IN_BACKOFF: Self = Self { at_once: false, ..Self::MOVES_IN_ACTIVE };
    /// The pod comes back rejected from an attempt.
    pub const REJECTED: Self = Self { cause: Some(Cause::AttemptFailed), at_once: false, rejected: true };

    /// Sets whether the pod skips the rest of its backoff.
    pub const fn at_once(self, at_once: bool) -> Self {
        Self { at_once, ..self }
    }

    /// Returns the request of a pod that gets an attempt for this cause.
    pub const fn for_cause(cause: Cause) -> Self {
        Self { cause: Some(cause), at_once: false, rejected: false }
    }
}

impl Queue {
    /// Adds a pod to the pods that wait for admission.
    pub(super) fn enqueue(&mut self, mut entry: QueuedPod, request: AdmissionRequest) {
        entry.awaits_victims &= request.rejected;
        self.admissions.push((entry.pod.key.uid.clone(), request));
        self.put(Position::Admission, entry);
    }

    /// Moves each pod that waits for admission to its sub-queue. Must be called after anything that may add such
    /// pods. Returns the pods about which a plugin failed; these are not in the queue any more.
    pub fn settle(&mut self, now: Timestamp, advisor: &mut dyn Advisor) -> Vec<(QueuedPod, PluginError)> {
        let mut failed = Vec::new();
        for (uid, request) in std::mem::take(&mut self.admissions) {
            if !matches!(self.pods.get(&uid), Some((Position::Admission, _))) {
                continue;
            }
            let Some((_, entry)) = self.take(&uid) else { continue };
            failed.extend(self.admit(entry, request, now, advisor));
        }
        failed
    }

    fn admit(
        &mut self,
        mut entry: QueuedPod,
        mut request: AdmissionRequest,
        now: Timestamp,
        advisor: &mut dyn Advisor,
    ) -> Option<(QueuedPod, PluginError)> {
        let activated = std::mem::take(&mut entry.activated);
        request.at_once |= activated && !request.rejected;
        if request.rejected {
            let helped = self.helped_meanwhile(&entry, advisor).or(activated.then_some(false));
            self.end_ticket(&mut entry);
            let Some(at_once) = helped else {
                let position = Position::Unschedulable(entry.queued, self.arrival());
                self.enter(position, entry, request.cause);
                return None;
            };
            request.at_once = at_once;
        }
        if !entry.admitted {
            match advisor.admit(&entry) {
                Admission::Admitted => (entry.admitted, entry.gate) = (true, None),
                Admission::Gated(gate) => {
                    // A pod that was gated before and still is does not count as a new arrival.
                    let cause = request.cause.filter(|_| entry.gate.is_none());
                    entry.stays.gated_by = Some(Arc::clone(&gate.declaration.name));
                    entry.gate = Some(gate);
                    let position = Position::Gated(self.arrival());
                    self.enter(position, entry, cause);
                    return None;
                }
                Admission::Failed(error) => return Some((entry, error)),
            }
        }
        let key = entry.sort_key.clone().unwrap_or_else(|| advisor.sort_key(&entry));
        entry.sort_key = Some(key.clone());
        let until = self.options.backoff.end(&entry);
        let position = if request.at_once || until <= now {
            Position::Active(key, self.arrival())
        } else {
            Position::Backoff(until, key, self.arrival())
        };
        self.enter(position, entry, request.cause);
        None
    }

    /// Returns `None` if no event and no change of the pod since the start of its attempt may help the pod.
    /// `Some(true)` stands for an event that helps with a plugin that answered `Pending`, so that the pod skips its
    /// backoff. `Some(false)` stands for any other help.
    fn helped_meanwhile(&self, entry: &QueuedPod, advisor: &mut dyn Advisor) -> Option<bool> {
        let changed = entry.is_helped_by(entry.changed).then_some(false);
        let Some(ticket) = &entry.ticket else { return changed };
        let Some(events) = self.in_flight.since(ticket) else { return Some(false) };
        let mut helped = changed;
        for event in events {
            if event.up_to_priority.is_some_and(|most| entry.pod.spec.priority > most) {
                continue;
            }
            for rejector in entry.rejectors().iter().filter(|by| by.is_concerned_by(&event)) {
                if helped == Some(true) || (helped.is_some() && !rejector.pending) {
                    continue;
                }
                if advisor.hints(rejector, &event, &[&entry.pod]).contains(&true) {
                    helped = Some(rejector.pending);
                }
            }
            if entry.rejectors().is_empty() && !event.is_about_pending_pod() {
                helped = helped.or(Some(false));
            }
        }
        helped
    }
}
