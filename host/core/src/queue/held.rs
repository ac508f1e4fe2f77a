//! Pods that are held while their victims are evicted, because no attempt can succeed before; and pods whose victims
//! are all going but have not left the node yet.

use std::collections::BTreeSet;

use super::Queue;
use super::advisor::MayGo;
use super::door::Knock;
use super::entry::{QueuedPod, Rejection};
use super::incoming::{Cause, PodChange};
use super::place::Place;
use super::waiters::Waiter;
use crate::time::Timestamp;

/// What happens next to a pod that was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The pod waits for an event that helps, as after any rejection.
    Waits,
    /// As `Waits`, but preempted pods are still leaving its nominated node ([`QueuedPod::awaits_room`]).
    AwaitsRoom,
    /// The pod is tried after its backoff.
    Retries,
    /// The pod is tried at once, because a victim could not be evicted.
    Activates,
}

impl Queue {
    /// Holds a rejected pod while pods are evicted for it. Events do not move it until [`Queue::release`].
    /// kube-scheduler's DefaultPreemption does the same in its PreEnqueue.
    pub fn hold(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        entry.ticket = None;
        let place = Place::Held(self.arrival());
        self.enter(place, entry, Some(Cause::AttemptFailed));
    }

    /// Releases a held pod. From now on events count for the pod. Changes of the pod itself while it was held count
    /// as well.
    pub fn release(&mut self, uid: &str, release: Release) {
        if !matches!(self.pods.get(uid), Some((Place::Held(_), _))) {
            return;
        }
        let Some((_, mut entry)) = self.take(uid) else { return };
        let changed = entry.changed;
        match release {
            Release::Waits | Release::AwaitsRoom if entry.is_helped_by(changed) => {
                let change = PodChange::of(&entry.pod, changed.intersection(entry.facts_that_help()));
                self.knock(entry, Knock::to_be_asked(Cause::PodUpdated(change)));
            }
            Release::Waits | Release::AwaitsRoom => {
                entry.awaits_room = release == Release::AwaitsRoom;
                let place = Place::Unschedulable(entry.queued, self.arrival());
                self.enter(place, entry, None);
            }
            Release::Retries => self.knock(entry, Knock::to_be_asked(Cause::PodUpdated(PodChange::Other))),
            Release::Activates => self.knock(entry, Knock::to_be_asked(Cause::Activated).at_once(true)),
        }
    }

    /// Ends the special treatment of a pod that awaits its victims ([`QueuedPod::awaits_room`]), because no pod is
    /// leaving its nominated node any more or the nomination changed. Events then help the pod as any other.
    pub fn awaits_no_room(&mut self, uid: &str) {
        if !self.get(uid).is_some_and(|entry| entry.awaits_room) {
            return;
        }
        if let Some((place, mut entry)) = self.take(uid) {
            entry.awaits_room = false;
            self.put(place, entry);
        }
    }

    /// Returns the waiters that `may_go` names.
    pub(super) fn those_of(&self, waiters: &BTreeSet<Waiter>, may_go: MayGo) -> Vec<Waiter> {
        let waits = |uid: Box<str>| {
            let number = self.pods.get(&uid)?.0.waits()?;
            Some((number, uid)).filter(|waiter| waiters.contains(waiter))
        };
        match may_go {
            MayGo::All => waiters.iter().cloned().collect(),
            MayGo::These(uids) => uids.into_iter().filter_map(waits).collect(),
        }
    }
}
