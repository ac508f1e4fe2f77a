//! The pending pods: which pod is next, and when the others are worth another attempt.
//!
//! As in kube-scheduler, a pod waits in one of four sub-queues:
//!
//! - *active*: ready to be tried, in the order of queue-sort;
//! - *backoff*: until its backoff ends. If the active sub-queue is empty, a pod that was rejected is tried earlier; a
//!   pod whose attempt failed without a verdict is not;
//! - *unschedulable*: until an event helps with a plugin that rejected the pod, or for [`QueueOptions::flush_after`];
//! - *gated*: until pre-enqueue admits the pod (pre-enqueue is asked again after an event that may help with the plugin
//!   that gates the pod); or until the pods that are evicted for the pod are being deleted.
//!
//! A pod that is being tried or bound is in no sub-queue. The queue keeps the events that happen until permit lets the
//! pod be bound.
//!
//! Before a pod enters active or backoff, the pod waits for admission, where [`Queue::settle`] asks plugins about the
//! pod. A pod whose attempt failed without a verdict enters backoff without admission.

mod activation;
pub(crate) mod admission;
mod advisor;
mod backoff;
pub(crate) mod entry;
pub(crate) mod in_flight;
mod incoming;
pub(crate) mod position;
pub(crate) mod stays;
mod victims;
mod waiters;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;

use self::admission::AdmissionRequest;
pub use self::advisor::{Admission, Advisor, HelpedPods};
pub use self::backoff::Backoff;
pub use self::entry::{QueuedPod, Rejection, Rejector, SortKey, UnscheduledReason};
use self::in_flight::InFlight;
pub use self::incoming::{Cause, Incoming, Label, PodChange, SubQueue};
use self::position::Position;
pub use self::victims::AfterEvictions;
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
    pub(crate) options: QueueOptions,
    pub(crate) pods: HashMap<Box<str>, (Position, QueuedPod)>,
    /// The uids of the pods, by position, which also defines the order within a sub-queue. Pods that wait for admission
    /// are not included.
    pub(crate) order: BTreeMap<Position, Box<str>>,
    pub(crate) admissions: Vec<(Box<str>, AdmissionRequest)>,
    pub(crate) waiters: Waiters,
    pub(crate) in_flight: InFlight,
    /// The number of arrivals so far. This number makes positions unique, and orders otherwise equal positions by
    /// arrival.
    pub(crate) arrivals: u64,
    pub(crate) waiting: [usize; SubQueue::ALL.len()],
    pub(crate) incoming: Incoming,
    /// The time of the current step.
    pub(crate) now: Timestamp,
}

impl Queue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(options: QueueOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Sets the time of the current step, from which the stays of pods in the sub-queues are measured.
    pub fn set_time(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Returns the number of pods in this sub-queue.
    #[must_use]
    pub fn len(&self, sub_queue: SubQueue) -> usize {
        self.waiting[sub_queue as usize]
    }

    /// Returns whether no pod waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Returns whether [`Queue::pop`] would return a pod.
    #[must_use]
    pub fn has_next(&self) -> bool {
        matches!(self.order.first_key_value(), Some((Position::Active(..) | Position::Backoff(..), _)))
    }

    /// Returns the waiting pod with this uid.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// Returns the sub-queue of a waiting pod; `None` if the pod is not in the queue or waits for admission.
    #[must_use]
    pub fn sub_queue_of(&self, uid: &str) -> Option<SubQueue> {
        self.pods.get(uid).and_then(|(position, _)| position.sub_queue())
    }

    /// Returns the waiting pods in the order in which they are tried, then the other pods by sub-queue.
    pub fn in_order(&self) -> impl Iterator<Item = (SubQueue, &QueuedPod)> {
        self.order.values().filter_map(|uid| {
            let (position, pod) = self.pods.get(uid)?;
            Some((position.sub_queue()?, pod))
        })
    }

    /// Returns all waiting pods with their sub-queues, in no particular order. Pods that wait for admission are left
    /// out.
    pub fn pods(&self) -> impl Iterator<Item = (SubQueue, &QueuedPod)> {
        self.pods.values().filter_map(|(position, pod)| Some((position.sub_queue()?, pod)))
    }

    /// Returns the number of pods that entered each sub-queue so far, by cause.
    #[must_use]
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// Returns all pods in the queue, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &QueuedPod> {
        self.pods.values().map(|(_, pod)| pod)
    }

    /// Adds or updates a pending pod. An unschedulable or gated pod gets another attempt if a fact, except the
    /// nominated node, changed that its rejecting plugins read.
    pub fn set(&mut self, pod: Arc<Pod>, now: Timestamp) {
        let Some((position, mut entry)) = self.take(&pod.key.uid) else {
            return self.enqueue(QueuedPod::new(pod, now), AdmissionRequest::for_cause(Cause::PodAdded));
        };
        let (before, changed) = entry.update(pod);
        match position {
            Position::Unschedulable(..) | Position::Gated(..) if entry.is_helped_by_change(&before, changed) => {
                let change = PodChange::of(&entry.pod, changed.intersection(entry.facts_that_help()));
                self.enqueue(entry, AdmissionRequest::for_cause(Cause::PodUpdated(change)));
            }
            Position::Active(..) if !changed.is_empty() => self.enqueue(entry, AdmissionRequest::MOVES_IN_ACTIVE),
            Position::Backoff(..) if !changed.is_empty() => self.enqueue(entry, AdmissionRequest::MOVES_IN_BACKOFF),
            position => self.put(position, entry),
        }
    }

    /// Removes the pod from the queue.
    pub fn remove(&mut self, key: &PodKey) {
        if let Some((_, mut entry)) = self.take(&key.uid) {
            self.end_ticket(&mut entry);
        }
    }

    /// Takes the next pod out of the queue, and counts an attempt for it.
    pub fn pop(&mut self) -> Option<QueuedPod> {
        if !self.has_next() {
            return None;
        }
        let uid = self.order.first_key_value()?.1.clone();
        let (position, mut entry) = self.take(&uid)?;
        if position.sub_queue() == Some(SubQueue::Backoff) {
            self.incoming.count(SubQueue::Active, Cause::PopFromBackoff);
        }
        entry.attempts += 1;
        entry.awaits_victims = false;
        entry.activated = false;
        entry.changed = PodFacts::empty();
        entry.ticket = Some(self.in_flight.leave());
        Some(entry)
    }

    /// Takes a rejected pod back. The pod waits for an event that helps. Events since the pod left the queue count.
    pub fn add_unschedulable(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        self.enqueue(entry, AdmissionRequest::REJECTED);
    }

    /// Takes a pod back whose attempt failed without a verdict. The pod is tried again after its backoff, or when
    /// `plugin`, which was down, works again.
    pub fn add_failed(&mut self, mut entry: QueuedPod, plugin: Option<Arc<str>>, now: Timestamp) {
        entry.failed(plugin, now);
        self.end_ticket(&mut entry);
        let position = Position::ErrorBackoff(self.options.backoff.end(&entry), self.arrival());
        self.enter(position, entry, Some(Cause::AttemptFailed));
    }

    /// Ends the ticket of a pod that left the queue, because no event can help the pod any more: the pod can't be
    /// rejected any more, or goes away. Must be called for a pod that does not come back to the queue.
    pub fn end_ticket(&mut self, entry: &mut QueuedPod) {
        if let Some(ticket) = entry.ticket.take() {
            self.in_flight.end(&ticket);
        }
    }

    /// Returns the number of pods that left the queue and can still come back rejected. The queue keeps the events
    /// for them.
    #[must_use]
    pub fn out(&self) -> usize {
        self.in_flight.out()
    }

    /// Marks that the events since the pod left the queue can't help it.
    pub fn ignore_earlier_events(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.skip(ticket);
        }
    }

    /// Marks that the events from now on, up to the pod's return, can't help it.
    pub fn ignore_later_events(&self, entry: &mut QueuedPod) {
        if let Some(ticket) = &mut entry.ticket {
            self.in_flight.close(ticket);
        }
    }

    /// Handles a cluster event. The pods that the event may help get another attempt.
    pub fn on_event(&mut self, event: &ClusterEvent, advisor: &mut dyn Advisor) {
        self.in_flight.happened(event);
        let mut helped: BTreeMap<Waiter, bool> = BTreeMap::new();
        for concerned in self.waiters.concerned(event) {
            let groups = concerned.groups().filter_map(|(group, waiters)| {
                let pod = &self.get(&waiters.first()?.1)?.pod;
                let helped = match group.awaits_victims {
                    Some(_) => advisor.pods_that_fit(concerned.rejector, event, pod),
                    None => HelpedPods::All,
                };
                Some((group, self.waiters_among(waiters, helped), pod)).filter(|(_, waiters, _)| !waiters.is_empty())
            });
            let groups: Vec<(&GroupKey, Vec<Waiter>, &Arc<Pod>)> = groups.collect();
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
        if event.is_about_pending_pod() {
            helped.retain(|(_, uid), _| !event.is_own_nomination(uid));
        } else {
            helped.extend(self.waiters.without_rejector().map(|waiter| (waiter.clone(), false)));
        }
        if helped.is_empty() {
            return;
        }
        let cause = Cause::ClusterChanged(self.incoming.label(event));
        for ((_, uid), at_once) in helped {
            let Some((position, entry)) = self.take(&uid) else { continue };
            if event.up_to_priority.is_some_and(|most| entry.pod.spec.priority > most) {
                self.put(position, entry);
            } else {
                self.enqueue(entry, AdmissionRequest::for_cause(cause).at_once(at_once));
            }
        }
    }

    /// Handles an exchange of plugins. Drops the admission and the sort key of each pod. Unschedulable and gated pods
    /// get another attempt, pods in backoff stay there, and for pods that await evictions all facts count as changed.
    pub fn plugins_changed(&mut self) {
        let mut uids: BTreeSet<(Position, Box<str>)> = BTreeSet::new();
        uids.extend(self.order.iter().map(|(position, uid)| (position.clone(), uid.clone())));
        for (position, uid) in uids {
            let Some((_, mut entry)) = self.take(&uid) else { continue };
            entry.admitted = false;
            entry.sort_key = None;
            match position {
                Position::Active(..) => self.enqueue(entry, AdmissionRequest::MOVES_IN_ACTIVE),
                Position::Backoff(..) => self.enqueue(entry, AdmissionRequest::MOVES_IN_BACKOFF),
                Position::ErrorBackoff(..) => self.put(position, entry),
                Position::AwaitsEvictions(..) => {
                    entry.changed = PodFacts::all();
                    self.put(position, entry);
                }
                _ => self.enqueue(entry, AdmissionRequest::for_cause(Cause::PluginsChanged)),
            }
        }
    }

    /// Ends the backoff of the pods that wait for this plugin, which was down.
    pub fn retry_plugin(&mut self, plugin: &str) {
        let waits = |entry: &QueuedPod| entry.failed_plugin.as_deref() == Some(plugin);
        let errors = self.order.range(Position::error_backoff()..Position::unschedulable());
        let uids: Vec<Box<str>> =
            errors.filter(|(_, uid)| self.get(uid).is_some_and(waits)).map(|(_, uid)| uid.clone()).collect();
        for uid in uids {
            if let Some((_, entry)) = self.take(&uid) {
                self.enqueue(entry, AdmissionRequest::for_cause(Cause::PluginsChanged).at_once(true));
            }
        }
    }

    /// Ends the backoffs that are over, and tries the pods that were unschedulable for too long.
    pub fn tick(&mut self, now: Timestamp) {
        let is_over = |position: &Position| match position {
            Position::Backoff(until, ..) | Position::ErrorBackoff(until, _) => *until <= now,
            Position::Unschedulable(since, _) => now.since(*since) >= self.options.flush_after,
            _ => false,
        };
        let parts = [
            (Position::backoff()..Position::error_backoff(), Cause::BackoffComplete),
            (Position::error_backoff()..Position::unschedulable(), Cause::BackoffComplete),
            (Position::unschedulable()..Position::gated(), Cause::UnschedulableTimeout),
        ];
        let mut over: Vec<(Box<str>, Cause)> = Vec::new();
        for (range, cause) in parts {
            let ended = self.order.range(range).take_while(|(position, _)| is_over(position));
            over.extend(ended.map(|(_, uid)| (uid.clone(), cause)));
        }
        for (uid, cause) in over {
            if let Some((_, entry)) = self.take(&uid) {
                self.enqueue(entry, AdmissionRequest::for_cause(cause));
            }
        }
    }

    /// Returns the next time at which [`Queue::tick`] has something to do.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        let starts = [Position::backoff(), Position::error_backoff(), Position::unschedulable()];
        let firsts = starts.into_iter().filter_map(|start| self.order.range(start..).next());
        let times = firsts.filter_map(|(position, _)| match position {
            Position::Backoff(until, ..) | Position::ErrorBackoff(until, _) => Some(*until),
            Position::Unschedulable(since, _) => Some(since.after(self.options.flush_after)),
            _ => None,
        });
        times.min()
    }

    fn enter(&mut self, position: Position, mut entry: QueuedPod, cause: Option<Cause>) {
        if let (Some(sub_queue), Some(cause)) = (position.sub_queue(), cause) {
            self.incoming.count(sub_queue, cause);
        }
        entry.stays.begin(cause, self.now);
        self.put(position, entry);
    }

    /// Adds a pod at this position.
    pub(crate) fn put(&mut self, position: Position, entry: QueuedPod) {
        let uid = entry.pod.key.uid.clone();
        if let Some(sub_queue) = position.sub_queue() {
            self.order.insert(position.clone(), uid.clone());
            self.waiting[sub_queue as usize] += 1;
        }
        if let Some(number) = position.waits() {
            self.waiters.add(number, &entry);
        }
        self.pods.insert(uid, (position, entry));
    }

    fn take(&mut self, uid: &str) -> Option<(Position, QueuedPod)> {
        let (position, mut entry) = self.pods.remove(uid)?;
        if let Some(sub_queue) = position.sub_queue() {
            entry.stays.end(sub_queue, self.now);
            self.order.remove(&position);
            self.waiting[sub_queue as usize] -= 1;
        }
        if let Some(number) = position.waits() {
            self.waiters.remove(number, &entry);
        }
        Some((position, entry))
    }

    fn arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

#[cfg(test)]
#[path = "queue_test.rs"]
mod tests;
