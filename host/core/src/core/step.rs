//! What a step works with.

use std::sync::Arc;

use super::Core;
use super::reservation::Reservation;
use crate::action::Action;
use crate::cycle::mix;
use crate::intent::Intent;
use crate::model::Pod;
use crate::plugins::{Cycle, ExtensionPoints, Plugins, PointOutcome};
use crate::profile::{Profile, ProfilePlugin};
use crate::time::Timestamp;

/// The time, whom to ask, and what is to be done in the end.
pub(super) struct Step<'a> {
    pub now: Timestamp,
    pub plugins: &'a mut dyn Plugins,
    pub actions: Vec<Action>,
}

/// The plugins of an extension point.
pub(super) type Point = fn(&Profile) -> &[ProfilePlugin];

impl Core {
    /// The profile that places the pod.
    pub(super) fn profile_of(&self, pod: &Pod) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// Those that are asked about the pod at this point, now.
    pub(super) fn plugins_at(&self, pod: &Pod, point: Point) -> Vec<ProfilePlugin> {
        self.profile_of(pod).map_or_else(Vec::new, |profile| point(profile).to_vec())
    }

    /// Whoever bears the name at this point, now.
    pub(super) fn plugin_named(&self, pod: &Pod, point: Point, name: &str) -> Option<ProfilePlugin> {
        let plugins = point(self.profile_of(pod)?);
        plugins.iter().find(|plugin| *plugin.declaration.name == *name).cloned()
    }

    /// Whether the plugin has nothing to do with a pod that has a node. What it said when it was to reserve holds to the end.
    pub(super) fn skips(&mut self, plugin: &ProfilePlugin, reservation: &Reservation, step: &mut Step<'_>) -> bool {
        let declaration = &plugin.declaration;
        let is_it = |name: &Arc<str>| *name == declaration.name;
        if !declaration.points.contains(ExtensionPoints::SKIP)
            || reservation.reserved.iter().any(|(name, _)| is_it(name))
            || self.distrusted.iter().any(|distrusted| distrusted.plugin == Some(plugin.id))
        {
            return false;
        }
        let cycle = Cycle {
            id: self.cycles,
            time: step.now,
            seed: 0,
            template: self.templates.of(declaration.pod_facts, &reservation.pod, self.cycles),
            pod: &reservation.pod,
            cache: &self.cache,
        };
        reservation.skipping.iter().any(is_it) || self.answers.skips(plugin, &cycle, step.plugins)
    }

    /// Asks about a pod that has a node; `ask` is given the bytes that the plugin's reserve returned. The cycle's number is
    /// that of its scheduling cycle, however long ago that was; its template is looked up anew, as it may be forgotten.
    pub(super) fn ask<R>(
        &mut self,
        plugin: &ProfilePlugin,
        reservation: &Reservation,
        step: &mut Step<'_>,
        ask: impl FnOnce(&mut dyn Plugins, &Cycle<'_>, &[u8]) -> R,
    ) -> R {
        let declaration = &plugin.declaration;
        let cycle = Cycle {
            id: reservation.cycle,
            time: step.now,
            seed: mix(self.options.seed, reservation.cycle, u64::from(plugin.id.0)),
            template: self.templates.of(declaration.pod_facts, &reservation.pod, self.cycles),
            pod: &reservation.pod,
            cache: &self.cache,
        };
        ask(step.plugins, &cycle, reservation.state_of(&declaration.name))
    }
}

impl Step<'_> {
    /// Tells those who measure how an extension point goes, also one without plugins.
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

    /// Has these done, where there are any. The contract has changes alone where these come from; whoever implements
    /// [`Plugins`] refuses the others.
    pub fn change(&mut self, mut intents: Vec<Intent>) {
        intents.retain(Intent::is_change);
        if !intents.is_empty() {
            self.actions.push(Action::Change(intents));
        }
    }

    /// A plugin that had a part in the pod's placing is there no more.
    pub fn warn_gone(&mut self, name: &Arc<str>, what: &str, pod: &Pod) {
        let message = format!("is no longer in the profile: not asked to {what} for pod {}", pod.key);
        self.actions.push(Action::Warn { plugin: Arc::clone(name), message });
    }
}
