//! Pending pods: which one is next, and when the others are worth another try.
//!
//! As in kube-scheduler a pod waits in one of three places:
//!
//! - *active*: to be tried now, by priority, then by the time it came here;
//! - *backoff*: to be tried when its backoff is over;
//! - *unschedulable*: until the cluster changes in a way that may help, or for [`QueueOptions::flush_after`].
//!
//! A pod that is being tried or bound is in none of them.

mod backoff;
mod entry;
mod incoming;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;

pub use self::backoff::Backoff;
pub use self::entry::{QueuedPod, Rejection};
pub use self::incoming::{Cause, Incoming, Part};
use crate::facts::NodeFacts;
use crate::model::{ObjectKind, Pod, PodKey};
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

/// Where a pod waits, with its key there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Active(Reverse<i32>, Timestamp, u64),
    Backoff(Timestamp, u64),
    Unschedulable(Timestamp, u64),
}

impl Place {
    fn part(self) -> Part {
        match self {
            Self::Active(..) => Part::Active,
            Self::Backoff(..) => Part::Backoff,
            Self::Unschedulable(..) => Part::Unschedulable,
        }
    }
}

/// All pending pods of this scheduler's profiles.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    options: QueueOptions,
    pods: HashMap<Box<str>, (Place, QueuedPod)>,
    /// By place, then by what is first there; the value is the pod's uid.
    order: BTreeMap<Place, Box<str>>,
    /// Makes keys differ, in the order of arrival.
    arrivals: u64,
    incoming: Incoming,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(options: QueueOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// How many pods wait: in active, backoff and unschedulable.
    #[must_use]
    pub fn len(&self) -> (usize, usize, usize) {
        let mut count = (0, 0, 0);
        for place in self.order.keys() {
            match place {
                Place::Active(..) => count.0 += 1,
                Place::Backoff(..) => count.1 += 1,
                Place::Unschedulable(..) => count.2 += 1,
            }
        }
        count
    }

    /// No pod waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether [`Queue::pop`] would give a pod.
    #[must_use]
    pub fn has_active(&self) -> bool {
        matches!(self.order.first_key_value(), Some((Place::Active(..), _)))
    }

    /// The waiting pod with this uid.
    #[must_use]
    pub fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// All waiting pods, and in which part, in no particular order.
    pub fn pods(&self) -> impl Iterator<Item = (Part, &QueuedPod)> {
        self.pods.values().map(|(place, pod)| (place.part(), pod))
    }

    /// How many pods came into which part so far, and why.
    #[must_use]
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// A pending pod appeared, or changed. One that changed in what plugins may read is worth another try.
    pub fn set(&mut self, pod: Arc<Pod>, now: Timestamp) {
        let Some((place, mut entry)) = self.take(&pod.key.uid) else {
            return self.activate(QueuedPod::new(pod, now), Cause::PodAdded, now);
        };
        let changed = entry.differs_for_plugins(&pod);
        entry.pod = pod;
        match place {
            Place::Unschedulable(..) if changed => self.requeue(entry, Cause::PodUpdated, now),
            Place::Active(_, since, _) => {
                let place = self.active(&entry, since);
                self.put(place, entry);
            }
            place => self.put(place, entry),
        }
    }

    /// The pod does not wait any more.
    pub fn remove(&mut self, key: &PodKey) {
        self.take(&key.uid);
    }

    /// The next pod to be tried. It is out of the queue; its attempt counts.
    pub fn pop(&mut self) -> Option<QueuedPod> {
        if !self.has_active() {
            return None;
        }
        let (_, uid) = self.order.pop_first()?;
        let (_, mut entry) = self.pods.remove(&uid)?;
        entry.attempts += 1;
        Some(entry)
    }

    /// The pod was tried and rejected: it waits until something helps.
    pub fn add_unschedulable(&mut self, mut entry: QueuedPod, rejection: Rejection, now: Timestamp) {
        entry.rejected(rejection, now);
        let place = Place::Unschedulable(now, self.arrival());
        self.enter(place, entry, Cause::AttemptFailed);
    }

    /// The attempt came to no verdict: it is made again after the pod's backoff, or when the plugin that was down is back.
    pub fn add_failed(&mut self, mut entry: QueuedPod, plugin: Option<Arc<str>>, now: Timestamp) {
        entry.failed(plugin, now);
        let place = Place::Backoff(self.options.backoff.end(&entry), self.arrival());
        self.enter(place, entry, Cause::AttemptFailed);
    }

    /// The cluster changed in these facts: pods that were rejected for one of them are worth another try.
    pub fn retry(&mut self, helped: NodeFacts, now: Timestamp) {
        if !helped.is_empty() {
            self.move_unschedulable(Cause::ClusterChanged, now, |entry, _| entry.is_helped_by(helped));
        }
    }

    /// An object of this kind changed: pods that were rejected by plugins that read them are worth another try.
    pub fn retry_readers(&mut self, kind: &ObjectKind, now: Timestamp) {
        self.move_unschedulable(Cause::ClusterChanged, now, |entry, _| entry.is_helped_by_object(kind));
    }

    /// All pods that were rejected are worth another try.
    pub fn retry_all(&mut self, now: Timestamp) {
        self.move_unschedulable(Cause::PluginsChanged, now, |_, _| true);
    }

    /// Pods that wait for this plugin are tried at once.
    pub fn retry_plugin(&mut self, plugin: &str, now: Timestamp) {
        let waits = |entry: &QueuedPod| entry.failed_plugin.as_deref() == Some(plugin);
        for uid in self.in_backoff(|entry, _| waits(entry)) {
            if let Some((_, entry)) = self.take(&uid) {
                self.activate(entry, Cause::PluginsChanged, now);
            }
        }
    }

    /// Time passed: backoffs that are over end, and pods that waited too long are tried.
    pub fn tick(&mut self, now: Timestamp) {
        for uid in self.in_backoff(|_, until| until <= now) {
            if let Some((_, entry)) = self.take(&uid) {
                self.activate(entry, Cause::BackoffComplete, now);
            }
        }
        let flush_after = self.options.flush_after;
        self.move_unschedulable(Cause::UnschedulableTimeout, now, |_, since| now.since(since) >= flush_after);
    }

    /// When [`Queue::tick`] has something to do next.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        let backoff = self.order.range(backoff_start()..unschedulable_start()).next();
        let unschedulable = self.order.range(unschedulable_start()..).next();
        let times = [backoff, unschedulable].into_iter().flatten().map(|(place, _)| match place {
            Place::Active(_, at, _) | Place::Backoff(at, _) => *at,
            Place::Unschedulable(since, _) => since.after(self.options.flush_after),
        });
        times.min()
    }

    fn in_backoff(&self, wanted: impl Fn(&QueuedPod, Timestamp) -> bool) -> Vec<Box<str>> {
        let waiting = self.order.range(backoff_start()..unschedulable_start());
        let wanted = waiting.filter(|(place, uid)| match (place, self.pods.get(*uid)) {
            (Place::Backoff(until, _), Some((_, entry))) => wanted(entry, *until),
            _ => false,
        });
        wanted.map(|(_, uid)| uid.clone()).collect()
    }

    fn move_unschedulable(&mut self, cause: Cause, now: Timestamp, wanted: impl Fn(&QueuedPod, Timestamp) -> bool) {
        let waiting = self.order.range(unschedulable_start()..);
        let wanted = waiting.filter(|(place, uid)| match (place, self.pods.get(*uid)) {
            (Place::Unschedulable(since, _), Some((_, entry))) => wanted(entry, *since),
            _ => false,
        });
        let uids: Vec<Box<str>> = wanted.map(|(_, uid)| uid.clone()).collect();
        for uid in uids {
            if let Some((_, entry)) = self.take(&uid) {
                self.requeue(entry, cause, now);
            }
        }
    }

    /// Into active, or into backoff if that is not over.
    fn requeue(&mut self, entry: QueuedPod, cause: Cause, now: Timestamp) {
        let until = self.options.backoff.end(&entry);
        if until <= now {
            return self.activate(entry, cause, now);
        }
        let place = Place::Backoff(until, self.arrival());
        self.enter(place, entry, cause);
    }

    fn activate(&mut self, entry: QueuedPod, cause: Cause, now: Timestamp) {
        let place = self.active(&entry, now);
        self.enter(place, entry, cause);
    }

    fn active(&mut self, entry: &QueuedPod, since: Timestamp) -> Place {
        Place::Active(Reverse(entry.pod.spec.priority), since, self.arrival())
    }

    fn enter(&mut self, place: Place, entry: QueuedPod, cause: Cause) {
        self.incoming.count(place.part(), cause);
        self.put(place, entry);
    }

    fn put(&mut self, place: Place, entry: QueuedPod) {
        let uid = entry.pod.key.uid.clone();
        self.order.insert(place, uid.clone());
        self.pods.insert(uid, (place, entry));
    }

    fn take(&mut self, uid: &str) -> Option<(Place, QueuedPod)> {
        let (place, entry) = self.pods.remove(uid)?;
        self.order.remove(&place);
        Some((place, entry))
    }

    fn arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

fn backoff_start() -> Place {
    Place::Backoff(Timestamp(0), 0)
}

fn unschedulable_start() -> Place {
    Place::Unschedulable(Timestamp(0), 0)
}

#[cfg(test)]
#[path = "queue_test.rs"]
mod tests;
