//! kube-scheduler's default plugins, and whether a component or the core implements each.

use std::collections::BTreeMap;

use berth_core::profile::FailurePolicy;

use super::v1;
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};

/// The implementation of a default plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provided {
    /// A component of the same name, which can be weighted, disabled and replaced.
    Component,
    /// The core itself, for every pod. The plugin takes no arguments, and can be disabled only if another plugin
    /// replaces it.
    Core,
}

/// A plugin of kube-scheduler's default profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultPlugin {
    /// The plugin's name.
    pub name: &'static str,
    /// The weight that the default profile states. `None` stands for the weight 1.
    pub weight: Option<i32>,
    /// The implementation of the plugin.
    pub provided: Provided,
}

const fn plugin(name: &'static str, weight: Option<i32>, provided: Provided) -> DefaultPlugin {
    DefaultPlugin { name, weight, provided }
}

/// The default profile of kube-scheduler v1.36 (`multiPoint.enabled`), in its order.
pub const DEFAULT_PLUGINS: [DefaultPlugin; 20] = [
    plugin("SchedulingGates", None, Provided::Component),
    plugin("PrioritySort", None, Provided::Component),
    plugin("NodeUnschedulable", None, Provided::Component),
    plugin("NodeName", None, Provided::Component),
    plugin("TaintToleration", Some(3), Provided::Component),
    plugin("NodeAffinity", Some(2), Provided::Component),
    plugin("NodePorts", None, Provided::Component),
    plugin("NodeResourcesFit", Some(1), Provided::Component),
    plugin("VolumeRestrictions", None, Provided::Component),
    plugin("NodeVolumeLimits", None, Provided::Component),
    plugin("VolumeBinding", None, Provided::Component),
    plugin("VolumeZone", None, Provided::Component),
    plugin("PodTopologySpread", Some(2), Provided::Component),
    plugin("InterPodAffinity", Some(2), Provided::Component),
    plugin("DynamicResources", Some(2), Provided::Component),
    plugin("DefaultPreemption", None, Provided::Component),
    plugin("NodeResourcesBalancedAllocation", Some(1), Provided::Component),
    plugin("ImageLocality", Some(1), Provided::Component),
    plugin("DefaultBinder", None, Provided::Core),
    plugin("NodeDeclaredFeatures", None, Provided::Component),
];

impl DefaultPlugin {
    /// Returns the plugin as the default profile enables it.
    fn enabled(&self) -> Enabled {
        Enabled { name: self.name.into(), weight: self.weight.map_or(1, i64::from), named_by: NamedBy::Default }
    }

    /// Returns the plugin as a file would enable it.
    pub(super) fn plugin(&self) -> v1::Plugin {
        v1::Plugin { name: self.name.to_owned(), weight: self.weight }
    }
}

/// Returns the default plugins that are components.
fn components() -> impl Iterator<Item = &'static DefaultPlugin> {
    DEFAULT_PLUGINS.iter().filter(|plugin| plugin.provided == Provided::Component)
}

/// Returns the profile that runs without a configuration: the default plugins, then every other component in the
/// plugins directory.
#[must_use]
pub fn default_profile(scheduler_name: &str) -> ProfileSpec {
    ProfileSpec {
        scheduler_name: scheduler_name.into(),
        points: PointSpecs::everywhere(components().map(DefaultPlugin::enabled).collect()),
        arguments: BTreeMap::new(),
        others: true,
        without_default_binder: false,
        failure_policy: FailurePolicy::default(),
        failure_policies: BTreeMap::new(),
        percentage_of_nodes_to_score: None,
    }
}

/// Returns the default plugin of this name.
pub(super) fn default_plugin(name: &str) -> Option<&'static DefaultPlugin> {
    DEFAULT_PLUGINS.iter().find(|plugin| plugin.name == name)
}
