//! Pending pods: which one is next, and when the others are worth another try.
//!
//! As in kube-scheduler a pod waits in one of four places:
//!
//! - *active*: to be tried now, in the order that queue-sort gives;
//! - *backoff*: to be tried when its backoff is over, or before if nothing is active and it was rejected, not failed;
//! - *unschedulable*: until something happens that helps with a plugin that rejected it, or for
//!   [`QueueOptions::flush_after`];
//! - *gated*: until pre-enqueue lets it in, which is asked again when something happens that concerns it; or until the pods
//!   are gone that are evicted for it.
//!
//! A pod that is being tried or bound is in none of them; what happens meanwhile is remembered for it.
//!
//! Pods on their way to active or backoff stand at the door first, where [`Queue::settle`] asks plugins about them.

mod advisor;
mod backoff;
mod door;
mod entry;
mod held;
mod in_flight;
mod incoming;
mod place;
mod waiters;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;

pub use self::advisor::{Admission, Advisor, MayGo, SortKey};
pub use self::backoff::Backoff;
use self::door::Knock;
pub use self::entry::{QueuedPod, Rejection, Rejector};
pub use self::held::Release;
use self::in_flight::InFlight;
pub use self::incoming::{Cause, Incoming, Label, Part, PodChange};
use self::place::Place;
use self::waiters::{GroupKey, Waiter, Waiters};
use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::model::{Pod, PodKey};
use crate::time::Timestamp;

/// How long pods wait.
#[derive(Clone, Copy, Debug)]
pub struct QueueOptions {
    /// `podInitialBackoffSeconds` and `podMaxBackoffSeconds`.
    pub backoff: Backoff,
    /// A pod that was unschedulable this long is tried again whatever happened. kube-scheduler: five minutes.
    pub flush_after: Duration,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self { backoff: Backoff::default(), flush_after: Duration::from_secs(300) }
    }
}

/// All pending pods of this scheduler's profiles.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    options: QueueOptions,
    pods: HashMap<Box<str>, (Place, QueuedPod)>,
    /// By place, then by what is first there; the value is the pod's uid. Without those at the door.
    order: BTreeMap<Place, Box<str>>,
    door: Vec<(Box<str>, Knock)>,
    waiters: Waiters,
    in_flight: InFlight,
    /// Makes keys differ, in the order of arrival.
    arrivals: u64,
    waiting: [usize; Part::ALL.len()],
    incoming: Incoming,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(options: QueueOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// How many pods wait in this part.
    #[must_use]
    pub fn len(&self, part: Part) -> usize {
        self.waiting[part as usize]
    }

    /// No pod waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Whether [`Queue::pop`] would give a pod.
    #[must_use]
    pub fn has_next(&self) -> bool {
        matches!(self.order.first_key_value(), Some((Place::Active(..) | Place::Backoff(..), _)))
    }

    /// The waiting pod with this uid.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// All waiting pods, and in which part, in no particular order.
    pub fn pods(&self) -> impl Iterator<Item = (Part, &QueuedPod)> {
        self.pods.values().filter_map(|(place, pod)| Some((place.part()?, pod)))
    }

    /// How many pods came into which part so far, and why.
    #[must_use]
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// A pending pod appeared, or changed. One that changed in what the plugins read that it waits for is worth another try.
    pub fn set(&mut self, pod: Arc<Pod>, now: Timestamp) {
        let Some((place, mut entry)) = self.take(&pod.key.uid) else {
            return self.knock(QueuedPod::new(pod, now), Knock::to_be_asked(Cause::PodAdded));
        };
        let changed = entry.update(pod);
        match place {
            Place::Unschedulable(..) | Place::Gated(..) if entry.is_helped_by(changed) => {
                let change = PodChange::of(&entry.pod, changed.intersection(entry.facts_that_help()));
                self.knock(entry, Knock::to_be_asked(Cause::PodUpdated(change)));
            }
            Place::Active(..) if !changed.is_empty() => self.knock(entry, Knock::MOVES_IN_ACTIVE),
            Place::Backoff(..) if !changed.is_empty() => self.knock(entry, Knock::MOVES_IN_BACKOFF),
            place => self.put(place, entry),
        }
    }

    /// The pod does not wait any more.
    pub fn remove(&mut self, key: &PodKey) {
        self.take(&key.uid);
    }

    /// The next pod to be tried. It is out of the queue; its attempt counts.
    pub fn pop(&mut self) -> Option<QueuedPod> {
        if !self.has_next() {
            return None;
        }
        let uid = self.order.first_key_value()?.1.clone();
        let (place, mut entry) = self.take(&uid)?;
        if place.part() == Some(Part::Backoff) {
            self.incoming.count(Part::Active, Cause::PopFromBackoff);
        }
        entry.attempts += 1;
        entry.awaits_room = false;
        entry.changed = PodFacts::empty();
        entry.ticket = Some(self.in_flight.leave());
        Some(entry)
    }

    /// The pod was tried and rejected: it waits until something helps. What happened since it was taken counts.
    pub fn add_unschedulable(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        self.knock(entry, Knock::REJECTED);
    }

    /// The attempt came to no verdict: it is made again after the pod's backoff, or when the plugin that was down is back.
    pub fn add_failed(&mut self, mut entry: QueuedPod, plugin: Option<Arc<str>>, now: Timestamp) {
        entry.failed(plugin, now);
        entry.ticket = None;
        let place = Place::ErrorBackoff(self.options.backoff.end(&entry), self.arrival());
        self.enter(place, entry, Some(Cause::AttemptFailed));
    }

    /// What happened since the pod was taken is nothing that could help it.
    pub fn heard_all(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.skip(ticket);
        }
    }

    /// What happens from now on is nothing that could help the pod, up to its return.
    pub fn hears_no_more(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.close(ticket);
        }
    }

    /// Something happened in the cluster: pods with whose rejection that helps are worth another try.
    pub fn happened(&mut self, event: &ClusterEvent, advisor: &mut dyn Advisor) {
        self.in_flight.happened(event);
        let mut helped: BTreeMap<Waiter, bool> = BTreeMap::new();
        for concerned in self.waiters.concerned(event) {
            let groups = concerned.groups().filter_map(|(group, waiters)| {
                let pod = &self.get(&waiters.first()?.1)?.pod;
                let may_go = match group.awaits_room {
                    Some(_) => advisor.who_may_go(concerned.rejector, event, pod),
                    None => MayGo::All,
                };
                Some((group, self.those_of(waiters, may_go), pod)).filter(|(_, waiters, _)| !waiters.is_empty())
            });
            let groups: Vec<(GroupKey, Vec<Waiter>, &Arc<Pod>)> = groups.collect();
            if groups.is_empty() {
                continue;
            }
            let pods: Vec<&Arc<Pod>> = groups.iter().map(|(.., pod)| *pod).collect();
            let hints = advisor.hints(concerned.rejector, event, &pods);
            for ((group, waiters, _), _) in groups.into_iter().zip(hints).filter(|(_, helps)| *helps) {
                for waiter in waiters {
                    *helped.entry(waiter).or_default() |= group.pending;
                }
            }
        }
        helped.extend(self.waiters.of_nobody().map(|waiter| (waiter.clone(), false)));
        if helped.is_empty() {
            return;
        }
        let cause = Cause::ClusterChanged(self.incoming.label(event));
        for ((_, uid), at_once) in helped {
            let Some((place, entry)) = self.take(&uid) else { continue };
            if event.up_to_priority.is_some_and(|most| entry.pod.spec.priority > most) {
                self.put(place, entry);
            } else {
                self.knock(entry, Knock::to_be_asked(cause).at_once(at_once));
            }
        }
    }

    /// The plugins were exchanged: whatever they said is to be asked again, and all pods are worth another try.
    pub fn plugins_changed(&mut self) {
        let mut uids: BTreeSet<(Place, Box<str>)> = BTreeSet::new();
        uids.extend(self.order.iter().map(|(place, uid)| (place.clone(), uid.clone())));
        for (place, uid) in uids {
            let Some((_, mut entry)) = self.take(&uid) else { continue };
            entry.admitted = false;
            entry.sort_key = None;
            match place {
                Place::Active(..) => self.knock(entry, Knock::MOVES_IN_ACTIVE),
                Place::Backoff(..) => self.knock(entry, Knock::MOVES_IN_BACKOFF),
                Place::ErrorBackoff(..) => self.put(place, entry),
                Place::Held(..) => {
                    entry.changed = PodFacts::all();
                    self.put(place, entry);
                }
                _ => self.knock(entry, Knock::to_be_asked(Cause::PluginsChanged)),
            }
        }
    }

    /// Pods that wait for this plugin are tried at once.
    pub fn retry_plugin(&mut self, plugin: &str) {
        let waits = |entry: &QueuedPod| entry.failed_plugin.as_deref() == Some(plugin);
        let errors = self.order.range(Place::error_backoff()..Place::unschedulable());
        let uids: Vec<Box<str>> =
            errors.filter(|(_, uid)| self.get(uid).is_some_and(waits)).map(|(_, uid)| uid.clone()).collect();
        for uid in uids {
            if let Some((_, entry)) = self.take(&uid) {
                self.knock(entry, Knock::to_be_asked(Cause::PluginsChanged).at_once(true));
            }
        }
    }

    /// Time passed: backoffs that are over end, and pods that waited too long are tried.
    pub fn tick(&mut self, now: Timestamp) {
        let is_over = |place: &Place| match place {
            Place::Backoff(until, ..) | Place::ErrorBackoff(until, _) => *until <= now,
            Place::Unschedulable(since, _) => now.since(*since) >= self.options.flush_after,
            _ => false,
        };
        let parts = [
            (Place::backoff()..Place::error_backoff(), Cause::BackoffComplete),
            (Place::error_backoff()..Place::unschedulable(), Cause::BackoffComplete),
            (Place::unschedulable()..Place::gated(), Cause::UnschedulableTimeout),
        ];
        let mut over: Vec<(Box<str>, Cause)> = Vec::new();
        for (range, cause) in parts {
            let ended = self.order.range(range).take_while(|(place, _)| is_over(place));
            over.extend(ended.map(|(_, uid)| (uid.clone(), cause)));
        }
        for (uid, cause) in over {
            if let Some((_, entry)) = self.take(&uid) {
                self.knock(entry, Knock::to_be_asked(cause));
            }
        }
    }

    /// When [`Queue::tick`] has something to do next.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        let starts = [Place::backoff(), Place::error_backoff(), Place::unschedulable()];
        let firsts = starts.into_iter().filter_map(|start| self.order.range(start..).next());
        let times = firsts.filter_map(|(place, _)| match place {
            Place::Backoff(until, ..) | Place::ErrorBackoff(until, _) => Some(*until),
            Place::Unschedulable(since, _) => Some(since.after(self.options.flush_after)),
            _ => None,
        });
        times.min()
    }

    fn enter(&mut self, place: Place, entry: QueuedPod, cause: Option<Cause>) {
        if let (Some(part), Some(cause)) = (place.part(), cause) {
            self.incoming.count(part, cause);
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: Place, entry: QueuedPod) {
        let uid = entry.pod.key.uid.clone();
        if let Some(part) = place.part() {
            self.order.insert(place.clone(), uid.clone());
            self.waiting[part as usize] += 1;
        }
        if let Some(number) = place.waits() {
            self.waiters.add(number, &entry);
        }
        self.pods.insert(uid, (place, entry));
    }

    fn take(&mut self, uid: &str) -> Option<(Place, QueuedPod)> {
        let (place, entry) = self.pods.remove(uid)?;
        if let Some(part) = place.part() {
            self.order.remove(&place);
            self.waiting[part as usize] -= 1;
        }
        if let Some(number) = place.waits() {
            self.waiters.remove(number, &entry);
        }
        Some((place, entry))
    }

    fn arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

#[cfg(test)]
#[path = "queue_test.rs"]
mod tests;
