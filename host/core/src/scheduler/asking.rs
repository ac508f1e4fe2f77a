//! Asks plugins about a pod that has a reservation.

use std::sync::Arc;

use super::Core;
use super::reservation::Reservation;
use super::step::Step;
use crate::cycle::plugin_seed;
use crate::model::Pod;
use crate::plugins::{Cycle, ExtensionPoints, Plugins};
use crate::profile::{Profile, ProfilePlugin};

/// Selects the plugins of an extension point from a profile.
pub(super) type Point = fn(&Profile) -> &[ProfilePlugin];

impl Core {
    /// Returns the profile that schedules the pod.
    pub(super) fn profile_of(&self, pod: &Pod) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// Returns the plugins that currently take part in this extension point for the pod.
    pub(super) fn plugins_at(&self, pod: &Pod, point: Point) -> Vec<ProfilePlugin> {
        self.profile_of(pod).map_or_else(Vec::new, |profile| point(profile).to_vec())
    }

    /// Returns the plugin that currently has this name at this extension point.
    pub(super) fn plugin_named(&self, pod: &Pod, point: Point, name: &str) -> Option<ProfilePlugin> {
        let plugins = point(self.profile_of(pod)?);
        plugins.iter().find(|plugin| *plugin.declaration.name == *name).cloned()
    }

    /// Returns whether the plugin skips a pod that has a reservation. The answer is false for a plugin that reserved
    /// something for the pod, and for a plugin whose cached results were wrong. Any other plugin that skipped the pod
    /// at reserve skips the pod until the reservation ends.
    pub(super) fn skips(&mut self, plugin: &ProfilePlugin, reservation: &Reservation, step: &mut Step<'_>) -> bool {
        let declaration = &plugin.declaration;
        let is_it = |name: &Arc<str>| *name == declaration.name;
        if !declaration.points.contains(ExtensionPoints::SKIP)
            || reservation.reserved.iter().any(|(name, _)| is_it(name))
            || self.results.is_distrusted(plugin.id)
        {
            return false;
        }
        let cycle = Cycle {
            id: self.cycles,
            time: step.now,
            seed: 0,
            signature: self.results.pod_signatures.of(&declaration.pod, &reservation.pod, self.cycles),
            pod: &reservation.pod,
            cache: &self.cache,
        };
        reservation.skipping.iter().any(is_it) || self.results.skips(plugin, &cycle, step.plugins)
    }

    /// Asks a plugin about a pod that has a reservation. `ask` receives the bytes that the plugin's reserve returned.
    /// The cycle id is the id of the pod's scheduling cycle, however long ago that was. The pod signature is looked up
    /// again, because the old id may be evicted.
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
            seed: plugin_seed(self.options.seed, reservation.cycle, &declaration.name),
            signature: self.results.pod_signatures.of(&declaration.pod, &reservation.pod, self.cycles),
            pod: &reservation.pod,
            cache: &self.cache,
        };
        ask(step.plugins, &cycle, reservation.state_of(&declaration.name))
    }
}
