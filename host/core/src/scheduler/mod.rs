//! The state machine: handles each event and runs one scheduling cycle at a time.

mod advice;
mod asking;
mod binding;
mod explain;
mod permit;
mod pod_action_queue;
mod pod_actions;
mod pod_state;
pub(crate) mod preemption;
mod recording;
pub(crate) mod reservation;
pub(crate) mod reservations;
mod scheduling;
#[cfg(test)]
pub(crate) mod scripted;
mod step;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::pod_action_queue::PodActionQueue;
pub use self::pod_state::ReservedPod;
use self::preemption::Evictions;
use self::reservation::UndoReason;
use self::reservations::Reservations;
use self::step::Step;
use crate::action::Action;
use crate::attempt::{Attempt, Outcome};
use crate::cache::Cache;
use crate::decision::{DecisionLog, DecisionOptions, Policy};
use crate::event::Event;
use crate::extenders::Extenders;
use crate::model::{ObjectKind, ObjectReads, Pod, PodKey};
use crate::nominations::Nominations;
use crate::plugins::Plugins;
use crate::profile::{Profile, ProfilePlugin};
use crate::queue::{Queue, QueueOptions};
use crate::results::ResultCache;
use crate::time::Timestamp;

/// Options of the core, apart from its profiles.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The seed of all random choices.
    pub seed: u64,
    /// Backoff and flush durations of the queue.
    pub queue: QueueOptions,
    /// The approximate size limit of the result cache in bytes, for each [`crate::USUAL_NODES`] nodes of the cluster.
    /// 0 disables the result cache: plugins are asked about every node for every pod.
    pub result_cache_bytes: usize,
    /// One of this many scheduling cycles compares cached results with fresh results. 0: no cycle. 1: every cycle. A
    /// number above 1 is multiplied by the number of whole thousands of nodes, if there are any.
    pub verify_every: u64,
    /// Bounds of the decision records.
    pub decisions: DecisionOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            queue: QueueOptions::default(),
            result_cache_bytes: 256 << 20,
            verify_every: 1000,
            decisions: DecisionOptions::default(),
        }
    }
}

/// The scheduler, as the crate documentation describes it. [`Core::step`] is the entry point.
pub struct Core {
    pub(crate) options: Options,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) cache: Cache,
    pub(crate) queue: Queue,
    pub(crate) nominations: Nominations,
    pub(crate) evictions: Evictions,
    /// The index in the list of nodes at which the next cycle starts, if that cycle does not look at all nodes.
    pub(crate) next_start: usize,
    pub(crate) results: ResultCache,
    pub(crate) reservations: Reservations,
    /// The number of [`Action::ExecuteIntents`] so far. The last of these actions has this number as its `step`.
    pub(crate) intent_steps: u64,
    /// Pending pods without a profile, by uid. A later [`Event::PluginsSwapped`] may add their profile.
    pub(crate) unclaimed: BTreeMap<Box<str>, Arc<Pod>>,
    pub(crate) rng: fastrand::Rng,
    pub(crate) cycles: u64,
    /// The attempts that the last step ended.
    pub(crate) ended: Vec<Attempt>,
    pub(crate) decisions: DecisionLog,
    /// The policies of the profiles, for decision records.
    pub(crate) policies: Vec<Arc<Policy>>,
}

impl Core {
    /// Creates a scheduler with an empty cache. It schedules no pod until [`Event::PluginsSwapped`] sets its
    /// profiles.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            profiles: Vec::new(),
            cache: Cache::default(),
            queue: Queue::new(options.queue),
            nominations: Nominations::default(),
            evictions: Evictions::default(),
            next_start: 0,
            results: ResultCache::new(options.result_cache_bytes),
            reservations: Reservations::default(),
            intent_steps: 0,
            unclaimed: BTreeMap::new(),
            rng: fastrand::Rng::with_seed(options.seed),
            cycles: 0,
            ended: Vec::new(),
            decisions: DecisionLog::new(options.decisions),
            policies: Vec::new(),
        }
    }

    /// Handles one event at the time `now` and returns the actions for the caller. `now` must never go back. Each
    /// step must get the same extenders.
    pub fn step(
        &mut self,
        event: Event,
        now: Timestamp,
        plugins: &mut dyn Plugins,
        extenders: &mut dyn Extenders,
    ) -> Vec<Action> {
        self.ended.clear();
        self.queue.set_time(now);
        let mut step = Step { now, plugins, extenders, actions: Vec::new(), pod_actions: PodActionQueue::default() };
        self.handle(event, &mut step);
        self.apply_pod_actions(&mut step);
        self.settle(&mut step);
        step.actions
    }

    fn handle(&mut self, event: Event, step: &mut Step<'_>) {
        match event {
            Event::NodeSet(node) => self.cache.set_node(node),
            Event::NodeRemoved(name) => self.cache.remove_node(&name),
            Event::PodSet(pod) => self.pod_set(pod, step),
            Event::PodRemoved(key) => self.pod_removed(&key, step),
            Event::ObjectsWanted(reads) => {
                step.actions.extend(self.cache.want_objects(reads).into_iter().map(Action::Watch));
            }
            Event::ObjectSet(object) => self.cache.set_object(object),
            Event::ObjectRemoved(key) => self.cache.remove_object(&key),
            Event::ObjectsListed(reads) => self.cache.objects_listed(reads),
            Event::ObjectsRefused(kind, why) => self.cache.objects_refused(&kind, why),
            Event::WatchStopped(kind) => self.cache.watch_stopped(&kind),
            Event::Bound(key) => self.bound(&key, step),
            Event::BindFailed(key, why) => self.bind_failed(&key, &why, step),
            Event::IntentsExecuted(key, number) => self.intents_executed(&key, number, step),
            Event::IntentsFailed(key, number, why) => self.intents_failed(&key, number, &why, step),
            Event::EvictionFailed(key) => self.eviction_failed(&key.uid, step),
            Event::PluginsSwapped(profiles) => self.plugins_swapped(profiles, step),
            Event::PluginRecovered(name) => self.queue.retry_plugin(&name),
            Event::Tick => {
                self.end_waits(step);
                self.queue.tick(step.now);
                self.decisions.drop_older(step.now);
            }
            Event::Cycle => self.cycle(step),
        }
    }

    /// Returns whether [`Event::Cycle`] would take a pod from the queue.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.queue.has_next()
    }

    /// Returns the time at which [`Event::Tick`] next has an effect, or `None` if there is no such time.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.queue.next_wakeup().into_iter().chain(self.reservations.next_deadline()).min()
    }

    /// Returns the cluster as the core sees it.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns the pending pods.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Returns the nominations of pending pods.
    #[must_use]
    pub fn nominations(&self) -> &Nominations {
        &self.nominations
    }

    /// Returns the active profiles.
    #[must_use]
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Returns the number of pods that have a reserved node and whose binding is not yet known to have succeeded.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.reservations.len()
    }

    /// Returns the number of pods that have a reserved node and wait for permit plugins.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.reservations.waiting_len()
    }

    /// Returns the plugins whose cached results were wrong, as name and description. The name is `berth` for a result
    /// that the core computed from the answers of several plugins.
    pub fn distrusted(&self) -> impl Iterator<Item = (&str, &str)> {
        self.results.distrusted.iter().map(|distrusted| (&*distrusted.name, &*distrusted.what))
    }

    /// Returns the number of scheduling cycles so far, including calls of [`Core::explain`].
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Returns the attempts that the last step ended.
    #[must_use]
    pub fn ended(&self) -> &[Attempt] {
        &self.ended
    }

    fn pod_set(&mut self, pod: Arc<Pod>, step: &mut Step<'_>) {
        if pod.finished {
            return self.pod_removed(&pod.key, step);
        }
        self.unclaimed.remove(&pod.key.uid);
        let goes = pod.deleting.then(|| pod.key.uid.clone());
        self.pod_seen(pod, step);
        goes.iter().for_each(|uid| self.victim_is_leaving(uid, step));
    }

    fn pod_seen(&mut self, pod: Arc<Pod>, step: &mut Step<'_>) {
        if !pod.node_name.is_empty() {
            return self.pod_assigned(pod, step);
        }
        if let Some(entry) = self.reservations.entry_mut(&pod.key.uid) {
            let deleting = pod.deleting;
            self.cache.set_assumed_fields(&pod);
            entry.update(pod.clone());
            if deleting {
                self.revoke(&pod.key.uid, step);
            }
            return;
        }
        if pod.deleting || self.cache.pod_by_uid(&pod.key.uid).is_some() {
            self.nominations.withdraw(&pod.key.uid);
            return self.not_pending(&pod.key);
        }
        if self.profile_of(&pod).is_none() {
            self.not_pending(&pod.key);
            self.nominations.withdraw(&pod.key.uid);
            self.unclaimed.insert(pod.key.uid.clone(), pod);
            return;
        }
        self.nominations.set(&pod);
        let uid = pod.key.uid.clone();
        self.cache.set_pending_pod(&pod);
        self.queue.set(pod, step.now);
        if !self.awaits_victims(&uid) {
            self.queue.stop_awaiting_victims(&uid);
        }
    }

    fn pod_assigned(&mut self, pod: Arc<Pod>, step: &mut Step<'_>) {
        let uid = pod.key.uid.clone();
        self.evictions.not_needed_by(&uid);
        self.not_pending(&pod.key);
        self.nominations.assigned(&uid, &pod.node_name);
        self.cache.set_pod(pod);
        // If the pod has a reservation whose binding has not started, another client bound the pod.
        self.revoke(&uid, step);
    }

    /// Removes a pod from the pending pods.
    fn not_pending(&mut self, key: &PodKey) {
        self.queue.remove(key);
        self.cache.remove_pending_pod(&key.uid);
    }

    /// Undoes the pod's reservation, because the pod needs no node any more. A binding that is under way is not
    /// cancelled; the core waits for its result.
    fn revoke(&mut self, uid: &str, step: &mut Step<'_>) {
        if let Some(reservation) = self.reservations.take_if(uid, reservation::Reservation::is_revocable) {
            self.undo(reservation, UndoReason::Cancelled, step);
        }
    }

    fn pod_removed(&mut self, key: &PodKey, step: &mut Step<'_>) {
        self.not_pending(key);
        self.unclaimed.remove(&key.uid);
        if let Some(reservation) = self.reservations.take(&key.uid) {
            self.undo(reservation, UndoReason::Cancelled, step);
        }
        self.nominations.withdraw(&key.uid);
        self.evictions.not_needed_by(&key.uid);
        self.cache.remove_pod(&key.uid);
        self.victim_is_leaving(&key.uid, step);
    }

    fn plugins_swapped(&mut self, profiles: Vec<Profile>, step: &mut Step<'_>) {
        self.results.keep_plugins_of(&profiles);
        let wanted: Vec<ObjectReads> =
            profiles.iter().flat_map(Profile::plugins).flat_map(|plugin| plugin.declaration.wanted()).collect();
        let kinds: Vec<&ObjectKind> = wanted.iter().map(|reads| &*reads.kind).collect();
        step.actions.extend(self.cache.keep_kinds(&kinds).into_iter().map(Action::StopWatching));
        self.policies = self.policies_of(&profiles);
        self.profiles = profiles;
        let reads_pending_pods = |plugin: &ProfilePlugin| plugin.declaration.pending_pods.is_some();
        let keep = self.profiles.iter().flat_map(Profile::plugins).any(reads_pending_pods);
        self.cache.keep_pending_pods(keep, || pending_pods(&self.queue));
        for pod in std::mem::take(&mut self.unclaimed).into_values() {
            self.pod_set(pod, step);
        }
        self.end_waits_for_removed_plugins(step);
        self.queue.plugins_changed();
    }
}

/// Returns all pods in the queue, ordered by uid.
fn pending_pods(queue: &Queue) -> Vec<Arc<Pod>> {
    let mut pods: Vec<Arc<Pod>> = queue.all().map(|entry| Arc::clone(&entry.pod)).collect();
    pods.sort_unstable_by(|one, other| one.key.uid.cmp(&other.key.uid));
    pods
}

#[cfg(test)]
#[path = "pending_test.rs"]
mod pending_tests;

#[cfg(test)]
#[path = "step_test.rs"]
mod tests;

#[cfg(test)]
#[path = "nominated_test.rs"]
mod nominated_tests;

#[cfg(test)]
#[path = "extenders_test.rs"]
mod extenders_tests;
