//! The state machine: what each event does, and one scheduling cycle after the other.

mod advice;
mod binding;
mod explain;
mod permit;
mod preemption;
mod reservation;
mod reservations;
mod scheduling;
#[cfg(test)]
mod scripted;
mod step;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::preemption::Evictions;
use self::reservation::Undoing;
use self::reservations::Reservations;
use self::step::Step;
use crate::action::Action;
use crate::answers::Answers;
use crate::attempt::{Attempt, Outcome};
use crate::cache::Cache;
use crate::cycle::Distrusted;
use crate::event::Event;
use crate::extenders::{Extenders, NoExtenders};
use crate::model::{ObjectKind, Pod, PodKey};
use crate::nominations::Nominations;
use crate::plugins::Plugins;
use crate::profile::Profile;
use crate::queue::{Queue, QueueOptions};
use crate::template::Templates;
use crate::time::Timestamp;

/// How the core behaves, apart from its profiles.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// From which all random choices follow.
    pub seed: u64,
    /// Backoffs and flushes.
    pub queue: QueueOptions,
    /// About how many bytes kept answers may take, for each [`crate::USUAL_NODES`] that there are; with 0 none are kept, and
    /// plugins are asked about every node for every pod.
    pub kept_answers_bytes: usize,
    /// The number of scheduling cycles of which one compares kept answers with fresh ones. With 0 no cycle does, with 1 every cycle. A
    /// number above 1 counts for up to 1,000 nodes and is multiplied in larger clusters.
    pub verify_every: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, queue: QueueOptions::default(), kept_answers_bytes: 256 << 20, verify_every: 1000 }
    }
}

/// The scheduler. See the crate's head for what it is, [`Core::step`] for how it is used.
pub struct Core {
    options: Options,
    profiles: Vec<Profile>,
    cache: Cache,
    queue: Queue,
    nominations: Nominations,
    evictions: Evictions,
    /// Where a cycle begins that does not look at all nodes.
    next_start: usize,
    templates: Templates,
    answers: Answers,
    distrusted: Vec<Distrusted>,
    reservations: Reservations,
    extenders: Box<dyn Extenders>,
    /// How often something was given to be carried.
    carried: u64,
    /// Pending pods of no profile, by uid: profiles may come after them.
    unclaimed: BTreeMap<Box<str>, Arc<Pod>>,
    rng: fastrand::Rng,
    cycles: u64,
    /// By the last step.
    ended: Vec<Attempt>,
}

impl Core {
    /// A scheduler that knows nothing yet. Until [`Event::PluginsSwapped`] gives it profiles it places no pod.
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
            templates: Templates::default(),
            answers: Answers::new(options.kept_answers_bytes),
            distrusted: Vec::new(),
            reservations: Reservations::default(),
            extenders: Box::new(NoExtenders),
            carried: 0,
            unclaimed: BTreeMap::new(),
            rng: fastrand::Rng::with_seed(options.seed),
            cycles: 0,
            ended: Vec::new(),
        }
    }

    /// The same, with extenders that have a say in every cycle.
    #[must_use]
    pub fn with_extenders(self, extenders: Box<dyn Extenders>) -> Self {
        Self { extenders, ..self }
    }

    /// Takes in one event at the time `now`, which never goes back, and says what is to be done about it.
    pub fn step(&mut self, event: Event, now: Timestamp, plugins: &mut dyn Plugins) -> Vec<Action> {
        self.ended.clear();
        let mut step = Step { now, plugins, actions: Vec::new() };
        self.take_in(event, &mut step);
        self.settle(&mut step);
        step.actions
    }

    fn take_in(&mut self, event: Event, step: &mut Step<'_>) {
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
            Event::Carried(key, number) => self.has_carried(&key, number, step),
            Event::CarryFailed(key, number, why) => self.has_not_carried(&key, number, &why, step),
            Event::EvictionFailed(key) => self.victim_stays(&key.uid, step),
            Event::PluginsSwapped(profiles) => self.plugins_swapped(profiles, step),
            Event::PluginRecovered(name) => self.queue.retry_plugin(&name),
            Event::Tick => {
                self.end_waits(step);
                self.queue.tick(step.now);
            }
            Event::Cycle => self.cycle(step),
        }
    }

    /// Whether [`Event::Cycle`] would try a pod.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.queue.has_next()
    }

    /// When [`Event::Tick`] has something to do next; `None` if it has nothing.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.queue.next_wakeup().into_iter().chain(self.reservations.next_deadline()).min()
    }

    /// The cluster as the core sees it.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The pending pods.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What is promised to pending pods.
    #[must_use]
    pub fn nominations(&self) -> &Nominations {
        &self.nominations
    }

    /// The profiles that serve.
    #[must_use]
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Pods with a node chosen whose binding is not known to be done.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.reservations.len()
    }

    /// Those of them that wait for permission.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.reservations.waiting_len()
    }

    /// Plugins whose kept answers turned out wrong, by name, and how; `berth` for what was made of several plugins' answers.
    pub fn distrusted(&self) -> impl Iterator<Item = (&str, &str)> {
        self.distrusted.iter().map(|distrusted| (&*distrusted.name, &*distrusted.what))
    }

    /// How many cycles there were.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The attempts that the last step ended.
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
        goes.iter().for_each(|uid| self.victim_goes(uid, step));
    }

    fn pod_seen(&mut self, pod: Arc<Pod>, step: &mut Step<'_>) {
        if !pod.node_name.is_empty() {
            return self.pod_assigned(pod, step);
        }
        if let Some(entry) = self.reservations.entry_mut(&pod.key.uid) {
            let deleting = pod.deleting;
            entry.update(pod.clone());
            if deleting {
                self.revoke(&pod.key.uid, step);
            }
            return;
        }
        if pod.deleting || self.cache.pod_by_uid(&pod.key.uid).is_some() {
            self.nominations.withdraw(&pod.key.uid);
            return self.queue.remove(&pod.key);
        }
        if self.profile_of(&pod).is_none() {
            self.queue.remove(&pod.key);
            self.nominations.withdraw(&pod.key.uid);
            self.unclaimed.insert(pod.key.uid.clone(), pod);
            return;
        }
        self.nominations.set(&pod);
        let uid = pod.key.uid.clone();
        self.queue.set(pod, step.now);
        if !self.awaits_room(&uid) {
            self.queue.awaits_no_room(&uid);
        }
    }

    fn pod_assigned(&mut self, pod: Arc<Pod>, step: &mut Step<'_>) {
        let uid = pod.key.uid.clone();
        self.evictions.not_needed_by(&uid);
        self.queue.remove(&pod.key);
        self.nominations.placed(&uid, &pod.node_name);
        self.cache.set_pod(pod);
        // Somebody else bound it, if it is not being bound.
        self.revoke(&uid, step);
    }

    /// The pod needs no node of ours. A binding that is under way is not called back: its answer is awaited.
    fn revoke(&mut self, uid: &str, step: &mut Step<'_>) {
        if let Some(reservation) = self.reservations.take_if(uid, reservation::Reservation::is_revocable) {
            self.undo(reservation, Undoing::Moot, step);
        }
    }

    fn pod_removed(&mut self, key: &PodKey, step: &mut Step<'_>) {
        self.queue.remove(key);
        self.unclaimed.remove(&key.uid);
        if let Some(reservation) = self.reservations.take(&key.uid) {
            self.undo(reservation, Undoing::Moot, step);
        }
        self.nominations.withdraw(&key.uid);
        self.evictions.not_needed_by(&key.uid);
        self.cache.remove_pod(&key.uid);
        self.victim_goes(&key.uid, step);
    }

    fn plugins_swapped(&mut self, profiles: Vec<Profile>, step: &mut Step<'_>) {
        let used: Vec<_> = profiles.iter().flat_map(Profile::plugin_ids).collect();
        self.answers.retain(|plugin, _| used.contains(&plugin));
        let read: Vec<_> =
            profiles.iter().flat_map(Profile::plugins).map(|plugin| plugin.declaration.node_facts).collect();
        self.answers.retain_shapes(|facts| read.contains(&facts));
        self.distrusted.retain(|distrusted| distrusted.plugin.is_some_and(|plugin| used.contains(&plugin)));
        let kinds = profiles.iter().flat_map(Profile::plugins).flat_map(|plugin| &plugin.declaration.objects);
        let kinds: Vec<&ObjectKind> = kinds.map(|reads| &*reads.kind).collect();
        step.actions.extend(self.cache.keep_kinds(&kinds).into_iter().map(Action::StopWatching));
        self.profiles = profiles;
        for pod in std::mem::take(&mut self.unclaimed).into_values() {
            self.pod_set(pod, step);
        }
        self.end_waits_for_nobody(step);
        self.queue.plugins_changed();
    }
}

#[cfg(test)]
#[path = "core_test.rs"]
mod tests;

#[cfg(test)]
#[path = "core/nominated_test.rs"]
mod nominated_tests;

#[cfg(test)]
#[path = "core/extenders_test.rs"]
mod extenders_tests;
