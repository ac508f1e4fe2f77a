//! A file's profiles merged with the default one, and expanded to lists by extension point, as kube-scheduler does it.

use std::time::Duration;

use berth_core::profile::FailurePolicy;

use super::Configuration;
use super::defaults::{Provided, components, default_plugin};
use super::read::{FileConfiguration, FileProfile, Seconds};
use super::sets::{ExtensionPoint, PluginRef, PluginSet, PluginSets};
use crate::wasm::{Enabled, NamedBy, PointSpecs, ProfileSpec};

/// Defaults in seconds.
pub(super) const POD_INITIAL_BACKOFF: i64 = 1;
pub(super) const POD_MAX_BACKOFF: i64 = 10;

/// What the API calls the scheduler of a pod that names none.
pub(super) const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The core's own binding, among plugins.
const DEFAULT_BINDER: &str = "DefaultBinder";

/// The configuration of a checked file.
pub(super) fn with_defaults(file: FileConfiguration) -> Configuration {
    let mut profiles = file.profiles;
    if profiles.is_empty() {
        profiles.push(FileProfile::default());
    }
    let seconds = |given: Option<Seconds>, default: i64| {
        Duration::from_secs(given.map_or(default, |seconds| seconds.value).unsigned_abs())
    };
    Configuration {
        profiles: profiles
            .into_iter()
            .map(|profile| profile_spec(profile, file.percentage_of_nodes_to_score))
            .collect(),
        pod_initial_backoff: seconds(file.pod_initial_backoff, POD_INITIAL_BACKOFF),
        pod_max_backoff: seconds(file.pod_max_backoff, POD_MAX_BACKOFF),
        leader_election: file.leader_election.unwrap_or_default(),
        extenders: Vec::new(),
    }
}

/// A percentage of the profile's own comes before that of the file.
fn profile_spec(profile: FileProfile, percentage_of_nodes_to_score: Option<u8>) -> ProfileSpec {
    let multi_point = merge_with_defaults(&profile.plugins.multi_point);
    let points = |point| expand(profile.plugins.at(point), &multi_point);
    let weigh = |enabled: Vec<Enabled>| {
        let weights = profile.plugins.at(ExtensionPoint::Score);
        enabled.into_iter().map(|plugin| weighed(plugin, weights)).collect()
    };
    let points = PointSpecs {
        pre_enqueue: points(ExtensionPoint::PreEnqueue),
        queue_sort: points(ExtensionPoint::QueueSort),
        pre_filter: points(ExtensionPoint::PreFilter),
        filter: points(ExtensionPoint::Filter),
        post_filter: points(ExtensionPoint::PostFilter),
        pre_score: points(ExtensionPoint::PreScore),
        score: weigh(points(ExtensionPoint::Score)),
        reserve: points(ExtensionPoint::Reserve),
        permit: points(ExtensionPoint::Permit),
        pre_bind: points(ExtensionPoint::PreBind),
        bind: points(ExtensionPoint::Bind),
        post_bind: points(ExtensionPoint::PostBind),
    };
    let arguments = profile.arguments.into_iter().filter(|config| !config.arguments.is_null());
    ProfileSpec {
        scheduler_name: profile.scheduler_name.map_or(DEFAULT_SCHEDULER.into(), |(name, _)| name.into()),
        points,
        arguments: arguments.map(|config| (config.plugin.into(), config.arguments)).collect(),
        others: false,
        without_default_binder: without_default_binder(&profile.plugins),
        failure_policy: FailurePolicy::default(),
        percentage_of_nodes_to_score: profile.percentage_of_nodes_to_score.or(percentage_of_nodes_to_score),
    }
}

/// Whether DefaultBinder is disabled, and not enabled again.
fn without_default_binder(plugins: &PluginSets) -> bool {
    let named = |set: &PluginSet| set.enabled.iter().any(|plugin| &*plugin.name == DEFAULT_BINDER);
    let (bind, multi_point) = (plugins.at(ExtensionPoint::Bind), &plugins.multi_point);
    let disabled =
        is_disabled(bind, DEFAULT_BINDER) || (is_disabled(multi_point, DEFAULT_BINDER) && !named(multi_point));
    disabled && !named(bind) && binds_itself(plugins)
}

/// Whether a plugin is enabled that takes DefaultBinder's part.
pub(super) fn binds_itself(plugins: &PluginSets) -> bool {
    plugins.at(ExtensionPoint::Bind).enabled.iter().any(is_component)
}

/// What the core does itself is not asked of components.
fn is_component(plugin: &PluginRef) -> bool {
    default_plugin(&plugin.name).is_none_or(|plugin| plugin.provided == Provided::Component)
}

fn is_disabled(set: &PluginSet, name: &str) -> bool {
    set.disabled.iter().any(|plugin| *plugin.name == *name || &*plugin.name == "*")
}

fn enabled(plugin: &PluginRef, named_by: NamedBy) -> Enabled {
    Enabled { name: (&*plugin.name).into(), weight: plugin.weight.map_or(1, i64::from), named_by }
}

/// `multiPoint`: defaults that are not disabled keep their order, each with the file's weight where the file enables it,
/// too; then what else the file enables (`mergePluginSet`).
fn merge_with_defaults(file: &PluginSet) -> Vec<Enabled> {
    let mut own: Vec<&PluginRef> = file.enabled.iter().filter(|plugin| is_component(plugin)).collect();
    let mut merged = Vec::new();
    for default in components() {
        if is_disabled(file, default.name) {
            continue;
        }
        merged.push(match own.iter().position(|plugin| &*plugin.name == default.name) {
            Some(at) => enabled(own.remove(at), NamedBy::MultiPoint),
            None => default.enabled(),
        });
    }
    merged.extend(own.into_iter().map(|plugin| enabled(plugin, NamedBy::MultiPoint)));
    merged
}

/// The plugins of one extension point: first those that are enabled both here and by multiPoint, in the order of here;
/// then those of multiPoint; then those that are enabled only here (`expandMultiPointPlugins`).
fn expand(here: &PluginSet, multi_point: &[Enabled]) -> Vec<Enabled> {
    let named: Vec<Enabled> = here
        .enabled
        .iter()
        .filter(|plugin| is_component(plugin))
        .map(|plugin| enabled(plugin, NamedBy::Point))
        .collect();
    if here.disabled.iter().any(|plugin| &*plugin.name == "*") {
        return named;
    }
    let in_both = |plugin: &Enabled| multi_point.iter().any(|other| other.name == plugin.name);
    // A plugin can be disabled and enabled here, which moves it behind all others.
    let (both, only_here): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|plugin| in_both(plugin) && !is_disabled(here, &plugin.name));
    let is_named = |name: &str| here.enabled.iter().any(|plugin| &*plugin.name == name);
    let multi = multi_point.iter().filter(|plugin| !is_disabled(here, &plugin.name) && !is_named(&plugin.name));
    both.into_iter().chain(multi.cloned()).chain(only_here).collect()
}

/// A weight at `score` comes before one at multiPoint, and one that is not given there is 1.
fn weighed(plugin: Enabled, score: &PluginSet) -> Enabled {
    match score.enabled.iter().find(|named| *named.name == *plugin.name) {
        Some(named) => Enabled { weight: named.weight.map_or(1, i64::from), ..plugin },
        None => plugin,
    }
}
