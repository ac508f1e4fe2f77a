//! What the fields say together.

use super::defaults::{Provided, default_plugin};
use super::error::{Place, Problem};
use super::fields::Problems;
use super::merge::{POD_INITIAL_BACKOFF, POD_MAX_BACKOFF, binds_itself};
use super::read::{FileConfiguration, FileProfile};
use super::sets::{ExtensionPoint, PluginRef, PluginSet};

pub(super) fn configuration(file: &FileConfiguration, problems: &mut Problems) {
    scheduler_names(&file.profiles, problems);
    for profile in &file.profiles {
        let path = format!("{}.plugins", profile.path);
        let binds_itself = binds_itself(&profile.plugins);
        plugin_set(&format!("{path}.multiPoint"), &profile.plugins.multi_point, binds_itself, problems);
        for point in ExtensionPoint::ALL {
            plugin_set(&format!("{path}.{}", point.name()), profile.plugins.at(point), binds_itself, problems);
        }
        arguments(profile, problems);
    }
    backoffs(file, problems);
}

fn note(problems: &mut Problems, place: Place, path: impl Into<String>, message: impl Into<String>) {
    problems.push(Problem { place, path: path.into(), message: message.into() });
}

/// A single profile may go without a name; of several each needs one of its own.
fn scheduler_names(profiles: &[FileProfile], problems: &mut Problems) {
    for (at, profile) in profiles.iter().enumerate() {
        let path = format!("{}.schedulerName", profile.path);
        let Some((name, place)) = &profile.scheduler_name else {
            if profiles.len() > 1 {
                note(problems, profile.place, path, "is required where there are several profiles");
            }
            continue;
        };
        let same = |other: &&FileProfile| other.scheduler_name.as_ref().is_some_and(|(other, _)| other == name);
        if name.is_empty() {
            note(problems, *place, path, "is empty");
        } else if let Some(first) = profiles[..at].iter().find(same) {
            note(problems, *place, path, format!("{name:?} is the name of {} already", first.path));
        }
    }
}

fn plugin_set(path: &str, set: &PluginSet, binds_itself: bool, problems: &mut Problems) {
    for (at, plugin) in set.enabled.iter().enumerate() {
        if let Some(message) = why_not_enabled(plugin, &set.enabled[..at]) {
            note(problems, plugin.place, format!("{path}.enabled[{at}]"), message);
        }
    }
    for (at, PluginRef { name, place, .. }) in set.disabled.iter().enumerate() {
        if default_plugin(name).is_some_and(|plugin| plugin.provided == Provided::Core) && !binds_itself {
            let message = format!("{name} can be disabled only where another plugin is enabled at bind");
            note(problems, *place, format!("{path}.disabled[{at}]"), message);
        }
    }
}

/// Why the plugin can't be enabled behind those given.
fn why_not_enabled(plugin: &PluginRef, before: &[PluginRef]) -> Option<String> {
    let name = &plugin.name;
    if &**name == "*" {
        return Some("\"*\" stands for all plugins under disabled only".to_owned());
    }
    let first = before.iter().position(|other| other.name == *name)?;
    Some(format!("plugin {name:?} is enabled already, by enabled[{first}]"))
}

fn arguments(profile: &FileProfile, problems: &mut Problems) {
    for (at, config) in profile.arguments.iter().enumerate() {
        let name = &config.plugin;
        if let Some(first) = profile.arguments[..at].iter().find(|other| other.plugin == *name) {
            note(problems, config.place, &config.path, format!("{} is for plugin {name:?} already", first.path));
        }
        if default_plugin(name).is_some_and(|plugin| plugin.provided == Provided::Core) {
            note(problems, config.place, &config.path, format!("{name} takes no arguments"));
        }
    }
}

fn backoffs(file: &FileConfiguration, problems: &mut Problems) {
    let (initial, most) = (file.pod_initial_backoff, file.pod_max_backoff);
    if let Some(initial) = initial.filter(|initial| initial.value <= 0) {
        note(problems, initial.place, "podInitialBackoffSeconds", "must be greater than 0");
    }
    let least = initial.map_or(POD_INITIAL_BACKOFF, |initial| initial.value);
    let greatest = most.map_or(POD_MAX_BACKOFF, |most| most.value);
    if let Some(given) = most.or(initial).filter(|_| greatest < least) {
        let message = format!("is {greatest}, and must be at least podInitialBackoffSeconds, which is {least}");
        note(problems, given.place, "podMaxBackoffSeconds", message);
    }
}
