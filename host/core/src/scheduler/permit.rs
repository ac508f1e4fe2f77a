//! Permit: a pod with a reserved node can wait until all plugins that asked for the wait approve it, or until a
//! timeout.

use std::sync::Arc;
use std::time::Duration;

use super::Core;
use super::reservation::{PluginWait, Reservation, Stage, UndoReason, outcome_of};
use super::step::Step;
use crate::cache::NodeId;
use crate::cycle::Diagnosis;
use crate::model::Pod;
use crate::plugins::{Code, Decision, ExtensionPoints, Permission, PointOutcome, Status};

/// The longest time that a plugin can keep a pod waiting, as in kube-scheduler.
const LONGEST: Duration = Duration::from_secs(15 * 60);

impl Core {
    /// Asks all permit plugins. Returns the plugins that want the pod to wait, or the reason why the pod may not be
    /// bound.
    pub(super) fn ask_for_permission(
        &mut self,
        reservation: &mut Reservation,
        node: NodeId,
        step: &mut Step<'_>,
    ) -> Result<Vec<PluginWait>, UndoReason> {
        let plugins = self.plugins_at(&reservation.pod, |profile| &profile.permit);
        let pod = Arc::clone(&reservation.pod);
        let ask_all = |step: &mut Step<'_>| {
            let mut waits = Vec::new();
            for plugin in &plugins {
                if self.skips(plugin, reservation, step) {
                    continue;
                }
                let Permission { decision, pods } = self.ask(plugin, reservation, step, |plugins, cycle, state| {
                    plugins.permit(plugin.id, cycle, &reservation.node, state)
                })?;
                let name = Arc::clone(&plugin.declaration.name);
                step.pod_actions.add(&name, &pod, pods);
                match decision {
                    Decision::Approve => {}
                    Decision::Deny(status) => return Err(self.rejected(plugin, status, reservation, node)),
                    Decision::Wait(how_long) => {
                        let how_long = how_long.min(LONGEST);
                        waits.push(PluginWait { plugin: name, how_long, until: step.now.after(how_long) });
                    }
                }
            }
            Ok(waits)
        };
        step.at(ExtensionPoints::PERMIT, &pod, ask_all, outcome_of)
    }

    /// Ends the cycle and lets the pod wait.
    pub(super) fn wait(&mut self, mut reservation: Reservation, waits: Vec<PluginWait>, step: &mut Step<'_>) {
        // The assumed pod and its assumed objects cause events that must not count as help for the pod itself.
        self.pass_events(step);
        self.queue.ignore_earlier_events(&mut reservation.entry);
        reservation.stage = Stage::Waiting(waits);
        self.nominate_reserved(&mut reservation, step);
        self.reservations.put(reservation);
    }

    /// Removes the waits that `by` selects. Without further waits the pod is permitted.
    pub(super) fn approve(
        &mut self,
        mut reservation: Reservation,
        by: impl Fn(&PluginWait) -> bool,
        step: &mut Step<'_>,
    ) {
        if let Stage::Waiting(waits) = &mut reservation.stage {
            let (ended, left): (Vec<_>, Vec<_>) = std::mem::take(waits).into_iter().partition(by);
            let is_over = left.is_empty();
            *waits = left;
            reservation.end_permit_waits(&ended, step.now);
            if !is_over {
                return self.reservations.put(reservation);
            }
        }
        self.permitted(reservation, step);
    }

    /// Rejects a waiting pod on behalf of the plugin with this name.
    pub(super) fn reject_waiting(&mut self, reservation: Reservation, plugin: &str, why: String, step: &mut Step<'_>) {
        let status = Status { code: Code::Unschedulable, reasons: vec![why.into()] };
        // The node may have been deleted in the meantime.
        let node = self.cache.node_id(&reservation.node).unwrap_or_default();
        let profile = self.profile_of(&reservation.pod);
        let plugin = profile.and_then(|profile| profile.plugins().find(|by| *by.declaration.name == *plugin).cloned());
        let why = match plugin {
            Some(plugin) => self.rejected(&plugin, status, &reservation, node),
            None => UndoReason::Rejected(Diagnosis::of_one(node, &status, None)),
        };
        self.undo(reservation, why, step);
    }

    /// Rejects each pod with a permit wait that timed out. The plugin with the earliest deadline counts as the
    /// rejecting plugin.
    pub(super) fn end_waits(&mut self, step: &mut Step<'_>) {
        while let Some(reservation) = self.reservations.take_overdue(step.now) {
            // A pod with a deadline has at least one wait.
            let Some(wait) = reservation.first_to_end().cloned() else { return self.permitted(reservation, step) };
            let PluginWait { plugin, how_long, .. } = wait;
            let why = format!("rejected due to timeout after waiting {} at plugin {plugin}", go_duration(how_long));
            self.reject_waiting(reservation, &plugin, why, step);
        }
    }

    /// After an exchange of plugins: ends waits for plugins that are gone, and undoes reservations of pods without a
    /// profile.
    pub(super) fn end_waits_for_removed_plugins(&mut self, step: &mut Step<'_>) {
        for uid in self.reservations.waiting() {
            let Some(reservation) = self.reservations.take(&uid) else { continue };
            let pod = Arc::clone(&reservation.pod);
            if self.profile_of(&pod).is_none() {
                self.undo(reservation, no_profile(&pod), step);
                continue;
            }
            let is_there = |plugin: &str| self.plugin_named(&pod, |profile| &profile.permit, plugin).is_some();
            let plugins = reservation.waits().iter().map(|wait| Arc::clone(&wait.plugin));
            let gone: Vec<Arc<str>> = plugins.filter(|name| !is_there(name)).collect();
            gone.iter().for_each(|name| step.warn_gone(name, "permit the bind", &pod));
            self.approve(reservation, |wait| gone.contains(&wait.plugin), step);
        }
    }
}

impl Step<'_> {
    /// Reports the end of the permit wait for metrics, if the pod was waiting.
    pub fn permit_wait_ends(&mut self, reservation: &Reservation, outcome: PointOutcome) {
        if matches!(reservation.stage, Stage::Waiting(_)) {
            self.plugins.permit_wait_ends(self.now.since(reservation.began), outcome);
        }
    }
}

/// Returns the failure of a pod whose profile is gone.
pub(super) fn no_profile(pod: &Pod) -> UndoReason {
    let message = format!("no profile has the name {:?} any more", pod.spec.scheduler_name);
    UndoReason::Failed { message, plugin: None }
}

/// Formats a duration as Go does, to the millisecond: `1m30s`, `1.5s`, `20ms`.
fn go_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 60, duration.subsec_millis()) {
        (0, millis) if seconds == 0 && millis > 0 => format!("{millis}ms"),
        (0, _) => format!("{}s", duration.as_secs_f64()),
        (minutes, _) => format!("{minutes}m{}s", (duration - Duration::from_secs(minutes * 60)).as_secs_f64()),
    }
}

#[cfg(test)]
#[path = "permit_test.rs"]
mod tests;
