//! Pods that are held while room is being made for them, for no attempt of theirs can succeed before that; and those whose room is
//! not there yet though all is done for it.

use std::collections::BTreeSet;

use super::Queue;
use super::advisor::MayGo;
use super::door::Knock;
use super::entry::{QueuedPod, Rejection};
use super::incoming::{Cause, PodChange};
use super::place::Place;
use super::waiters::Waiter;
use crate::time::Timestamp;

/// How a pod goes on that was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// When something happens that helps it, as for any pod that was rejected.
    Waits,
    /// The same, but pods are leaving the node that is promised to it ([`QueuedPod::awaits_room`]).
    AwaitsRoom,
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

    /// Nobody is leaving for the pod any more, or it is not known who: what happens helps it as any other.
    pub fn awaits_no_room(&mut self, uid: &str) {
        if !self.get(uid).is_some_and(|entry| entry.awaits_room) {
            return;
        }
        if let Some((place, mut entry)) = self.take(uid) {
            entry.awaits_room = false;
            self.put(place, entry);
        }
    }

    /// Those of the waiters who may go.
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
