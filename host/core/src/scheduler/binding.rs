//! From the end of permit to the bound pod: pre-bind plugins in order, then the binding, then post-bind. The caller
//! executes the intents of these plugins outside the core, while the core schedules other pods.

use std::collections::VecDeque;
use std::sync::Arc;

use super::permit::no_profile;
use super::reservation::{Binder, Reservation, Stage, UndoReason};
use super::scheduling::attempt;
use super::step::Step;
use super::{Core, Outcome};
use crate::action::{Action, PodEvent};
use crate::decision::{Binder as BoundBy, Rare};
use crate::extenders::Extender;
use crate::intent::Intent;
use crate::model::PodKey;
use crate::plugins::{ExtensionPoints, PluginError, PointOutcome};
use crate::profile::ProfilePlugin;
use crate::time::Timestamp;

/// A plugin that binds a pod, and the intents for this.
struct PluginBinding {
    plugin: Arc<str>,
    intents: Vec<Intent>,
}

impl Core {
    /// Starts pre-bind for a pod that may be bound. From here on the pod can't become unschedulable, so that cluster
    /// events do not concern it.
    pub(super) fn permitted(&mut self, mut reservation: Reservation, step: &mut Step<'_>) {
        step.permit_wait_ends(&reservation, PointOutcome::Success);
        self.queue.end_ticket(&mut reservation.entry);
        step.plugins.pre_bind_begins(&reservation.pod);
        let plugins = self.plugins_at(&reservation.pod, |profile| &profile.pre_bind);
        let names = plugins.iter().map(|plugin| Arc::clone(&plugin.declaration.name)).collect();
        self.pre_bind(reservation, names, step);
    }

    /// Asks the pre-bind plugins in `left` until one returns intents. If no plugin returns intents, continues with the
    /// binding.
    fn pre_bind(&mut self, mut reservation: Reservation, mut left: VecDeque<Arc<str>>, step: &mut Step<'_>) {
        if self.profile_of(&reservation.pod).is_none() {
            let why = no_profile(&reservation.pod);
            step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Error);
            return self.undo(reservation, why, step);
        }
        step.plugins.point_begins(ExtensionPoints::PRE_BIND, &reservation.pod.spec.scheduler_name);
        while let Some(name) = left.pop_front() {
            let Some(plugin) = self.plugin_named(&reservation.pod, |profile| &profile.pre_bind, &name) else {
                step.warn_gone(&name, "pre-bind", &reservation.pod);
                continue;
            };
            if self.skips(&plugin, &reservation, step) {
                continue;
            }
            reservation.pre_bound.push(Arc::clone(&name));
            let answer = self.ask(&plugin, &reservation, step, |plugins, cycle, state| {
                plugins.pre_bind(plugin.id, cycle, &reservation.node, state)
            });
            match answer.and_then(|intents| without_assumptions(&plugin, "pre-bind", intents)) {
                Err(error) => {
                    step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Error);
                    return self.undo(reservation, error.into(), step);
                }
                Ok(intents) if intents.is_empty() => {}
                Ok(intents) => return self.execute_pre_bind(reservation, name, left, intents, step),
            }
        }
        step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Success);
        self.bind(reservation, 0, step);
    }

    fn execute_pre_bind(
        &mut self,
        mut reservation: Reservation,
        plugin: Arc<str>,
        left: VecDeque<Arc<str>>,
        intents: Vec<Intent>,
        step: &mut Step<'_>,
    ) {
        self.nominate_reserved(&mut reservation, step);
        let number = self.execute(&reservation, intents, step);
        reservation.stage = Stage::PreBinding { step: number, plugin, left };
        self.reservations.put(reservation);
    }

    /// Nominates the reserved node while the pod waits or its pre-bind intents are executed, so that other programs,
    /// such as an autoscaler, know which node the pod will use.
    pub(super) fn nominate_reserved(&mut self, reservation: &mut Reservation, step: &mut Step<'_>) {
        if std::mem::replace(&mut reservation.nominated, true) {
            return;
        }
        if reservation.entry.pod.nominated_node_name != reservation.node {
            let (pod, node) = (reservation.pod.key.clone(), reservation.node.clone());
            step.actions.push(Action::Nominate { pod, node });
        }
    }

    fn execute(&mut self, reservation: &Reservation, intents: Vec<Intent>, step: &mut Step<'_>) -> u64 {
        self.intent_steps += 1;
        let pod = reservation.pod.key.clone();
        step.actions.push(Action::ExecuteIntents { pod, step: self.intent_steps, intents });
        self.intent_steps
    }

    /// Binds the pod. The binder is the first interested extender that binds, starting at index `from` in the list of
    /// extenders; or else the first plugin that accepts; or else the API server, unless the profile disables
    /// DefaultBinder.
    fn bind(&mut self, mut reservation: Reservation, from: usize, step: &mut Step<'_>) {
        let binds = |extender: &Extender| extender.binds && extender.is_interested_in(&reservation.pod);
        if let Some(beyond) = step.extenders.list().iter().skip(from).position(binds) {
            let (pod, node) = (reservation.pod.key.clone(), reservation.node.clone());
            step.actions.push(Action::BindByExtender { extender: from + beyond, pod, node });
            reservation.stage = Stage::Binding(Binder::Extender(from + beyond));
            return self.reservations.put(reservation);
        }
        match self.ask_to_bind(&reservation, step) {
            Err(error) => return self.undo(reservation, error.into(), step),
            Ok(None) if self.profile_of(&reservation.pod).is_some_and(|profile| profile.without_default_binder) => {
                let message = "is disabled, and no other plugin at bind takes the pod".to_owned();
                return self.undo(reservation, PluginError::failed("DefaultBinder".into(), message).into(), step);
            }
            Ok(None) => {
                let (pod, node) = (reservation.pod.key.clone(), reservation.node.clone());
                step.actions.push(Action::Bind { pod, node });
                reservation.stage = Stage::Binding(Binder::Server);
            }
            Ok(Some(by)) if by.intents.is_empty() => {
                return self.is_bound(reservation, BoundBy::Plugin(by.plugin), step);
            }
            Ok(Some(PluginBinding { plugin, intents })) => {
                let number = self.execute(&reservation, intents, step);
                reservation.stage = Stage::Binding(Binder::Plugin(number, plugin));
            }
        }
        self.reservations.put(reservation);
    }

    fn ask_to_bind(
        &mut self,
        reservation: &Reservation,
        step: &mut Step<'_>,
    ) -> Result<Option<PluginBinding>, PluginError> {
        let plugins = self.plugins_at(&reservation.pod, |profile| &profile.bind);
        step.plugins.point_begins(ExtensionPoints::BIND, &reservation.pod.spec.scheduler_name);
        let bound = plugins.iter().find_map(|plugin| self.ask_one_to_bind(plugin, reservation, step).transpose());
        let bound = bound.transpose();
        // If no plugin binds the pod, the extension point ends with the API server's answer.
        match &bound {
            Ok(None) => {}
            Ok(Some(_)) => step.plugins.point_ends(PointOutcome::Success),
            Err(_) => step.plugins.point_ends(PointOutcome::Error),
        }
        bound
    }

    fn ask_one_to_bind(
        &mut self,
        plugin: &ProfilePlugin,
        reservation: &Reservation,
        step: &mut Step<'_>,
    ) -> Result<Option<PluginBinding>, PluginError> {
        if self.skips(plugin, reservation, step) {
            return Ok(None);
        }
        let answer = self.ask(plugin, reservation, step, |plugins, cycle, state| {
            plugins.bind(plugin.id, cycle, &reservation.node, state)
        })?;
        let Some(intents) = answer else { return Ok(None) };
        let intents = without_assumptions(plugin, "bind", intents)?;
        Ok(Some(PluginBinding { plugin: Arc::clone(&plugin.declaration.name), intents }))
    }

    /// Continues with the next pre-bind plugin or completes the reservation, after the intents of the
    /// [`Action::ExecuteIntents`] with this number are done.
    pub(super) fn intents_executed(&mut self, key: &PodKey, number: u64, step: &mut Step<'_>) {
        let is_it = |reservation: &Reservation| reservation.awaited_step() == Some(number);
        let Some(mut reservation) = self.reservations.take_if(&key.uid, is_it) else { return };
        match std::mem::replace(&mut reservation.stage, Stage::Binding(Binder::Server)) {
            Stage::PreBinding { left, .. } => self.pre_bind(reservation, left, step),
            Stage::Binding(Binder::Plugin(_, plugin)) => self.is_bound(reservation, BoundBy::Plugin(plugin), step),
            _ => self.is_bound(reservation, BoundBy::ApiServer, step),
        }
    }

    /// Undoes the reservation after an intent of the [`Action::ExecuteIntents`] with this number failed.
    pub(super) fn intents_failed(&mut self, key: &PodKey, number: u64, why: &str, step: &mut Step<'_>) {
        let is_it = |reservation: &Reservation| reservation.awaited_step() == Some(number);
        let Some(mut reservation) = self.reservations.take_if(&key.uid, is_it) else { return };
        let message = match std::mem::replace(&mut reservation.stage, Stage::Binding(Binder::Server)) {
            Stage::PreBinding { plugin, .. } => {
                step.plugins.pre_bind_ends(&reservation.pod, PointOutcome::Error);
                format!("running PreBind plugin {plugin:?}: {why}")
            }
            Stage::Binding(Binder::Plugin(_, plugin)) => format!("running Bind plugin {plugin:?}: {why}"),
            _ => why.to_owned(),
        };
        self.undo(reservation, UndoReason::Failed { message, plugin: None }, step);
    }

    /// Completes the reservation after the API server accepted the binding or the extender bound the pod.
    pub(super) fn bound(&mut self, key: &PodKey, step: &mut Step<'_>) {
        if let Some(reservation) = self.reservations.take_if(&key.uid, is_bound_elsewhere) {
            let by = match reservation.stage {
                Stage::Binding(Binder::Extender(_)) => BoundBy::Extender,
                _ => BoundBy::ApiServer,
            };
            self.is_bound(reservation, by, step);
        }
    }

    /// Handles a failed binding. After a failure of an ignorable extender, the next binder is used. After any other
    /// failure, the reservation is undone.
    pub(super) fn bind_failed(&mut self, key: &PodKey, why: &str, step: &mut Step<'_>) {
        let Some(reservation) = self.reservations.take_if(&key.uid, is_bound_elsewhere) else { return };
        let message = match reservation.stage {
            Stage::Binding(Binder::Extender(at)) if may_ignore(step, at) => {
                step.extenders.ignored(at, &reservation.pod, why);
                return self.bind(reservation, at + 1, step);
            }
            Stage::Binding(Binder::Extender(_)) => why.to_owned(),
            _ => format!("binding rejected: {why}"),
        };
        self.undo(reservation, UndoReason::Failed { message, plugin: None }, step);
    }

    /// Completes a reservation. Its assumed objects stay assumed until the informer reports them.
    fn is_bound(&mut self, mut reservation: Reservation, by: BoundBy, step: &mut Step<'_>) {
        for key in &reservation.assumed {
            self.cache.keep_object_assumed(key, &reservation.pod.key.uid);
        }
        self.ended.push(attempt(&reservation.entry, Outcome::Scheduled, reservation.began));
        self.record_binding(&mut reservation, by, step.now);
        let Reservation { pod, node, .. } = &reservation;
        step.actions.push(Action::Emit(PodEvent {
            pod: pod.key.clone(),
            scheduler_name: pod.spec.scheduler_name.clone(),
            kind: "Normal",
            reason: "Scheduled",
            action: "Binding",
            note: format!("Successfully assigned {} to {node}", pod.key).into(),
        }));
        let plugins = self.plugins_at(pod, |profile| &profile.post_bind);
        let ask_all = |step: &mut Step<'_>| {
            for plugin in &plugins {
                if self.skips(plugin, &reservation, step) {
                    continue;
                }
                self.ask(plugin, &reservation, step, |plugins, cycle, state| {
                    plugins.post_bind(plugin.id, cycle, node, state);
                });
            }
        };
        step.at(ExtensionPoints::POST_BIND, pod, ask_all, |()| PointOutcome::Success);
    }
}

impl Core {
    /// Records an attempt that ends with a binding.
    fn record_binding(&mut self, reservation: &mut Reservation, by: BoundBy, now: Timestamp) {
        let ended_waits = std::mem::take(&mut reservation.ended_waits);
        let Some(ending) = reservation.ending(Outcome::Scheduled) else { return };
        let by_server = by == BoundBy::ApiServer;
        let rare = (!by_server || !ended_waits.is_empty()).then(|| Rare {
            bound_by: Some(by),
            permit_waits: ended_waits,
            ..Rare::default()
        });
        self.record(ending, by_server, rare, now);
    }
}

fn may_ignore(step: &Step<'_>, extender: usize) -> bool {
    step.extenders.list().get(extender).is_some_and(|extender| extender.ignorable)
}

fn is_bound_elsewhere(reservation: &Reservation) -> bool {
    matches!(reservation.stage, Stage::Binding(Binder::Server | Binder::Extender(_)))
}

/// Checks that the intents contain no assumption, which is allowed in reserve only.
fn without_assumptions(plugin: &ProfilePlugin, call: &str, intents: Vec<Intent>) -> Result<Vec<Intent>, PluginError> {
    if intents.iter().any(|intent| matches!(intent, Intent::Assume(_))) {
        return Err(plugin.failed(format!("{call} can't assume an object: reserve can")));
    }
    Ok(intents)
}

#[cfg(test)]
#[path = "binding_test.rs"]
mod tests;
