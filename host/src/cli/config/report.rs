//! The output of `berth config check` as data.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::differences::differences;
use berth_apimachinery::nearest;
use berth_config::v1::Extender;
use berth_config::v1alpha1::{PluginGrants, PluginSettings};
use berth_config::{ConfigError, Configuration, Loaded, Place, Problem};
use berth_core::limits::Limits;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::{LineUp, Source, Standing};

/// The output of `berth config check`. If the file can't be read as a configuration, only `file`, `valid` and `errors`
/// have a value.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct ConfigReport {
    /// The path of the file.
    pub file: String,
    /// Whether a scheduler can run with the file.
    pub valid: bool,
    /// The profiles with their plugins.
    pub profiles: Vec<ProfileReport>,
    /// The extenders as in the file, with defaults.
    pub extenders: Vec<Extender>,
    /// The settings besides profiles and extenders.
    pub settings: Option<Settings>,
    /// The intended differences from kube-scheduler, a sentence each.
    pub differences: Vec<String>,
    /// Fields that have no effect, fields that were converted, and settings of plugins that no profile calls.
    pub notes: Vec<Remark>,
    /// The errors of the file.
    pub errors: Vec<Remark>,
}

/// A profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct ProfileReport {
    /// The scheduler name.
    pub scheduler_name: String,
    /// The extension points in the order of a scheduling cycle.
    pub extension_points: Vec<Point>,
    /// The arguments of plugins by plugin name.
    pub arguments: BTreeMap<String, Value>,
    /// Whether the core binds pods that no plugin binds.
    pub default_binder: bool,
}

/// An extension point of a profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Point {
    /// The name, as in the file.
    pub name: String,
    /// The plugins in the order of their calls.
    pub plugins: Vec<PluginAtPoint>,
}

/// A plugin at an extension point.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct PluginAtPoint {
    /// The name.
    pub name: String,
    /// The weight of its scores; 1 if it does not score.
    pub weight: i64,
    /// Whether the component is in the binary.
    pub built_in: bool,
    /// The path of the component, or its file name at build time if it is in the binary.
    pub file: String,
}

/// The settings besides profiles and extenders.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings {
    /// The Lease that a process holds while it schedules pods, as `namespace/name`; null without leader election.
    pub lease: Option<String>,
    /// The backoff after the first failed attempt, in seconds. Each further attempt doubles it.
    pub initial_backoff_seconds: u64,
    /// The longest backoff, in seconds.
    pub max_backoff_seconds: u64,
    /// The requests to the API server per second; null without a limit.
    pub requests_per_second: Option<f64>,
    /// The requests to the API server in a burst above the rate; null without a limit.
    pub burst: Option<i64>,
    /// The limits of plugins.
    pub limits: PluginLimits,
    /// Limits of single plugins, by name.
    pub limits_of_plugins: BTreeMap<String, PluginLimits>,
    /// What single plugins may read and change, by name. The default plugins have further grants.
    pub grants_of_plugins: BTreeMap<String, PluginGrants>,
}

/// The limits of a plugin.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct PluginLimits {
    /// The CPU time of a call, in milliseconds.
    pub call_milliseconds: u64,
    /// The memory, in bytes.
    pub memory_bytes: usize,
}

/// A remark about the file or one of its fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Remark {
    /// The line of the field, from 1; null if the remark is about the whole file.
    pub line: Option<u64>,
    /// The column of the field, from 1; null if the remark is about the whole file.
    pub column: Option<u64>,
    /// The field, as in `profiles[0].plugins.score.enabled[1]`; empty if the remark is about the whole file.
    pub path: String,
    /// The remark, with the remedy of an error.
    pub message: String,
}

impl ConfigReport {
    /// Returns the report of a file that is a configuration.
    pub fn new(file: &str, loaded: &Loaded, lines: &[LineUp], errors: Vec<Remark>) -> Self {
        let configuration = &loaded.configuration;
        let profiles = configuration.profiles.iter().zip(lines);
        Self {
            file: file.to_owned(),
            valid: errors.is_empty(),
            profiles: profiles.map(|(spec, line)| ProfileReport::new(spec, line)).collect(),
            extenders: configuration.extenders.clone(),
            settings: Some(Settings::new(configuration)),
            differences: differences(configuration, lines),
            notes: loaded.notes.iter().map(Remark::from).chain(unused_settings(configuration, lines)).collect(),
            errors,
        }
    }

    /// Returns the report of a file that can't be read as a configuration.
    pub fn unreadable(file: &str, error: &ConfigError) -> Self {
        let errors = match error {
            ConfigError::Invalid { problems, .. } => problems.iter().map(Remark::from).collect(),
            ConfigError::Syntax { place, message, .. } => {
                vec![Remark::at(*place, String::new(), format!("not YAML: {message}"))]
            }
            error => vec![Remark::of_file(error.to_string())],
        };
        Self { file: file.to_owned(), errors, ..Self::default() }
    }
}

/// Returns a note for each plugin with settings that no profile calls.
fn unused_settings(configuration: &Configuration, lines: &[LineUp]) -> Vec<Remark> {
    let points = lines.iter().flat_map(|line| &line.points);
    let called: BTreeSet<&str> = points.flat_map(|(_, standing)| standing).map(|standing| &*standing.name).collect();
    let settings = configuration.berth.plugins.iter().enumerate();
    let unused = settings.filter(|(_, settings)| !called.contains(settings.name.as_str()));
    let remark = |(at, settings): (usize, &PluginSettings)| {
        let near = nearest(&settings.name, called.iter().copied());
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let message = format!("no profile calls a plugin with the name {:?}{hint}", settings.name);
        Remark { path: format!("plugins[{at}].name"), ..Remark::of_file(message) }
    };
    unused.map(remark).collect()
}

impl ProfileReport {
    fn new(spec: &ProfileSpec, line: &LineUp) -> Self {
        let plugins = |standing: &[Standing]| standing.iter().map(PluginAtPoint::new).collect();
        let point = |(name, standing): &(&'static str, Vec<Standing>)| Point {
            name: (*name).to_owned(),
            plugins: plugins(standing),
        };
        Self {
            scheduler_name: spec.scheduler_name.to_string(),
            extension_points: line.points.iter().map(point).collect(),
            arguments: spec.arguments.iter().map(|(name, arguments)| (name.to_string(), arguments.clone())).collect(),
            default_binder: !spec.without_default_binder,
        }
    }
}

impl PluginAtPoint {
    fn new(standing: &Standing) -> Self {
        let file = match &standing.source {
            Source::BuiltIn(file) => (*file).to_owned(),
            Source::File(path) => path.display().to_string(),
        };
        let built_in = standing.source.is_built_in();
        Self { name: standing.name.to_string(), weight: standing.weight, built_in, file }
    }
}

impl Settings {
    fn new(configuration: &Configuration) -> Self {
        let (election, connection) = (&configuration.leader_election, configuration.in_force().client_connection);
        let rate = connection.qps.filter(|qps| *qps > 0.0);
        let limits = configuration.berth.limits();
        let of_plugins = limits.of_plugins.iter();
        let plugins = configuration.berth.plugins.iter();
        let grants = plugins.filter_map(|plugin| Some((plugin.name.clone(), plugin.grants.clone()?)));
        Self {
            lease: election.enabled.then(|| format!("{}/{}", election.namespace, election.name)),
            initial_backoff_seconds: configuration.pod_initial_backoff.as_secs(),
            max_backoff_seconds: configuration.pod_max_backoff.as_secs(),
            requests_per_second: rate.map(f64::from),
            burst: rate.and(connection.burst).map(i64::from),
            limits_of_plugins: of_plugins.map(|(name, limits)| (name.to_string(), PluginLimits::new(limits))).collect(),
            limits: PluginLimits::new(&limits),
            grants_of_plugins: grants.collect(),
        }
    }
}

impl PluginLimits {
    fn new(limits: &Limits) -> Self {
        let call_milliseconds = u64::try_from(limits.call.as_millis()).unwrap_or(u64::MAX);
        Self { call_milliseconds, memory_bytes: limits.memory }
    }
}

impl Remark {
    /// Returns a remark about a field.
    pub fn at(place: Place, path: String, message: String) -> Self {
        Self { line: Some(place.line), column: Some(place.column), path, message }
    }

    /// Returns a remark about the whole file.
    pub fn of_file(message: String) -> Self {
        Self { line: None, column: None, path: String::new(), message }
    }
}

impl From<&Problem> for Remark {
    fn from(problem: &Problem) -> Self {
        Self::at(problem.place, problem.path.clone(), problem.message.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_plugin_that_no_profile_calls_are_noted() {
        let text =
            "apiVersion: berth.dev/v1alpha1\nkind: BerthConfiguration\nplugins: [{name: warmup}, {name: gang}]\n";
        let configuration = berth_config::parse(text, "f.yaml").expect("valid");
        let standing = |name: &str| Standing { name: name.into(), weight: 1, source: Source::BuiltIn("a.wasm") };
        let points = vec![("filter", vec![standing("warm-up"), standing("gang")])];
        let line = LineUp { scheduler_name: "default-scheduler".into(), points, absent: Vec::new() };
        let notes = unused_settings(&configuration, &[line]);
        let notes: Vec<(&str, &str)> = notes.iter().map(|note| (&*note.path, &*note.message)).collect();
        let message = "no profile calls a plugin with the name \"warmup\"; did you mean warm-up?";
        assert_eq!(notes, [("plugins[0].name", message)]);
    }

    #[test]
    fn the_schema_of_the_output_is_kept() {
        crate::cli::output::check_schema::<ConfigReport>("config check");
    }
}
