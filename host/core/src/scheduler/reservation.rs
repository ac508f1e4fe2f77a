//! A reservation holds a node for a pod from the choice of the node to the binding. `Core::undo` is the only way out
//! of a reservation that failed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::recording::{Ending, rejected};
use super::scheduling::{attempt, cut, report};
use super::step::Step;
use super::{Core, Outcome};
use crate::action::Action;
use crate::cache::NodeId;
use crate::cycle::{CycleRecord, Diagnosis};
use crate::decision::{EndedWait, Rare};
use crate::intent::Intent;
use crate::model::{ObjectKey, Pod};
use crate::plugins::{Code, ExtensionPoints, PluginError, PointOutcome, Reserved, Status, Undone};
use crate::profile::ProfilePlugin;
use crate::queue::{QueuedPod, UnscheduledReason};
use crate::time::Timestamp;

/// The state of a pod between the choice of its node and its binding, and the data to undo it. A reservation stores
/// plugin names, not instances, because instances may be exchanged in the meantime.
#[derive(Debug)]
pub(crate) struct Reservation {
    /// The queue entry with the current pod, to queue the pod again after a failure.
    pub entry: QueuedPod,
    /// The pod as it was in its scheduling cycle. Plugins are asked about this version.
    pub pod: Arc<Pod>,
    /// The node's name.
    pub node: Box<str>,
    /// The time of the pod's scheduling cycle.
    pub began: Timestamp,
    /// The number of the pod's scheduling cycle.
    pub cycle: u64,
    /// The plugins whose reserve succeeded, in order, each with the state that its reserve returned.
    pub reserved: Vec<(Arc<str>, Arc<[u8]>)>,
    /// Plugins that skipped the pod at reserve. The core does not ask these plugins about the pod again before the
    /// reservation ends.
    pub skipping: Vec<Arc<str>>,
    /// Keys of the objects that are assumed for the pod.
    pub assumed: Vec<ObjectKey>,
    /// Plugins whose pre-bind was asked. Some or all of their intents may be done.
    pub pre_bound: Vec<Arc<str>>,
    /// The node was the pod's nominated node when it was chosen.
    pub was_nominated: bool,
    /// [`Action::Nominate`] was sent for the reserved node, or was not needed.
    pub nominated: bool,
    pub stage: Stage,
    /// What the cycle recorded; `None` if nothing is recorded.
    pub record: Option<CycleRecord>,
    /// The permit waits that ended, for the decision record.
    pub ended_waits: Vec<EndedWait>,
}

/// The progress of a reservation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    /// The scheduling cycle is still running.
    InCycle,
    /// The pod waits for these permit plugins.
    Waiting(Vec<PluginWait>),
    /// The intents of this pre-bind plugin are being executed, as the `step` of an [`Action::ExecuteIntents`]. The
    /// plugins in `left` come next.
    PreBinding { step: u64, plugin: Arc<str>, left: VecDeque<Arc<str>> },
    /// The binding is under way.
    Binding(Binder),
}

/// A plugin that wants a pod to wait.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginWait {
    pub plugin: Arc<str>,
    pub how_long: Duration,
    pub until: Timestamp,
}

/// The binder of a pod.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Binder {
    /// The API server, through [`Action::Bind`].
    Server,
    /// The extender with this index in [`crate::extenders::Extenders::list`].
    Extender(usize),
    /// The intents of this plugin. The number is the `step` of the [`Action::ExecuteIntents`] with these intents.
    Plugin(u64, Arc<str>),
}

/// The reason why a reservation is undone.
#[derive(Debug)]
pub(super) enum UndoReason {
    /// A plugin rejected the pod. The pod waits for an event that may help.
    Rejected(Diagnosis),
    /// An attempt failed without a verdict. The pod is tried again after a backoff, or when `plugin`, which is down,
    /// works again.
    Failed { message: String, plugin: Option<Arc<str>> },
    /// This plugin is being filled with the cluster again. The pod is tried again when the plugin works, or after a
    /// backoff. Nothing is reported.
    Filling(Arc<str>),
    /// The pod needs no node any more, because it is being deleted, was removed, or already has a node.
    Cancelled,
}

impl From<PluginError> for UndoReason {
    fn from(error: PluginError) -> Self {
        if error.filling {
            return Self::Filling(error.plugin);
        }
        let plugin = error.down.then(|| Arc::clone(&error.plugin));
        Self::Failed { message: error.to_string(), plugin }
    }
}

impl Reservation {
    /// Returns the state that the plugin's reserve returned, or an empty slice if the plugin reserved nothing.
    pub fn state_of(&self, plugin: &str) -> &[u8] {
        self.reserved.iter().find(|(name, _)| **name == *plugin).map_or(&[], |(_, state)| state)
    }

    /// Returns the permit waits of the pod.
    pub fn waits(&self) -> &[PluginWait] {
        match &self.stage {
            Stage::Waiting(waits) => waits,
            _ => &[],
        }
    }

    /// Returns the permit wait that ends first.
    pub fn first_to_end(&self) -> Option<&PluginWait> {
        self.waits().iter().min_by_key(|wait| wait.until)
    }

    /// Returns the time at which the first permit wait ends.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.first_to_end().map(|wait| wait.until)
    }

    /// Returns whether the reservation can still be undone: the binding has not started.
    pub fn is_revocable(&self) -> bool {
        !matches!(self.stage, Stage::Binding(_))
    }

    /// Returns the `step` of the [`Action::ExecuteIntents`] whose result the reservation waits for.
    pub fn awaited_step(&self) -> Option<u64> {
        match &self.stage {
            Stage::PreBinding { step, .. } | Stage::Binding(Binder::Plugin(step, _)) => Some(*step),
            _ => None,
        }
    }
}

impl Reservation {
    /// Returns the end of the reservation's attempt, or `None` if nothing is recorded.
    pub fn ending(&mut self, outcome: Outcome) -> Option<Ending<'_>> {
        Some(Ending {
            entry: &self.entry,
            began: self.began,
            cycle: self.cycle,
            record: self.record.take()?,
            node: &self.node,
            was_nominated: self.was_nominated,
            outcome,
        })
    }

    /// Records that these permit waits ended.
    pub fn end_permit_waits(&mut self, ended: &[PluginWait], now: Timestamp) {
        if self.record.is_none() {
            return;
        }
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let waited_millis = millis(now.since(self.began));
        self.ended_waits.extend(ended.iter().map(|wait| EndedWait {
            plugin: Arc::clone(&wait.plugin),
            waited_millis,
            timeout_millis: millis(wait.how_long),
        }));
    }
}

impl Core {
    /// Assumes the pod on the node, asks reserve plugins, and asks permit plugins whether the pod may be bound.
    pub(super) fn reserve(&mut self, entry: QueuedPod, node: NodeId, record: Option<CycleRecord>, step: &mut Step<'_>) {
        let name: Box<str> = self.cache.node_name(node).into();
        let mut reservation = self.assume(entry, name, step.now);
        reservation.record = record;
        let reserved = self.ask_to_reserve(&mut reservation, node, step);
        match reserved.and_then(|()| self.ask_for_permission(&mut reservation, node, step)) {
            Ok(waits) if waits.is_empty() => self.permitted(reservation, step),
            Ok(waits) => self.wait(reservation, waits, step),
            Err(why) => self.undo(reservation, why, step),
        }
    }

    fn assume(&mut self, entry: QueuedPod, node: Box<str>, now: Timestamp) -> Reservation {
        let pod = Arc::clone(&entry.pod);
        let was_nominated = self.nominations.node_of(&pod.key.uid) == Some(&*node);
        self.nominations.assigned(&pod.key.uid, &node);
        self.evictions.not_needed_by(&pod.key.uid);
        self.cache.remove_pending_pod(&pod.key.uid);
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
            record: None,
            ended_waits: Vec::new(),
        }
    }

    fn ask_to_reserve(
        &mut self,
        reservation: &mut Reservation,
        node: NodeId,
        step: &mut Step<'_>,
    ) -> Result<(), UndoReason> {
        let plugins = self.plugins_at(&reservation.pod, |profile| &profile.reserve);
        let pod = Arc::clone(&reservation.pod);
        let ask_all = |step: &mut Step<'_>| {
            plugins.iter().try_for_each(|plugin| self.ask_one_to_reserve(plugin, reservation, node, step))
        };
        step.at(ExtensionPoints::RESERVE, &pod, ask_all, outcome_of)
    }

    fn ask_one_to_reserve(
        &mut self,
        plugin: &ProfilePlugin,
        reservation: &mut Reservation,
        node: NodeId,
        step: &mut Step<'_>,
    ) -> Result<(), UndoReason> {
        if self.skips(plugin, reservation, step) {
            reservation.skipping.push(Arc::clone(&plugin.declaration.name));
            return Ok(());
        }
        let answer =
            self.ask(plugin, reservation, step, |plugins, cycle, _| plugins.reserve(plugin.id, cycle, node))?;
        let Reserved { state, intents } = answer.map_err(|status| self.rejected(plugin, status, reservation, node))?;
        // From here on the plugin counts as having reserved, even if its intents are refused below.
        reservation.reserved.push((Arc::clone(&plugin.declaration.name), state));
        for intent in intents {
            let Intent::Assume(object) = intent else {
                let message = "reserve may assume objects only: what has to be done to the cluster is for pre-bind";
                return Err(plugin.failed(message).into());
            };
            reservation.assumed.push(object.key.clone());
            self.cache.assume_object(object, &reservation.pod.key.uid);
        }
        Ok(())
    }

    /// Returns the reason to undo the reservation, for a plugin that rejected the chosen node.
    pub(super) fn rejected(
        &mut self,
        plugin: &ProfilePlugin,
        status: Status,
        reservation: &Reservation,
        node: NodeId,
    ) -> UndoReason {
        if status.code == Code::Error {
            return plugin.failed(status.reasons.join(", ")).into();
        }
        let signature = self.results.pod_signatures.of(&plugin.declaration.pod, &reservation.pod, self.cycles);
        UndoReason::Rejected(Diagnosis::of_one(node, &status, Some((plugin, signature))))
    }

    /// Undoes a reservation. Every attempt that fails after [`Core::reserve`] began ends here.
    pub(super) fn undo(&mut self, mut reservation: Reservation, why: UndoReason, step: &mut Step<'_>) {
        let failed = matches!(why, UndoReason::Failed { .. } | UndoReason::Filling(_));
        step.permit_wait_ends(&reservation, if failed { PointOutcome::Error } else { PointOutcome::Unschedulable });
        if matches!(reservation.stage, Stage::PreBinding { .. }) {
            step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Error);
        }
        let in_cycle = matches!(reservation.stage, Stage::InCycle);
        if !in_cycle {
            // Events up to now may help the pod. The pod's own departure from the node helps only other pods.
            self.pass_events(step);
            self.queue.ignore_later_events(&mut reservation.entry);
        }
        let ask_all = |step: &mut Step<'_>| self.unreserve(&reservation, step);
        let undo = step.at(ExtensionPoints::UNRESERVE, &reservation.pod, ask_all, |_| PointOutcome::Success);
        match reservation.awaited_step() {
            Some(number) => {
                step.actions.push(Action::CancelIntents { pod: reservation.pod.key.clone(), step: number, undo });
            }
            None => step.change(undo),
        }
        let uid = &reservation.pod.key.uid;
        for key in &reservation.assumed {
            self.cache.take_object_back(key, uid);
        }
        self.cache.forget(uid);
        if self.is_pending_again(&reservation.entry, &why) {
            self.cache.set_pending_pod(&reservation.entry.pod);
        }
        if in_cycle {
            // The queue has not got the events of the assumption. The undo reverts the assumption, so the events of
            // both are dropped.
            self.cache.take_events();
            if reservation.was_nominated {
                // Other pods left space on the nominated node for this pod. They may use the space now, but this does
                // not help the pod itself.
                self.nominations.node_released(Arc::clone(&reservation.pod));
                self.pass_events(step);
                self.queue.ignore_earlier_events(&mut reservation.entry);
            }
        }
        self.requeue(reservation, why, step);
    }

    /// Asks the plugins that reserved to unreserve, in reverse order. Returns their intents, which undo effects of
    /// pre-bind.
    fn unreserve(&mut self, reservation: &Reservation, step: &mut Step<'_>) -> Vec<Intent> {
        let mut undo = Vec::new();
        for (name, _) in reservation.reserved.iter().rev() {
            let Some(plugin) = self.plugin_named(&reservation.pod, |profile| &profile.reserve, name) else {
                step.warn_gone(name, "unreserve", &reservation.pod);
                continue;
            };
            let pre_bound = reservation.pre_bound.contains(name);
            let Undone { intents, pods } = self.ask(&plugin, reservation, step, |plugins, cycle, state| {
                plugins.unreserve(plugin.id, cycle, &reservation.node, state, pre_bound)
            });
            undo.extend(intents);
            step.pod_actions.add(name, &reservation.pod, pods);
        }
        undo
    }

    /// Returns whether a pod comes back to the queue after its reservation was undone for this reason.
    fn is_pending_again(&self, entry: &QueuedPod, why: &UndoReason) -> bool {
        let needs_node = !entry.pod.deleting && self.cache.pod_by_uid(&entry.pod.key.uid).is_none();
        needs_node && !matches!(why, UndoReason::Cancelled)
    }

    fn requeue(&mut self, mut reservation: Reservation, why: UndoReason, step: &mut Step<'_>) {
        let message = match &why {
            UndoReason::Rejected(diagnosis) => cut(diagnosis.to_string()),
            UndoReason::Failed { message, .. } => cut(message.clone()),
            UndoReason::Filling(_) => Arc::default(),
            UndoReason::Cancelled => return self.queue.end_ticket(&mut reservation.entry),
        };
        if !matches!(why, UndoReason::Filling(_)) {
            self.ends_after_choice(&mut reservation, &why, &message, step.now);
        }
        let Reservation { mut entry, nominated, .. } = reservation;
        if !self.is_pending_again(&entry, &why) {
            return self.queue.end_ticket(&mut entry);
        }
        if nominated || !entry.pod.nominated_node_name.is_empty() {
            step.actions.push(Action::Nominate { pod: entry.pod.key.clone(), node: Box::default() });
        }
        match why {
            UndoReason::Rejected(diagnosis) => {
                let entry = report(entry, UnscheduledReason::Unschedulable, message, &mut step.actions);
                self.queue.add_unschedulable(entry, diagnosis.rejection().clone(), step.now);
            }
            UndoReason::Failed { plugin, .. } => self.failed(entry, plugin, message, step),
            UndoReason::Filling(plugin) => self.queue.add_failed(entry, Some(plugin), step.now),
            UndoReason::Cancelled => {}
        }
    }

    /// Ends an attempt that failed after the choice of its node, for metrics and the decision record.
    fn ends_after_choice(
        &mut self,
        reservation: &mut Reservation,
        why: &UndoReason,
        message: &Arc<str>,
        now: Timestamp,
    ) {
        let rejection = if let UndoReason::Rejected(diagnosis) = why { Some(rejected(diagnosis)) } else { None };
        let outcome = if rejection.is_some() { Outcome::Unschedulable } else { Outcome::Error };
        self.ended.push(attempt(&reservation.entry, outcome, reservation.began));
        let waits = reservation.waits().to_vec();
        reservation.end_permit_waits(&waits, now);
        let rare = Rare {
            message: Some(Arc::clone(message)),
            rejected: rejection,
            permit_waits: std::mem::take(&mut reservation.ended_waits),
            ..Rare::default()
        };
        if let Some(ending) = reservation.ending(outcome) {
            self.record(ending, false, Some(rare), now);
        }
    }
}

/// Returns the outcome of the extension point for metrics.
pub(super) fn outcome_of<R>(result: &Result<R, UndoReason>) -> PointOutcome {
    match result {
        Ok(_) => PointOutcome::Success,
        Err(UndoReason::Rejected(_)) => PointOutcome::Unschedulable,
        Err(_) => PointOutcome::Error,
    }
}

#[cfg(test)]
#[path = "reservation_test.rs"]
mod tests;
