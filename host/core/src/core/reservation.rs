//! A node chosen for a pod and not yet bound, and the one way out of it if that fails.

use std::collections::VecDeque;
use std::sync::Arc;

use super::permit::PluginWait;
use super::scheduling::{attempt, report};
use super::step::Step;
use super::{Core, Outcome};
use crate::action::Action;
use crate::cache::NodeId;
use crate::cycle::Diagnosis;
use crate::intent::Intent;
use crate::model::{ObjectKey, Pod};
use crate::plugins::{Code, ExtensionPoints, PluginError, PointOutcome, Reserved, Status};
use crate::profile::ProfilePlugin;
use crate::queue::QueuedPod;
use crate::time::Timestamp;

/// What has to be known of a pod between the choice of its node and its binding, and what has to be undone if that fails.
/// It names plugins, not instances: those may be exchanged meanwhile.
#[derive(Debug)]
pub(super) struct Reservation {
    /// The pod as it is now, for the queue if it comes back.
    pub entry: QueuedPod,
    /// The pod as it was in its cycle: what plugins are asked about.
    pub pod: Arc<Pod>,
    /// The node's name.
    pub node: Box<str>,
    /// When its cycle was, and which it was.
    pub began: Timestamp,
    pub cycle: u64,
    /// Which plugins reserved something, in this order, and what they want to be told of it.
    pub reserved: Vec<(Arc<str>, Arc<[u8]>)>,
    /// Plugins that had nothing to do with the pod when they were to reserve: they are asked no more.
    pub skipping: Vec<Arc<str>>,
    /// Objects that are assumed for it.
    pub assumed: Vec<ObjectKey>,
    /// Plugins whose pre-bind was asked: what they wanted may be done, all of it or in part.
    pub pre_bound: Vec<Arc<str>>,
    /// The node was nominated to the pod when it was chosen.
    pub was_nominated: bool,
    /// The API server was told that the node is the pod's nominated one.
    pub nominated: bool,
    pub stage: Stage,
}

/// How far it has come.
#[derive(Debug)]
pub(super) enum Stage {
    /// Its scheduling cycle is not over.
    InCycle,
    /// Plugins want it to wait.
    Waiting(Vec<PluginWait>),
    /// What this plugin wants done is being done; then these are asked.
    PreBinding { step: u64, plugin: Arc<str>, left: VecDeque<Arc<str>> },
    /// It is being bound.
    Binding(Binder),
}

/// Who binds a pod.
#[derive(Debug)]
pub(super) enum Binder {
    /// The API server, by a binding of ours.
    Server,
    /// The extender at this place.
    Extender(usize),
    /// What this plugin wants done does.
    Plugin(u64, Arc<str>),
}

/// Why a reservation is taken back.
#[derive(Debug)]
pub(super) enum Undoing {
    /// A plugin said no: the pod waits for what may help.
    Rejected(Diagnosis),
    /// It came to no verdict: the pod is tried again after a backoff, or when this plugin is back.
    Failed { message: String, plugin: Option<Arc<str>> },
    /// This plugin is being filled with the cluster again: the pod waits for it, and nothing is reported.
    Filling(Arc<str>),
    /// The pod needs no node any more: it goes, or has one.
    Moot,
}

impl From<PluginError> for Undoing {
    fn from(error: PluginError) -> Self {
        if error.filling {
            return Self::Filling(error.plugin);
        }
        let plugin = error.down.then(|| Arc::clone(&error.plugin));
        Self::Failed { message: error.to_string(), plugin }
    }
}

impl Reservation {
    /// What the plugin returned when it reserved.
    pub fn state_of(&self, plugin: &str) -> &[u8] {
        self.reserved.iter().find(|(name, _)| **name == *plugin).map_or(&[], |(_, state)| state)
    }

    /// The plugins that want it to wait.
    pub fn waits(&self) -> &[PluginWait] {
        match &self.stage {
            Stage::Waiting(waits) => waits,
            _ => &[],
        }
    }

    /// The one that will have had enough first.
    pub fn first_to_end(&self) -> Option<&PluginWait> {
        self.waits().iter().min_by_key(|wait| wait.until)
    }

    /// When it has waited long enough.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.first_to_end().map(|wait| wait.until)
    }

    /// The binding is not asked for yet: who ends it now is in time.
    pub fn is_revocable(&self) -> bool {
        !matches!(self.stage, Stage::Binding(_))
    }

    /// The step whose end it waits for.
    pub fn carried(&self) -> Option<u64> {
        match &self.stage {
            Stage::PreBinding { step, .. } | Stage::Binding(Binder::Plugin(step, _)) => Some(*step),
            _ => None,
        }
    }
}

impl Core {
    /// Counts the pod on the node from now on, lets plugins set aside what it needs there, and asks whether it may be bound.
    pub(super) fn reserve(&mut self, entry: QueuedPod, node: NodeId, step: &mut Step<'_>) {
        let name = self.cache.node(node).map_or_else(Box::default, |info| info.node.name.clone());
        let mut reservation = self.assume(entry, name, step.now);
        let mut others = Vec::new();
        let reserved = self.ask_to_reserve(&mut reservation, node, step);
        match reserved.and_then(|()| self.ask_for_permission(&mut reservation, node, &mut others, step)) {
            Ok(waits) if waits.is_empty() => self.permitted(reservation, step),
            Ok(waits) => self.wait(reservation, waits, step),
            Err(why) => self.undo(reservation, why, step),
        }
        self.decide_about_others(others, step);
    }

    fn assume(&mut self, entry: QueuedPod, node: Box<str>, now: Timestamp) -> Reservation {
        let pod = Arc::clone(&entry.pod);
        let was_nominated = self.nominations.node_of(&pod.key.uid) == Some(&*node);
        self.nominations.placed(&pod.key.uid, &node);
        self.evictions.not_needed_by(&pod.key.uid);
        self.cache.assume(Arc::new(Pod { node_name: node.clone(), ..Pod::clone(&pod) }));
        Reservation {
            entry,
            pod,
            node,
            began: now,
            cycle: self.cycles,
            reserved: Vec::new(),
            skipping: Vec::new(),
            assumed: Vec::new(),
            pre_bound: Vec::new(),
            was_nominated,
            nominated: false,
            stage: Stage::InCycle,
        }
    }

    fn ask_to_reserve(
        &mut self,
        reservation: &mut Reservation,
        node: NodeId,
        step: &mut Step<'_>,
    ) -> Result<(), Undoing> {
        let plugins = self.plugins_at(&reservation.pod, |profile| &profile.reserve);
        let pod = Arc::clone(&reservation.pod);
        let ask_all = |step: &mut Step<'_>| {
            plugins.iter().try_for_each(|plugin| self.ask_one_to_reserve(plugin, reservation, node, step))
        };
        step.at(ExtensionPoints::RESERVE, &pod, ask_all, how_it_went)
    }

    fn ask_one_to_reserve(
        &mut self,
        plugin: &ProfilePlugin,
        reservation: &mut Reservation,
        node: NodeId,
        step: &mut Step<'_>,
    ) -> Result<(), Undoing> {
        if self.skips(plugin, reservation, step) {
            reservation.skipping.push(Arc::clone(&plugin.declaration.name));
            return Ok(());
        }
        let answer =
            self.ask(plugin, reservation, step, |plugins, cycle, _| plugins.reserve(plugin.id, cycle, node))?;
        let Reserved { state, intents } = answer.map_err(|status| self.rejected(plugin, status, reservation, node))?;
        // From here on it has reserved, whatever else it wants.
        let name = Arc::clone(&plugin.declaration.name);
        reservation.reserved.push((Arc::clone(&name), state));
        for intent in intents {
            let Intent::Assume(object) = intent else {
                let message = "reserve may assume objects only: what has to be done to the cluster is for pre-bind";
                return Err(PluginError::failed(name, message.to_owned()).into());
            };
            reservation.assumed.push(object.key.clone());
            self.cache.assume_object(object, &reservation.pod.key.uid);
        }
        Ok(())
    }

    /// The plugin said no to the node that was chosen.
    pub(super) fn rejected(
        &mut self,
        plugin: &ProfilePlugin,
        status: Status,
        reservation: &Reservation,
        node: NodeId,
    ) -> Undoing {
        if status.code == Code::Error {
            let message = status.reasons.join(", ");
            return PluginError::failed(Arc::clone(&plugin.declaration.name), message).into();
        }
        let template = self.templates.of(plugin.declaration.pod_facts, &reservation.pod, self.cycles);
        Undoing::Rejected(Diagnosis::of_one(node, &status, Some((plugin, template))))
    }

    /// Takes a reservation back: the one way out of every attempt that fails after [`Core::reserve`] began.
    pub(super) fn undo(&mut self, mut reservation: Reservation, why: Undoing, step: &mut Step<'_>) {
        let failed = matches!(why, Undoing::Failed { .. } | Undoing::Filling(_));
        step.permit_wait_ends(&reservation, if failed { PointOutcome::Error } else { PointOutcome::Unschedulable });
        if matches!(reservation.stage, Stage::PreBinding { .. }) {
            step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Error);
        }
        let in_cycle = matches!(reservation.stage, Stage::InCycle);
        if !in_cycle {
            // What happened up to now may help the pod. That it leaves its node helps others, not itself.
            self.tell_queue(step);
            self.queue.hears_no_more(&mut reservation.entry);
        }
        let tell_all = |step: &mut Step<'_>| self.unreserve(&reservation, step);
        let undo = step.at(ExtensionPoints::UNRESERVE, &reservation.pod, tell_all, |_| PointOutcome::Success);
        match reservation.carried() {
            Some(number) => {
                step.actions.push(Action::StopCarrying { pod: reservation.pod.key.clone(), step: number, undo });
            }
            None => step.change(undo),
        }
        let uid = &reservation.pod.key.uid;
        for key in &reservation.assumed {
            self.cache.take_object_back(key, uid);
        }
        self.cache.forget(uid);
        if in_cycle {
            // Nobody saw it come: that it went again helps nobody.
            self.cache.take_events();
            if reservation.was_nominated {
                // But other pods left this room to it. That they may have it now does not help the pod itself.
                self.nominations.room_is_free(Arc::clone(&reservation.pod));
                self.tell_queue(step);
                self.queue.heard_all(&mut reservation.entry);
            }
        }
        self.requeue(reservation, why, step);
    }

    /// Tells those that reserved. What they want undone of what pre-bind did.
    fn unreserve(&mut self, reservation: &Reservation, step: &mut Step<'_>) -> Vec<Intent> {
        let mut undo = Vec::new();
        for (name, _) in reservation.reserved.iter().rev() {
            let Some(plugin) = self.plugin_named(&reservation.pod, |profile| &profile.reserve, name) else {
                step.warn_gone(name, "unreserve", &reservation.pod);
                continue;
            };
            let pre_bound = reservation.pre_bound.contains(name);
            undo.extend(self.ask(&plugin, reservation, step, |plugins, cycle, state| {
                plugins.unreserve(plugin.id, cycle, &reservation.node, state, pre_bound)
            }));
        }
        undo
    }

    fn requeue(&mut self, reservation: Reservation, why: Undoing, step: &mut Step<'_>) {
        let Reservation { entry, began, nominated, .. } = reservation;
        if matches!(why, Undoing::Moot) {
            return;
        }
        let outcome = if matches!(why, Undoing::Rejected(_)) { Outcome::Unschedulable } else { Outcome::Error };
        if !matches!(why, Undoing::Filling(_)) {
            self.ended.push(attempt(&entry, outcome, began));
        }
        if self.cache.pod_by_uid(&entry.pod.key.uid).is_some() || entry.pod.deleting {
            return;
        }
        if nominated || !entry.pod.nominated_node_name.is_empty() {
            step.actions.push(Action::Nominate { pod: entry.pod.key.clone(), node: Box::default() });
        }
        match why {
            Undoing::Rejected(diagnosis) => {
                let entry = report(entry, "Unschedulable", diagnosis.to_string(), &mut step.actions);
                self.queue.add_unschedulable(entry, diagnosis.rejection().clone(), step.now);
            }
            Undoing::Failed { message, plugin } => self.failed(entry, plugin, message, step),
            Undoing::Filling(plugin) => self.queue.add_failed(entry, Some(plugin), step.now),
            Undoing::Moot => {}
        }
    }
}

/// For those who measure.
pub(super) fn how_it_went<R>(result: &Result<R, Undoing>) -> PointOutcome {
    match result {
        Ok(_) => PointOutcome::Success,
        Err(Undoing::Rejected(_)) => PointOutcome::Unschedulable,
        Err(_) => PointOutcome::Error,
    }
}

#[cfg(test)]
#[path = "reservation_test.rs"]
mod tests;
