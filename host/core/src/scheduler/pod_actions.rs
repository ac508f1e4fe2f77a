//! What plugins do with other pods than the pod that they were asked about: approve and reject pods that wait in
//! permit, and activate pods in the queue.
//!
//! The core collects these actions during a step and applies them at the end, one after the other. An action may undo
//! a reservation, and the plugins' unreserve may then return further actions. The actions of a step end, because every
//! approval and rejection takes a pod out of permit, and only a scheduling cycle lets a pod wait there.

use super::Core;
use super::pod_action_queue::QueuedActions;
use super::reservation::{Reservation, Stage};
use super::step::Step;
use crate::model::Pod;
use crate::plugins::PodActions;

impl Core {
    /// Applies the pod actions of this step.
    pub(super) fn apply_pod_actions(&mut self, step: &mut Step<'_>) {
        while let Some(QueuedActions { plugin, by, scheduler_name, pods }) = step.pod_actions.take_first() {
            let PodActions { approve, reject, activate } = pods;
            let waits = |reservation: &Reservation| {
                matches!(reservation.stage, Stage::Waiting(_)) && reservation.pod.spec.scheduler_name == scheduler_name
            };
            for uid in approve {
                if let Some(reservation) = self.reservations.take_if(&uid, waits) {
                    self.approve(reservation, |wait| wait.plugin == plugin, step);
                }
            }
            for (uid, reason) in reject {
                if let Some(reservation) = self.reservations.take_if(&uid, waits) {
                    let why = match &*reason {
                        "" => format!("rejected by plugin {plugin} while waiting on permit"),
                        reason => reason.to_owned(),
                    };
                    self.reject_waiting(reservation, &plugin, why, step);
                }
            }
            activate.iter().for_each(|uid| self.activate(uid, &by, &scheduler_name));
        }
    }

    /// Activates a pending pod of this profile, on behalf of the pod with the uid `by`. A pod that waits in permit may
    /// come back to the queue, so that its activation is remembered. A pod that activates itself must not skip the
    /// backoff after its own attempt.
    fn activate(&mut self, uid: &str, by: &str, scheduler_name: &str) {
        let is_ours = |pod: &Pod| *pod.spec.scheduler_name == *scheduler_name;
        if let Some(entry) = self.reservations.entry_mut(uid).filter(|entry| is_ours(&entry.pod)) {
            entry.remember_activation();
        } else if self.queue.get(uid).is_some_and(|entry| is_ours(&entry.pod)) {
            if uid == by {
                self.queue.remember_activation(uid);
            } else {
                self.queue.activate(uid);
            }
        }
    }
}

#[cfg(test)]
#[path = "pod_actions_test.rs"]
mod tests;
