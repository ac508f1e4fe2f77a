//! Checks `plugins` of a profile.

use super::Findings;
use crate::convert::Version;
use crate::defaults::{Provided, default_plugin};
use crate::merge::{binds_itself, profile_spec};
use crate::path::Path;
use crate::removed::{LIMITS, removed_plugin};
use crate::v1::{Plugin, PluginSet, Plugins, Profile};

/// The default queue sort plugin.
const DEFAULT_SORT: &str = "PrioritySort";

/// Checks all plugin sets of a profile.
pub(super) fn profile(profile: &Profile, version: Version, path: &Path, findings: &mut Findings) {
    let Some(plugins) = &profile.plugins else { return };
    let path = path.field("plugins");
    let binds_itself = binds_itself(plugins);
    for (name, set) in plugins.sets() {
        let path = path.field(name);
        if version == Version::V1 {
            report_removed_limits(set, &path, findings);
        }
        plugin_set(set, &path, binds_itself, findings);
    }
    for (name, set) in
        [("placementGenerate", &plugins.placement_generate), ("placementScore", &plugins.placement_score)]
    {
        if !set.enabled.is_empty() {
            findings.note(
                path.field(name),
                "belongs to pod groups, an alpha feature of Kubernetes that Berth does not support; remove it",
            );
        }
    }
    one_queue_sort(profile, plugins, &path.field("queueSort"), findings);
}

fn plugin_set(set: &PluginSet, path: &Path, binds_itself: bool, findings: &mut Findings) {
    for (at, plugin) in set.enabled.iter().enumerate() {
        if let Some(message) = why_not_enabled(plugin, &set.enabled[..at]) {
            findings.note(path.field("enabled").index(at), message);
        }
    }
    for (at, Plugin { name, .. }) in set.disabled.iter().enumerate() {
        let is_core = default_plugin(name).is_some_and(|plugin| plugin.provided == Provided::Core);
        if is_core && !binds_itself && !set.enables(name) {
            let message = format!("{name} can be disabled only if another plugin is enabled at bind");
            findings.note(path.field("disabled").index(at), message);
        }
    }
}

/// Reports removed volume limit plugins. Versions before v1 still accept these plugins.
fn report_removed_limits(set: &PluginSet, path: &Path, findings: &mut Findings) {
    for (at, Plugin { name, .. }) in set.enabled.iter().enumerate() {
        if LIMITS.contains(&&**name)
            && let Some(instead) = removed_plugin(name)
        {
            findings.note(path.field("enabled").index(at), format!("Kubernetes has removed {name}: {instead}"));
        }
    }
}

/// Returns the reason that the plugin can't be enabled after the plugins in `before`.
fn why_not_enabled(plugin: &Plugin, before: &[Plugin]) -> Option<String> {
    let name = &plugin.name;
    if name == "*" {
        return Some("\"*\" is allowed only in `disabled`".to_owned());
    }
    if let Some(first) = before.iter().position(|other| other.name == *name) {
        return Some(format!("plugin {name:?} is already enabled by enabled[{first}]"));
    }
    None
}

/// Checks that only one plugin sorts the queue.
fn one_queue_sort(profile: &Profile, plugins: &Plugins, path: &Path, findings: &mut Findings) {
    let here = &plugins.queue_sort;
    if here.enabled.len() > 1 {
        findings.note(path.field("enabled").index(1), "only one plugin can sort the queue");
        return;
    }
    let Some(own) = here.enabled.first().filter(|own| own.name != DEFAULT_SORT) else { return };
    if profile_spec(profile, None).points.queue_sort.iter().any(|plugin| &*plugin.name == DEFAULT_SORT) {
        let message = format!("{} can sort the queue only if queueSort.disabled contains {DEFAULT_SORT}", own.name);
        findings.note(path.field("enabled").index(0), message);
    }
}

/// Checks that all profiles have the same queue sort plugin, because the profiles share one queue.
pub(super) fn same_queue_sort(profiles: &[Profile], findings: &mut Findings) {
    let names = |profile: &Profile| -> Vec<String> {
        let sets = profile.plugins.iter().flat_map(|plugins| &plugins.queue_sort.enabled);
        let named = sets.map(|plugin| plugin.name.clone()).filter(|name| name != DEFAULT_SORT);
        named.collect()
    };
    let Some((first, others)) = profiles.split_first() else { return };
    let shown = |names: &[String]| if names.is_empty() { DEFAULT_SORT.to_owned() } else { names.join(", ") };
    let canon = names(first);
    for (at, profile) in others.iter().enumerate() {
        let own = names(profile);
        if own != canon {
            let path = Path::default().field("profiles").index(at + 1).fields(&["plugins", "queueSort"]);
            let message = format!(
                "all profiles need the same plugin at queueSort, because they share one queue: this profile has {}, \
                 profiles[0] has {}",
                shown(&own),
                shown(&canon)
            );
            findings.note(path, message);
        }
    }
}
