//! The pending pods: which pod is next, and when the others are worth another attempt.
//!
//! As in kube-scheduler, a pod waits in one of four sub-queues:
//!
//! - *active*: ready to be tried, in the order of queue-sort;
//! - *backoff*: until its backoff ends. If the active sub-queue is empty, a pod that was rejected is tried earlier; a
//!   pod whose attempt failed is not;
//! - *unschedulable*: until an event helps with a plugin that rejected the pod, or for [`QueueOptions::flush_after`];
//! - *gated*: until pre-enqueue admits the pod, which is asked again after an event that concerns it; or until the
//!   pods that are evicted for it are going.
//!
//! A pod that is being tried or bound is in none of them. The queue keeps the events that happen meanwhile.
//!
//! Before a pod enters active or backoff it waits for admission, where [`Queue::settle`] asks plugins about it.

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

/// Durations of the queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueOptions {
    /// `podInitialBackoffSeconds` and `podMaxBackoffSeconds`.
    pub backoff: Backoff,
    /// The longest time in the unschedulable sub-queue. Then the pod is tried again without an event. kube-scheduler:
    /// five minutes.
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
    /// By place, which also defines the order within a sub-queue. The value is the pod's uid. Pods that wait for
    /// admission are not included.
    order: BTreeMap<Place, Box<str>>,
    door: Vec<(Box<str>, Knock)>,
    waiters: Waiters,
    in_flight: InFlight,
    /// The number of arrivals so far. It makes keys unique and orders them by arrival.
    arrivals: u64,
    waiting: [usize; Part::ALL.len()],
    incoming: Incoming,
}

impl Queue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(options: QueueOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns the number of pods in this sub-queue.
    #[must_use]
    pub fn len(&self, part: Part) -> usize {
        self.waiting[part as usize]
    }

    /// Returns whether no pod waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Returns whether [`Queue::pop`] would return a pod.
    #[must_use]
    pub fn has_next(&self) -> bool {
        matches!(self.order.first_key_value(), Some((Place::Active(..) | Place::Backoff(..), _)))
    }

    /// Returns the waiting pod with this uid.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// Returns all waiting pods with their sub-queues, in no particular order. Pods that wait for admission are left
    /// out.
    pub fn pods(&self) -> impl Iterator<Item = (Part, &QueuedPod)> {
        self.pods.values().filter_map(|(place, pod)| Some((place.part()?, pod)))
    }

    /// Returns the number of pods that entered each sub-queue so far, by cause.
    #[must_use]
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// Adds or updates a pending pod. An unschedulable or gated pod is tried again if a fact changed that the plugins
    /// read for which it waits.
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

    /// Removes the pod from the queue.
    pub fn remove(&mut self, key: &PodKey) {
        self.take(&key.uid);
    }

    /// Takes the next pod out of the queue, and counts an attempt for it.
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

    /// Takes a rejected pod back. It waits for an event that helps. Events since it left the queue count.
    pub fn add_unschedulable(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        self.knock(entry, Knock::REJECTED);
    }

    /// Takes a pod back whose attempt failed without a verdict. It is tried again after its backoff, or when
    /// `plugin`, which was down, works again.
    pub fn add_failed(&mut self, mut entry: QueuedPod, plugin: Option<Arc<str>>, now: Timestamp) {
        entry.failed(plugin, now);
        entry.ticket = None;
        let place = Place::ErrorBackoff(self.options.backoff.end(&entry), self.arrival());
        self.enter(place, entry, Some(Cause::AttemptFailed));
    }

    /// Marks that the events since the pod left the queue can't help it.
    pub fn heard_all(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.skip(ticket);
        }
    }

    /// Marks that the events from now on, up to the pod's return, can't help it.
    pub fn hears_no_more(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.close(ticket);
        }
    }

    /// Takes in a cluster event. Pods that the event may help are worth another attempt.
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

    /// Takes in an exchange of plugins. All cached answers are void, and all pods are worth another attempt.
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

    /// Tries the pods at once that wait for this plugin.
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

    /// Ends the backoffs that are over, and tries the pods that were unschedulable for too long.
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

    /// Returns the next time at which [`Queue::tick`] has something to do.
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
