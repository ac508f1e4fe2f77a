//! What the fields of a KubeSchedulerConfiguration say. What this version does not do is refused, with its name and place;
//! fields that ask for just what it does anyway are accepted.

use super::error::Place;
use super::fields::{Field, Fields, Problems, nearest};
use super::leader_election::leader_election;
use super::sets::{ExtensionPoint, PluginRef, PluginSet, PluginSets};
use super::tree::{Node, Value};
use crate::kube::lease::LeaderElection;

const API_VERSION: &str = "kubescheduler.config.k8s.io/v1";
const KIND: &str = "KubeSchedulerConfiguration";

/// The file, as it says it.
#[derive(Debug, Default)]
pub(super) struct FileConfiguration {
    pub(super) profiles: Vec<FileProfile>,
    pub(super) pod_initial_backoff: Option<Seconds>,
    pub(super) pod_max_backoff: Option<Seconds>,
    pub(super) percentage_of_nodes_to_score: Option<u8>,
    pub(super) leader_election: Option<LeaderElection>,
}

/// A number of seconds and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seconds {
    pub(super) value: i64,
    pub(super) place: Place,
}

/// One of `profiles[]`.
#[derive(Debug, Default)]
pub(super) struct FileProfile {
    pub(super) path: String,
    pub(super) place: Place,
    pub(super) scheduler_name: Option<(String, Place)>,
    pub(super) percentage_of_nodes_to_score: Option<u8>,
    pub(super) plugins: PluginSets,
    pub(super) arguments: Vec<FileArguments>,
}

/// One of `pluginConfig[]`.
#[derive(Debug)]
pub(super) struct FileArguments {
    pub(super) path: String,
    pub(super) place: Place,
    pub(super) plugin: String,
    pub(super) arguments: serde_json::Value,
}

/// Reads the whole file. The result is complete as far as there are no problems.
pub(super) fn configuration(root: &Node) -> (FileConfiguration, Problems) {
    let mut problems = Problems::new();
    let root = Field { node: root, path: String::new() };
    let mut configuration = FileConfiguration::default();
    if matches!(root.node.value, Value::Null) {
        root.problem(&mut problems, format!("the file is empty; {}", accepted()));
        return (configuration, problems);
    }
    let Some(mut fields) = root.object(&mut problems) else { return (configuration, problems) };
    if !is_accepted(&mut fields, &mut problems) {
        // Of another kind nothing else can be said.
        return (configuration, problems);
    }
    if let Some(profiles) = fields.get("profiles") {
        let profiles = profiles.list(&mut problems);
        configuration.profiles = profiles.iter().filter_map(|field| profile(field, &mut problems)).collect();
    }
    configuration.pod_initial_backoff = seconds(&mut fields, "podInitialBackoffSeconds", &mut problems);
    configuration.pod_max_backoff = seconds(&mut fields, "podMaxBackoffSeconds", &mut problems);
    configuration.percentage_of_nodes_to_score = percentage_of_nodes(&mut fields, &mut problems);
    configuration.leader_election = fields.get("leaderElection").map(|field| leader_election(&field, &mut problems));
    not_yet(&mut fields, &mut problems);
    fields.finish(&mut problems);
    (configuration, problems)
}

fn accepted() -> String {
    format!("accepted is apiVersion: {API_VERSION} with kind: {KIND}")
}

fn is_accepted(fields: &mut Fields<'_>, problems: &mut Problems) -> bool {
    let before = problems.len();
    for (name, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        let Some(field) = fields.required(name, problems) else { continue };
        if let Some(text) = field.text(problems)
            && text != wanted
        {
            field.problem(problems, format!("{text:?} is not known; {}", accepted()));
        }
    }
    problems.len() == before
}

fn seconds(fields: &mut Fields<'_>, name: &'static str, problems: &mut Problems) -> Option<Seconds> {
    let field = fields.get(name)?;
    let value = field.integer(problems)?;
    Some(Seconds { value, place: field.node.place })
}

/// Fields that this version does not do: each may only say what happens anyway.
fn not_yet(fields: &mut Fields<'_>, problems: &mut Problems) {
    for (name, is_harmless) in [
        ("parallelism", (|node| matches!(node.value, Value::Integer(16))) as fn(&Node) -> bool),
        ("clientConnection", |node| matches!(&node.value, Value::Map(map) if map.is_empty())),
        ("extenders", |node| matches!(&node.value, Value::List(list) if list.is_empty())),
        ("delayCacheUntilActive", is_false),
        ("enableProfiling", is_false),
        ("enableContentionProfiling", is_false),
    ] {
        refuse(fields, name, is_harmless, problems);
    }
}

fn refuse(fields: &mut Fields<'_>, name: &'static str, is_harmless: fn(&Node) -> bool, problems: &mut Problems) {
    if let Some(field) = fields.get(name)
        && !is_harmless(field.node)
    {
        field.problem(problems, "not supported yet; leave it out");
    }
}

/// 0 stands for "as many as need be", which here is every node.
fn percentage_of_nodes(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<u8> {
    let field = fields.get("percentageOfNodesToScore")?;
    let value = field.integer(problems)?;
    let percentage = u8::try_from(value).ok().filter(|percentage| *percentage <= 100);
    if percentage.is_none() {
        field.problem(problems, format!("{value}: a percentage is 0 to 100"));
    }
    percentage
}

fn is_false(node: &Node) -> bool {
    matches!(node.value, Value::Bool(false))
}

fn profile(field: &Field<'_>, problems: &mut Problems) -> Option<FileProfile> {
    let mut fields = field.object(problems)?;
    let mut profile = FileProfile { path: field.path.clone(), place: field.node.place, ..FileProfile::default() };
    if let Some(name) = fields.get("schedulerName") {
        profile.scheduler_name = name.text(problems).map(|text| (text.to_owned(), name.node.place));
    }
    profile.percentage_of_nodes_to_score = percentage_of_nodes(&mut fields, problems);
    if let Some(sets) = fields.get("plugins") {
        profile.plugins = plugins(&sets, problems);
    }
    if let Some(list) = fields.get("pluginConfig") {
        let list = list.list(problems);
        profile.arguments = list.iter().filter_map(|field| arguments(field, problems)).collect();
    }
    fields.finish(problems);
    Some(profile)
}

fn plugins(field: &Field<'_>, problems: &mut Problems) -> PluginSets {
    let mut sets = PluginSets::default();
    let Some(mut fields) = field.object(problems) else { return sets };
    for point in ExtensionPoint::ALL {
        if let Some(set) = fields.get(point.name()) {
            *sets.at_mut(point) = plugin_set(&set, problems);
        }
    }
    if let Some(set) = fields.get("multiPoint") {
        sets.multi_point = plugin_set(&set, problems);
    }
    for name in ["placementGenerate", "placementScore"] {
        refuse(&mut fields, name, |_| false, problems);
    }
    fields.finish(problems);
    sets
}

fn plugin_set(field: &Field<'_>, problems: &mut Problems) -> PluginSet {
    let mut set = PluginSet::default();
    let Some(mut fields) = field.object(problems) else { return set };
    if let Some(enabled) = fields.get("enabled") {
        let enabled = enabled.list(problems);
        set.enabled = enabled.iter().filter_map(|field| plugin(field, problems)).collect();
    }
    if let Some(disabled) = fields.get("disabled") {
        let disabled = disabled.list(problems);
        set.disabled = disabled.iter().filter_map(|field| plugin(field, problems)).collect();
    }
    fields.finish(problems);
    set
}

fn plugin(field: &Field<'_>, problems: &mut Problems) -> Option<PluginRef> {
    let mut fields = field.object(problems)?;
    let name = name(&mut fields, problems);
    let weight = fields.get("weight").and_then(|weight| {
        let given = weight.integer(problems)?;
        match i32::try_from(given) {
            Ok(given @ 1..) => Some(given),
            _ => {
                let range = format!("weights are 1 to {}, and a plugin is disabled by disabling it", i32::MAX);
                weight.problem(problems, format!("{given}: {range}"));
                None
            }
        }
    });
    fields.finish(problems);
    let (name, place) = name?;
    Some(PluginRef { name: name.into(), weight, place })
}

fn name<'a>(fields: &mut Fields<'a>, problems: &mut Problems) -> Option<(&'a str, Place)> {
    let field = fields.required("name", problems)?;
    let name = field.text(problems)?;
    if name.is_empty() {
        field.problem(problems, "is empty");
        return None;
    }
    Some((name, field.node.place))
}

fn arguments(field: &Field<'_>, problems: &mut Problems) -> Option<FileArguments> {
    let mut fields = field.object(problems)?;
    let name = name(&mut fields, problems);
    let args = fields.get("args");
    fields.finish(problems);
    let (plugin, place) = name?;
    let arguments = args.map_or(serde_json::Value::Null, |args| plugin_args(plugin, &args, problems));
    Some(FileArguments { path: field.path.clone(), place, plugin: plugin.to_owned(), arguments })
}

/// The arguments without the type that Kubernetes' own may name: `kind: NodeResourcesFitArgs`.
fn plugin_args(plugin: &str, field: &Field<'_>, problems: &mut Problems) -> serde_json::Value {
    let mut json = field.node.to_json();
    let Some(object) = json.as_object_mut() else {
        field.problem(problems, format!("is {}, where an object belongs", field.node.kind()));
        return json;
    };
    let wanted = format!("{plugin}Args");
    let kind = object.get("kind").and_then(|kind| kind.as_str()).map(str::to_owned);
    let is_theirs = object.get("apiVersion").is_some_and(|version| version == API_VERSION);
    match kind {
        Some(kind) if kind == wanted => {
            object.remove("kind");
            object.remove("apiVersion");
        }
        Some(kind) if is_theirs => {
            let hint = nearest(&kind, std::iter::once(wanted.as_str())).map_or("", |_| " (is it misspelt?)");
            field.problem(problems, format!("kind {kind:?} belongs to another plugin; {plugin} takes {wanted}{hint}"));
        }
        _ => {}
    }
    json
}
