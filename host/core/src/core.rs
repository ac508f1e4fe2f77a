//! The state machine: what each event does, and one scheduling cycle after the other.

mod advice;
mod explain;
mod preemption;

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use self::preemption::Evictions;
use crate::action::{Action, PodEvent};
use crate::answers::Answers;
use crate::attempt::{Attempt, Outcome};
use crate::cache::Cache;
use crate::cycle::{Distrusted, Failure, Placing};
use crate::event::Event;
use crate::model::{Pod, PodKey};
use crate::nominations::Nominations;
use crate::plugins::Plugins;
use crate::profile::Profile;
use crate::queue::{Queue, QueueOptions, QueuedPod, Rejection};
use crate::template::Templates;
use crate::time::Timestamp;

/// How the core behaves, apart from its profiles.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// From which all random choices follow.
    pub seed: u64,
    /// Backoffs and flushes.
    pub queue: QueueOptions,
    /// About how many bytes kept answers may take.
    pub kept_answers_bytes: usize,
    /// Every how many cycles kept answers are checked against fresh ones; 0 is never.
    pub verify_every: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, queue: QueueOptions::default(), kept_answers_bytes: 256 << 20, verify_every: 1000 }
    }
}

/// A node chosen for a pod and not yet bound: what has to be undone if that fails.
#[derive(Clone, Debug)]
struct Reservation {
    entry: QueuedPod,
    node: Box<str>,
    /// When its cycle was.
    began: Timestamp,
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
    /// By uid.
    in_flight: HashMap<Box<str>, Reservation>,
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
            in_flight: HashMap::new(),
            unclaimed: BTreeMap::new(),
            rng: fastrand::Rng::with_seed(options.seed),
            cycles: 0,
            ended: Vec::new(),
        }
    }

    /// Takes in one event at the time `now`, which never goes back, and says what is to be done about it.
    pub fn step(&mut self, event: Event, now: Timestamp, plugins: &mut dyn Plugins) -> Vec<Action> {
        let mut actions = Vec::new();
        self.ended.clear();
        match event {
            Event::NodeSet(node) => self.cache.set_node(node),
            Event::NodeRemoved(name) => self.cache.remove_node(&name),
            Event::PodSet(pod) => self.pod_set(pod, now),
            Event::PodRemoved(key) => self.pod_removed(&key),
            Event::ObjectsWanted(reads) => {
                actions.extend(self.cache.want_objects(reads).into_iter().map(Action::Watch));
            }
            Event::ObjectSet(object) => self.cache.set_object(object),
            Event::ObjectRemoved(key) => self.cache.remove_object(&key),
            Event::ObjectsListed(reads) => self.cache.objects_listed(reads),
            Event::ObjectsRefused(kind, why) => self.cache.objects_refused(&kind, why),
            Event::Bound(key) => self.bound(&key, &mut actions),
            Event::BindFailed(key, why) => self.bind_failed(&key, &why, now, &mut actions),
            // Nothing is carried yet.
            Event::Carried(..) | Event::CarryFailed(..) => {}
            Event::EvictionFailed(key) => self.evictions.ended(&key.uid),
            Event::PluginsSwapped(profiles) => self.plugins_swapped(profiles, now),
            Event::PluginRecovered(name) => self.queue.retry_plugin(&name),
            Event::Tick => self.queue.tick(now),
            Event::Cycle => self.cycle(now, plugins, &mut actions),
        }
        self.settle(now, plugins, &mut actions);
        actions
    }

    /// Whether [`Event::Cycle`] would try a pod.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.queue.has_next()
    }

    /// When [`Event::Tick`] has something to do next; `None` if it has nothing.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.queue.next_wakeup()
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

    /// Pods with a node chosen whose binding is not known to be done.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
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

    fn pod_set(&mut self, pod: Arc<Pod>, now: Timestamp) {
        if pod.finished {
            return self.pod_removed(&pod.key);
        }
        self.unclaimed.remove(&pod.key.uid);
        if pod.deleting {
            self.evictions.ended(&pod.key.uid);
        }
        if !pod.node_name.is_empty() {
            self.evictions.not_needed_by(&pod.key.uid);
            self.queue.remove(&pod.key);
            self.nominations.placed(&pod.key.uid, &pod.node_name);
            return self.cache.set_pod(pod);
        }
        if let Some(reservation) = self.in_flight.get_mut(&pod.key.uid) {
            reservation.entry.update(pod);
            return;
        }
        if pod.deleting || self.cache.pod_by_uid(&pod.key.uid).is_some() {
            self.nominations.withdraw(&pod.key.uid);
            return self.queue.remove(&pod.key);
        }
        if !self.profiles.iter().any(|profile| profile.scheduler_name == pod.spec.scheduler_name) {
            self.queue.remove(&pod.key);
            self.nominations.withdraw(&pod.key.uid);
            self.unclaimed.insert(pod.key.uid.clone(), pod);
            return;
        }
        self.nominations.set(&pod);
        self.queue.set(pod, now);
    }

    fn pod_removed(&mut self, key: &PodKey) {
        self.queue.remove(key);
        self.unclaimed.remove(&key.uid);
        self.in_flight.remove(&key.uid);
        self.nominations.withdraw(&key.uid);
        self.evictions.ended(&key.uid);
        self.evictions.not_needed_by(&key.uid);
        self.cache.remove_pod(&key.uid);
    }

    fn plugins_swapped(&mut self, profiles: Vec<Profile>, now: Timestamp) {
        let used: Vec<_> = profiles.iter().flat_map(Profile::plugin_ids).collect();
        self.answers.retain(|plugin, _| used.contains(&plugin));
        self.distrusted.retain(|distrusted| used.contains(&distrusted.plugin));
        self.profiles = profiles;
        for pod in std::mem::take(&mut self.unclaimed).into_values() {
            self.pod_set(pod, now);
        }
        self.queue.plugins_changed();
    }

    fn cycle(&mut self, now: Timestamp, plugins: &mut dyn Plugins, actions: &mut Vec<Action>) {
        let Some(entry) = self.queue.pop() else { return };
        let Some(at) = self.profile_of(&entry.pod) else {
            // Its profile went while it waited, and may come back.
            self.unclaimed.insert(entry.pod.key.uid.clone(), entry.pod);
            return;
        };
        self.cycles += 1;
        let warned = self.distrusted.len();
        let mut rng = self.rng.fork();
        let (mut placing, profile) = self.placing(&entry.pod, at, now, plugins);
        let placed = placing.place(profile, &mut rng);
        for distrusted in &self.distrusted[warned..] {
            let (plugin, message) = (Arc::clone(&distrusted.name), distrusted.what.clone());
            actions.push(Action::Warn { plugin, message });
        }
        let node = placed.map(|node| self.cache.node(node).map_or_else(Box::default, |info| info.node.name.clone()));
        match node {
            Ok(node) => self.reserve(entry, node, now, actions),
            Err(failure) => self.not_placed(entry, failure, now, actions),
        }
        if self.cycles.is_multiple_of(256) {
            self.answers.make_room();
        }
    }

    fn profile_of(&self, pod: &Pod) -> Option<usize> {
        self.profiles.iter().position(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// The cycle whose number was drawn last, and the profile that decides it.
    fn placing<'a>(
        &'a mut self,
        pod: &'a Arc<Pod>,
        profile: usize,
        now: Timestamp,
        plugins: &'a mut dyn Plugins,
    ) -> (Placing<'a>, &'a Profile) {
        let verify = self.options.verify_every > 0 && self.cycles.is_multiple_of(self.options.verify_every);
        let placing = Placing {
            cycle: self.cycles,
            time: now,
            seed: self.options.seed,
            pod,
            cache: &self.cache,
            templates: &mut self.templates,
            pods_templates: Vec::new(),
            answers: &mut self.answers,
            nominations: &self.nominations,
            next_start: &mut self.next_start,
            plugins,
            verify,
            distrusted: &mut self.distrusted,
            may_make_room: !self.evictions.are_underway_for(&pod.key.uid),
            witness: None,
        };
        (placing, &self.profiles[profile])
    }

    fn forget_templates(&mut self, plugins: &mut dyn Plugins) {
        for forgotten in self.templates.make_room() {
            self.answers.retain(|_, template| forgotten.templates.binary_search(&template).is_err());
            plugins.forget_templates(forgotten.facts, &forgotten.templates);
        }
    }

    /// Counts the pod on the node from now on, and asks for the binding.
    fn reserve(&mut self, entry: QueuedPod, node: Box<str>, now: Timestamp, actions: &mut Vec<Action>) {
        let key = entry.pod.key.clone();
        self.nominations.placed(&key.uid, &node);
        self.evictions.not_needed_by(&key.uid);
        self.cache.assume(Arc::new(Pod { node_name: node.clone(), ..Pod::clone(&entry.pod) }));
        actions.push(Action::Bind { pod: key.clone(), node: node.clone() });
        self.in_flight.insert(key.uid, Reservation { entry, node, began: now });
    }

    /// Takes a reservation back: the one way out of every cycle that fails after [`Core::reserve`].
    fn undo(&mut self, reservation: Reservation, why: &str, now: Timestamp, actions: &mut Vec<Action>) {
        self.ended.push(attempt(&reservation.entry, Outcome::Error, reservation.began));
        let uid = &reservation.entry.pod.key.uid;
        self.cache.forget(uid);
        if self.cache.pod_by_uid(uid).is_some() || reservation.entry.pod.deleting {
            return;
        }
        self.nominations.set(&reservation.entry.pod);
        let message = format!("binding rejected: {why}");
        self.failed(reservation.entry, None, message, now, actions);
    }

    fn bound(&mut self, key: &PodKey, actions: &mut Vec<Action>) {
        let Some(Reservation { entry, node, began }) = self.in_flight.remove(&key.uid) else { return };
        self.ended.push(attempt(&entry, Outcome::Scheduled, began));
        let note = format!("Successfully assigned {key} to {node}");
        actions.push(Action::Emit(PodEvent {
            pod: key.clone(),
            scheduler_name: entry.pod.spec.scheduler_name.clone(),
            kind: "Normal",
            reason: "Scheduled",
            action: "Binding",
            note: note.into(),
        }));
    }

    fn bind_failed(&mut self, key: &PodKey, why: &str, now: Timestamp, actions: &mut Vec<Action>) {
        if let Some(reservation) = self.in_flight.remove(&key.uid) {
            self.undo(reservation, why, now, actions);
        }
    }

    fn not_placed(&mut self, entry: QueuedPod, failure: Failure, now: Timestamp, actions: &mut Vec<Action>) {
        let message = failure.to_string();
        let rejection = match failure {
            Failure::Plugin(error) => {
                self.ended.push(attempt(&entry, Outcome::Error, now));
                let plugin = error.down.then(|| Arc::clone(&error.plugin));
                return self.failed(entry, plugin, message, now, actions);
            }
            Failure::NoNodes => Rejection::default(),
            Failure::Unschedulable(diagnosis, nomination) => {
                self.nominate(&entry, nomination, actions);
                diagnosis.rejection().clone()
            }
        };
        self.ended.push(attempt(&entry, Outcome::Unschedulable, now));
        let entry = report(entry, "Unschedulable", message, actions);
        self.queue.add_unschedulable(entry, rejection, now);
    }

    /// The attempt came to no verdict: it is made again after a backoff.
    fn failed(
        &mut self,
        entry: QueuedPod,
        plugin: Option<Arc<str>>,
        message: String,
        now: Timestamp,
        actions: &mut Vec<Action>,
    ) {
        let entry = report(entry, "SchedulerError", message, actions);
        self.queue.add_failed(entry, plugin, now);
    }
}

fn attempt(entry: &QueuedPod, outcome: Outcome, began: Timestamp) -> Attempt {
    let (number, first_seen) = (entry.attempts, entry.first_seen);
    Attempt { pod: Arc::clone(&entry.pod), outcome, number, first_seen, began }
}

/// Says on the pod why it is not scheduled: an event always, the condition if it would change.
fn report(mut entry: QueuedPod, reason: &'static str, message: String, actions: &mut Vec<Action>) -> QueuedPod {
    let message: Arc<str> = message.into();
    actions.push(Action::Emit(PodEvent {
        pod: entry.pod.key.clone(),
        scheduler_name: entry.pod.spec.scheduler_name.clone(),
        kind: "Warning",
        reason: "FailedScheduling",
        action: "Scheduling",
        note: Arc::clone(&message),
    }));
    let reported = Some((reason, Arc::clone(&message)));
    if entry.reported != reported {
        actions.push(Action::SetUnscheduled { pod: entry.pod.key.clone(), reason, message });
        entry.reported = reported;
    }
    entry
}

#[cfg(test)]
#[path = "core_test.rs"]
mod tests;

#[cfg(test)]
#[path = "core/nominated_test.rs"]
mod nominated_tests;
