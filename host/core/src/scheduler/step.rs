//! The context of one step.

use std::sync::Arc;

use super::pod_action_queue::PodActionQueue;
use crate::action::Action;
use crate::extenders::Extenders;
use crate::intent::Intent;
use crate::model::Pod;
use crate::plugins::{ExtensionPoints, Plugins, PointOutcome};
use crate::time::Timestamp;

/// The time, the plugins and extenders to ask, the actions so far, and the pod actions that are not applied yet.
pub(super) struct Step<'a> {
    pub now: Timestamp,
    pub plugins: &'a mut dyn Plugins,
    pub extenders: &'a mut dyn Extenders,
    pub actions: Vec<Action>,
    /// What plugins do with other pods. Applied at the end of the step.
    pub pod_actions: PodActionQueue,
}

impl Step<'_> {
    /// Calls `run`, and reports its start and end for metrics as those of the extension point, also if the point has no
    /// plugins.
    pub fn at<R>(
        &mut self,
        point: ExtensionPoints,
        pod: &Pod,
        run: impl FnOnce(&mut Self) -> R,
        outcome: impl FnOnce(&R) -> PointOutcome,
    ) -> R {
        self.plugins.point_begins(point, &pod.spec.scheduler_name);
        let result = run(self);
        self.plugins.point_ends(outcome(&result));
        result
    }

    /// Adds an [`Action::Change`] for the intents that are changes ([`Intent::is_change`]), if there are any. Other
    /// intents are dropped, because the contract does not allow them here.
    pub fn change(&mut self, mut intents: Vec<Intent>) {
        intents.retain(Intent::is_change);
        if !intents.is_empty() {
            self.actions.push(Action::Change(intents));
        }
    }

    /// Warns that a plugin that took part in the pod's scheduling is not in the profile any more.
    pub fn warn_gone(&mut self, name: &Arc<str>, what: &str, pod: &Pod) {
        let message = format!("is no longer in the profile: not asked to {what} for pod {}", pod.key);
        self.actions.push(Action::Warn { plugin: Arc::clone(name), message });
    }
}
