//! kube-scheduler's default plugins, and where this version has each.

use std::collections::BTreeMap;

use berth_core::profile::FailurePolicy;

use crate::wasm::{Enabled, NamedBy, PointSpecs, ProfileSpec};

/// Where a default plugin's behaviour comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provided {
    /// A component of this name: can be weighed, disabled, replaced.
    Component,
    /// The core itself, for every pod: takes no arguments, and can be disabled only where another plugin does its part.
    Core,
}

/// A plugin of kube-scheduler's default profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultPlugin {
    /// Its name.
    pub name: &'static str,
    /// Its weight if it scores and nothing else is said.
    pub weight: i64,
    /// Where it is.
    pub provided: Provided,
}

const fn plugin(name: &'static str, weight: i64, provided: Provided) -> DefaultPlugin {
    DefaultPlugin { name, weight, provided }
}

/// The default profile of kube-scheduler v1.36 (`multiPoint.enabled`), in its order.
pub const DEFAULT_PLUGINS: [DefaultPlugin; 20] = [
    plugin("SchedulingGates", 1, Provided::Component),
    plugin("PrioritySort", 1, Provided::Component),
    plugin("NodeUnschedulable", 1, Provided::Component),
    plugin("NodeName", 1, Provided::Component),
    plugin("TaintToleration", 3, Provided::Component),
    plugin("NodeAffinity", 2, Provided::Component),
    plugin("NodePorts", 1, Provided::Component),
    plugin("NodeResourcesFit", 1, Provided::Component),
    plugin("VolumeRestrictions", 1, Provided::Component),
    plugin("NodeVolumeLimits", 1, Provided::Component),
    plugin("VolumeBinding", 1, Provided::Component),
    plugin("VolumeZone", 1, Provided::Component),
    plugin("PodTopologySpread", 2, Provided::Component),
    plugin("InterPodAffinity", 2, Provided::Component),
    plugin("DynamicResources", 2, Provided::Component),
    plugin("DefaultPreemption", 1, Provided::Component),
    plugin("NodeResourcesBalancedAllocation", 1, Provided::Component),
    plugin("ImageLocality", 1, Provided::Component),
    plugin("DefaultBinder", 1, Provided::Core),
    plugin("NodeDeclaredFeatures", 1, Provided::Component),
];

impl DefaultPlugin {
    /// Enabled by nobody's word.
    pub(super) fn enabled(&self) -> Enabled {
        Enabled { name: self.name.into(), weight: self.weight, named_by: NamedBy::Default }
    }
}

/// Those of the default plugins that are components.
pub(super) fn components() -> impl Iterator<Item = &'static DefaultPlugin> {
    DEFAULT_PLUGINS.iter().filter(|plugin| plugin.provided == Provided::Component)
}

impl ProfileSpec {
    /// What runs without a configuration: the default plugins, then every other component in the directory.
    #[must_use]
    pub fn default_profile(scheduler_name: &str) -> Self {
        Self {
            scheduler_name: scheduler_name.into(),
            points: PointSpecs::everywhere(components().map(DefaultPlugin::enabled).collect()),
            arguments: BTreeMap::new(),
            others: true,
            without_default_binder: false,
            failure_policy: FailurePolicy::Fail,
            percentage_of_nodes_to_score: None,
        }
    }
}

/// The default plugin of this name.
pub(super) fn default_plugin(name: &str) -> Option<&'static DefaultPlugin> {
    DEFAULT_PLUGINS.iter().find(|plugin| plugin.name == name)
}
