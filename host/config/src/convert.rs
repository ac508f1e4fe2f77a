//! Converts older versions of KubeSchedulerConfiguration to v1.

use super::error::{Place, Problem, Problems};
use super::path::Path;
use super::removed::LIMITS;
use super::tree::{Entry, Node, Value};
use super::v1::{self, KubeSchedulerConfiguration, Plugin, PluginSet, Plugins, Profile};

/// A supported version of KubeSchedulerConfiguration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// In Kubernetes 1.22 to 1.27.
    V1Beta2,
    /// In Kubernetes 1.23 to 1.28.
    V1Beta3,
    /// Since Kubernetes 1.25.
    V1,
}

/// Plugins whose weight is 1 in the default profile of v1beta2, and higher in v1.
const WEIGHED_LESS: [&str; 3] = ["TaintToleration", "NodeAffinity", "InterPodAffinity"];

impl Version {
    /// All versions by `apiVersion`, newest first.
    pub(super) const ALL: [(&'static str, Self); 3] = [
        (v1::API_VERSION, Self::V1),
        ("kubescheduler.config.k8s.io/v1beta3", Self::V1Beta3),
        ("kubescheduler.config.k8s.io/v1beta2", Self::V1Beta2),
    ];

    /// Returns the version of this `apiVersion`; `Err` with a remedy if the version is too old; `None` for any
    /// other text.
    pub(super) fn of(name: &str) -> Option<Result<Self, &'static str>> {
        if let Some((_, version)) = Self::ALL.iter().find(|(known, _)| *known == name) {
            return Some(Ok(*version));
        }
        match name {
            "kubescheduler.config.k8s.io/v1beta1" | "kubescheduler.config.k8s.io/v1alpha2" => {
                Some(Err("use kubescheduler.config.k8s.io/v1; the errors about removed fields name the replacements"))
            }
            "kubescheduler.config.k8s.io/v1alpha1" => {
                Some(Err("use kubescheduler.config.k8s.io/v1, and pass its Policy with --policy-config-file"))
            }
            _ => None,
        }
    }
}

/// Replaces the `apiVersion` of the document and of plugin arguments by that of v1.
pub(super) fn tree(root: &mut Node, version: Version) {
    if version == Version::V1 {
        return;
    }
    rename(root);
    let Some(Value::List(profiles)) = value_mut(root, "profiles") else { return };
    for profile in profiles {
        let Some(Value::List(configs)) = value_mut(profile, "pluginConfig") else { continue };
        for config in configs {
            if let Some(args) = entries_mut(config).and_then(|entries| find(entries, "args")) {
                rename(args);
            }
        }
    }
}

fn rename(node: &mut Node) {
    if let Some(Value::Text(name)) = value_mut(node, "apiVersion")
        && matches!(Version::of(name), Some(Ok(_)))
    {
        v1::API_VERSION.clone_into(name);
    }
}

fn entries_mut(node: &mut Node) -> Option<&mut Vec<Entry>> {
    match &mut node.value {
        Value::Map(entries) => Some(entries),
        _ => None,
    }
}

fn find<'a>(entries: &'a mut [Entry], name: &str) -> Option<&'a mut Node> {
    entries.iter_mut().find(|entry| entry.key == name).map(|entry| &mut entry.node)
}

fn value_mut<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Value> {
    find(entries_mut(node)?, name).map(|node| &mut node.value)
}

/// Applies the differences between `version` and v1: adds defaults that differ, and removes plugins that v1 does not
/// have. Adds a note about the conversion and a note about each removed plugin.
pub(super) fn model(
    configuration: &mut KubeSchedulerConfiguration,
    version: Version,
    root: &Node,
    notes: &mut Problems,
) {
    if version == Version::V1 {
        return;
    }
    notes.push(conversion_note(root));
    if version == Version::V1Beta2 && configuration.profiles.is_empty() {
        configuration.profiles.push(Profile::default());
    }
    for (at, profile) in configuration.profiles.iter_mut().enumerate() {
        let path = Path::default().field("profiles").index(at).field("plugins");
        for (name, set) in profile.plugins.iter_mut().flat_map(Plugins::named_mut) {
            let path = path.field(name);
            without_limits(set, &path, root, notes);
        }
        if version == Version::V1Beta2 {
            weigh_less(profile.plugins.get_or_insert_default());
        }
    }
}

/// Returns the note that the file was converted.
pub(super) fn conversion_note(root: &Node) -> Problem {
    let message =
        format!("converted to {}; `berth run --config FILE --write-config-to FILE` writes the result", v1::API_VERSION);
    let path = Path::default().field("apiVersion");
    note(root.place_of(&path), &path, message)
}

fn without_limits(set: &mut PluginSet, path: &Path, root: &Node, notes: &mut Problems) {
    for (at, plugin) in set.enabled.iter().enumerate().filter(|(_, plugin)| LIMITS.contains(&&*plugin.name)) {
        let path = path.field("enabled").index(at);
        let message = format!("{} is not in v1: NodeVolumeLimits replaces it and is enabled by default", plugin.name);
        notes.push(note(root.place_of(&path), &path, message));
    }
    set.enabled.retain(|plugin| !LIMITS.contains(&&*plugin.name));
}

fn weigh_less(plugins: &mut Plugins) {
    let set = &mut plugins.multi_point;
    for name in WEIGHED_LESS.into_iter().filter(|name| !set.disables(name)).collect::<Vec<_>>() {
        if !set.enables(name) {
            set.enabled.push(Plugin { name: name.to_owned(), weight: Some(1) });
        }
    }
}

fn note(place: Place, path: &Path, message: String) -> Problem {
    Problem { place, path: path.to_string(), message }
}
