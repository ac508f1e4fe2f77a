//! Pods that are held while room is being made for them: no attempt of theirs can succeed before it is there.

use super::Queue;
use super::door::Knock;
use super::entry::{QueuedPod, Rejection};
use super::incoming::{Cause, PodChange};
use super::place::Place;
use crate::time::Timestamp;

/// How a pod goes on that was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// When something happens that helps it, as for any pod that was rejected.
    Waits,
    /// After its backoff: the room that was being made is another's.
    Retries,
    /// At once: room could not be made.
    Activates,
}

impl Queue {
    /// The pod was tried and rejected, and pods are being evicted for it: it is held until [`Queue::release`], whatever
    /// happens. (kube-scheduler's DefaultPreemption says so in its PreEnqueue.)
    pub fn hold(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        entry.ticket = None;
        let place = Place::Held(self.arrival());
        self.enter(place, entry, Some(Cause::AttemptFailed));
    }

    /// A pod that was held is held no more. What happens from now on counts for it, and what changed in itself meanwhile.
    pub fn release(&mut self, uid: &str, release: Release) {
        if !matches!(self.pods.get(uid), Some((Place::Held(_), _))) {
            return;
        }
        let Some((_, entry)) = self.take(uid) else { return };
        let changed = entry.changed;
        match release {
            Release::Waits if entry.is_helped_by(changed) => {
                let change = PodChange::of(&entry.pod, changed.intersection(entry.facts_that_help()));
                self.knock(entry, Knock::to_be_asked(Cause::PodUpdated(change)));
            }
            Release::Waits => {
                let place = Place::Unschedulable(entry.queued, self.arrival());
                self.enter(place, entry, None);
            }
            Release::Retries => self.knock(entry, Knock::to_be_asked(Cause::PodUpdated(PodChange::Other))),
            Release::Activates => self.knock(entry, Knock::to_be_asked(Cause::Activated).at_once(true)),
        }
    }
}
