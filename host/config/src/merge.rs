//! Merges a file's profiles with the default profile and expands them to plugin lists by extension point, as
//! kube-scheduler does.

use std::collections::BTreeMap;

use berth_core::profile::FailurePolicy;

use super::defaults::{DEFAULT_PLUGINS, Provided, default_plugin};
use super::v1::{ExtensionPoint, Plugin, PluginArgs, PluginConfig, PluginSet, Plugins, Profile};
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};

/// The scheduler name that the API server sets for a pod without `spec.schedulerName`.
pub(super) const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The plugin that stands for the core's own binding.
pub(super) const DEFAULT_BINDER: &str = "DefaultBinder";

/// Returns the merged and expanded profile. The profile's `percentageOfNodesToScore` takes precedence over the
/// argument, which is the file's.
pub(super) fn profile_spec(profile: &Profile, percentage_of_nodes_to_score: Option<i32>) -> ProfileSpec {
    let none = Plugins::default();
    let plugins = profile.plugins.as_ref().unwrap_or(&none);
    let multi_point: Vec<Enabled> =
        merged(&plugins.multi_point).into_iter().filter(|(plugin, _)| is_component(plugin)).map(enabled).collect();
    let points = |point| expand(plugins.at(point), &multi_point);
    let weights = plugins.at(ExtensionPoint::Score);
    let score = points(ExtensionPoint::Score).into_iter().map(|plugin| weighed(plugin, weights)).collect();
    let points = PointSpecs {
        pre_enqueue: points(ExtensionPoint::PreEnqueue),
        queue_sort: points(ExtensionPoint::QueueSort),
        pre_filter: points(ExtensionPoint::PreFilter),
        filter: points(ExtensionPoint::Filter),
        post_filter: points(ExtensionPoint::PostFilter),
        pre_score: points(ExtensionPoint::PreScore),
        score,
        reserve: points(ExtensionPoint::Reserve),
        permit: points(ExtensionPoint::Permit),
        pre_bind: points(ExtensionPoint::PreBind),
        bind: points(ExtensionPoint::Bind),
        post_bind: points(ExtensionPoint::PostBind),
    };
    let percentage = profile.percentage_of_nodes_to_score.or(percentage_of_nodes_to_score);
    ProfileSpec {
        scheduler_name: profile.scheduler_name.as_deref().unwrap_or(DEFAULT_SCHEDULER).into(),
        points,
        arguments: arguments(&profile.plugin_config),
        others: false,
        without_default_binder: without_default_binder(plugins),
        failure_policy: FailurePolicy::default(),
        failure_policies: BTreeMap::new(),
        percentage_of_nodes_to_score: percentage.and_then(|percentage| u8::try_from(percentage).ok()),
    }
}

/// Returns the arguments of each plugin as the file states them, without defaults. Each plugin fills in its own.
fn arguments(configs: &[PluginConfig]) -> BTreeMap<Box<str>, serde_json::Value> {
    let read = |config: &PluginConfig| {
        let args = config.args.as_ref().and_then(|args: &PluginArgs| args.to_json().ok())?;
        Some((config.name.as_str().into(), args))
    };
    configs.iter().filter_map(read).collect()
}

/// Returns whether DefaultBinder is disabled, not enabled again, and replaced by another plugin of `bind`.
fn without_default_binder(plugins: &Plugins) -> bool {
    let (bind, multi_point) = (&plugins.bind, &plugins.multi_point);
    let disabled =
        bind.disables(DEFAULT_BINDER) || (multi_point.disables(DEFAULT_BINDER) && !multi_point.enables(DEFAULT_BINDER));
    disabled && !bind.enables(DEFAULT_BINDER) && binds_itself(plugins)
}

/// Returns whether `bind` enables a plugin other than DefaultBinder. Plugins of `multiPoint` do not count.
pub(super) fn binds_itself(plugins: &Plugins) -> bool {
    plugins.bind.enabled.iter().any(is_component)
}

/// Returns whether the plugin is a component. The core itself implements the default plugins that are no components.
pub(super) fn is_component(plugin: &Plugin) -> bool {
    default_plugin(&plugin.name).is_none_or(|plugin| plugin.provided == Provided::Component)
}

fn enabled((plugin, named_by): (Plugin, NamedBy)) -> Enabled {
    Enabled { weight: weight(&plugin), name: plugin.name.into(), named_by }
}

/// Returns the weight, or 1 if the weight is absent or 0.
fn weight(plugin: &Plugin) -> i64 {
    plugin.weight.filter(|weight| *weight != 0).map_or(1, i64::from)
}

/// Merges `multiPoint` with the default plugins (`mergePluginSet` upstream). Default plugins that are not disabled
/// keep their order; a default plugin that the file enables as well has the file's weight. The file's other plugins
/// follow.
pub(super) fn merged(file: &PluginSet) -> Vec<(Plugin, NamedBy)> {
    let mut own: Vec<&Plugin> = file.enabled.iter().collect();
    let mut merged = Vec::new();
    for default in DEFAULT_PLUGINS.iter().filter(|default| !file.disables(default.name)) {
        merged.push(match own.iter().position(|plugin| plugin.name == default.name) {
            Some(at) => (own.remove(at).clone(), NamedBy::MultiPoint),
            None => (default.plugin(), NamedBy::Default),
        });
    }
    merged.extend(own.into_iter().map(|plugin| (plugin.clone(), NamedBy::MultiPoint)));
    merged
}

/// Returns the plugins of one extension point (`expandMultiPointPlugins` upstream): first plugins that both the
/// extension point and `multiPoint` enable, in the extension point's order; then the other plugins of `multiPoint`;
/// then plugins that only the extension point enables.
fn expand(here: &PluginSet, multi_point: &[Enabled]) -> Vec<Enabled> {
    let own = here.enabled.iter().filter(|plugin| is_component(plugin));
    let named: Vec<Enabled> = own.map(|plugin| enabled((plugin.clone(), NamedBy::Point))).collect();
    if here.disables("*") {
        return named;
    }
    let in_both = |plugin: &Enabled| multi_point.iter().any(|other| other.name == plugin.name);
    // A plugin that the extension point both disables and enables moves behind all other plugins.
    let (both, only_here): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|plugin| in_both(plugin) && !here.disables(&plugin.name));
    let multi = multi_point.iter().filter(|plugin| !here.disables(&plugin.name) && !here.enables(&plugin.name));
    both.into_iter().chain(multi.cloned()).chain(only_here).collect()
}

/// Sets the weight that `score` states, or 1 if `score` enables the plugin without a weight. Otherwise the weight of
/// `multiPoint` stays.
fn weighed(plugin: Enabled, score: &PluginSet) -> Enabled {
    match score.enabled.iter().find(|named| *named.name == *plugin.name) {
        Some(named) => Enabled { weight: weight(named), ..plugin },
        None => plugin,
    }
}
