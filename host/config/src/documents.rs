//! Reads each document of a file as the type that its `kind` and `apiVersion` name.

use super::conform;
use super::convert::{self, Version};
use super::error::{Place, Problem, Problems};
use super::merge::DEFAULT_SCHEDULER;
use super::path::Path;
use super::tree::{Node, Value};
use super::{Named, policy, v1, v1alpha1, validate};
use berth_apimachinery::nearest;

/// The documents of a file. An absent document is `None`.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// The KubeSchedulerConfiguration, converted to v1.
    pub(super) scheduler: Option<v1::KubeSchedulerConfiguration>,
    /// The BerthConfiguration.
    pub(super) berth: Option<v1alpha1::BerthConfiguration>,
    /// The place of the BerthConfiguration's `schedulerName`, if it is set.
    scheduler_name: Option<Place>,
    /// Notes about fields without effect and about converted fields.
    pub(super) notes: Problems,
    /// Every place where the file enables a plugin.
    pub(super) named: Vec<Named>,
}

/// The kind of a document.
enum Kind {
    Scheduler(Version),
    Policy,
    Berth,
}

/// Reads all documents. The result is complete only if there are no problems.
pub(super) fn read(roots: Vec<Node>) -> (Documents, Problems) {
    let mut documents = Documents::default();
    let mut problems = Problems::new();
    if roots.iter().all(|root| matches!(root.value, Value::Null)) {
        let place = roots.first().map_or(Place { line: 1, column: 1 }, |root| root.place);
        problems.push(problem(place, "", format!("the file is empty; {}", accepted_kinds())));
    }
    for root in roots.into_iter().filter(|root| !matches!(root.value, Value::Null)) {
        let Some(kind) = kind(&root, &mut problems) else { continue };
        let is_duplicate = match kind {
            Kind::Scheduler(_) | Kind::Policy => documents.scheduler.is_some(),
            Kind::Berth => documents.berth.is_some(),
        };
        if is_duplicate {
            problems.push(problem(root.place, "", "the file has two documents of this kind".to_owned()));
        }
        match kind {
            Kind::Scheduler(version) => scheduler(root, version, &mut documents, &mut problems),
            Kind::Policy => old_policy(&root, &mut documents, &mut problems),
            Kind::Berth => berth(&root, &mut documents, &mut problems),
        }
    }
    if let (Some(place), true) = (documents.scheduler_name, documents.scheduler.is_some()) {
        let message = "the profiles of the file's other document name the schedulers; remove this field";
        problems.push(problem(place, "schedulerName", message.to_owned()));
    }
    problems.sort_by_key(|problem| problem.place);
    (documents, problems)
}

fn scheduler(mut root: Node, version: Version, documents: &mut Documents, problems: &mut Problems) {
    convert::tree(&mut root, version);
    let (read, invalid) = conform::read::<v1::KubeSchedulerConfiguration>(&root);
    let before = problems.len();
    problems.extend(invalid);
    let mut configuration = read.unwrap_or_default();
    // Validate and locate before `convert::model`: afterwards, indexes in lists no longer match the file.
    let findings = validate::configuration(&configuration, version).into_inner();
    locate(findings, &root, before, problems);
    documents.named = enabled_plugins(&configuration, &root);
    convert::model(&mut configuration, version, &root, &mut documents.notes);
    documents.notes.extend(super::notes::of(&configuration, &root));
    documents.scheduler = Some(configuration);
}

fn old_policy(root: &Node, documents: &mut Documents, problems: &mut Problems) {
    let (read, invalid) = policy::read(root);
    let before = problems.len();
    problems.extend(invalid);
    let configuration = read.unwrap_or_default();
    let mut findings = validate::configuration(&configuration, Version::V1).into_inner();
    if problems.len() > before {
        // A finding about a converted profile may follow from a problem of the Policy, but has no path in the Policy.
        // Findings about extenders keep their paths, so `locate` can tell.
        findings.retain(|(path, _)| path.to_string().starts_with("extenders"));
    }
    locate(findings, root, before, problems);
    documents.notes.push(convert::conversion_note(root));
    documents.notes.extend(policy::notes(root));
    documents.named = enabled_plugins(&configuration, root);
    documents.scheduler = Some(configuration);
}

/// Returns every place where the configuration enables a plugin.
fn enabled_plugins(configuration: &v1::KubeSchedulerConfiguration, root: &Node) -> Vec<Named> {
    let mut all = Vec::new();
    for (number, profile) in configuration.profiles.iter().enumerate() {
        let path = Path::default().field("profiles").index(number).field("plugins");
        for (point, set) in profile.plugins.iter().flat_map(v1::Plugins::sets) {
            for (at, plugin) in set.enabled.iter().enumerate() {
                let path = path.field(point).field("enabled").index(at);
                all.push(Named {
                    scheduler_name: profile.scheduler_name.clone().unwrap_or_else(|| DEFAULT_SCHEDULER.to_owned()),
                    plugin: plugin.name.clone(),
                    point,
                    place: root.place_of(&path),
                    path: path.to_string(),
                });
            }
        }
    }
    all
}

fn berth(root: &Node, documents: &mut Documents, problems: &mut Problems) {
    let (read, invalid) = conform::read::<v1alpha1::BerthConfiguration>(root);
    let before = problems.len();
    problems.extend(invalid);
    let configuration = read.unwrap_or_default();
    let findings = validate::berth(&configuration).into_inner();
    locate(findings, root, before, problems);
    let name = configuration.scheduler_name.as_ref();
    documents.scheduler_name = name.map(|_| root.place_of(&Path::default().field("schedulerName")));
    documents.berth = Some(configuration);
}

/// Adds the findings with their places. Leaves out a finding whose path is above or below the path of a problem of
/// the same document: the finding is a consequence of that problem. The document's problems start at index `before`.
fn locate(findings: Vec<(Path, String)>, root: &Node, before: usize, problems: &mut Problems) {
    for (path, message) in findings {
        let name = path.to_string();
        if problems[before..].iter().all(|known| !known.path.starts_with(&name) && !name.starts_with(&known.path)) {
            problems.push(problem(root.place_of(&path), &name, message));
        }
    }
}

fn problem(place: Place, path: &str, message: String) -> Problem {
    Problem { place, path: path.to_owned(), message }
}

fn accepted_kinds() -> String {
    format!(
        "use kind: {} with apiVersion: {}, or kind: {} with apiVersion: {}",
        v1::KIND,
        v1::API_VERSION,
        v1alpha1::KIND,
        v1alpha1::API_VERSION
    )
}

/// Returns the kind of the document. An unknown kind or version is a problem.
fn kind(root: &Node, problems: &mut Problems) -> Option<Kind> {
    if !matches!(root.value, Value::Map(_)) {
        problems.push(problem(root.place, "", format!("is {}; expected an object", root.kind())));
        return None;
    }
    let version = text(root, "apiVersion", problems);
    let kind = text(root, "kind", problems);
    let (version, kind) = (version?, kind?);
    match (kind, Version::of(version)) {
        (v1::KIND, Some(Ok(version))) => return Some(Kind::Scheduler(version)),
        (v1alpha1::KIND, _) if version == v1alpha1::API_VERSION => return Some(Kind::Berth),
        // The schema of Policy checks its version.
        (policy::KIND, _) => return Some(Kind::Policy),
        _ => {}
    }
    let (field, message) = match kind {
        v1::KIND | v1alpha1::KIND => ("apiVersion", wrong_version(kind, version)),
        _ => ("kind", wrong_kind(kind)),
    };
    let place = root.get(field).map_or(root.place, |node| node.place);
    problems.push(problem(place, field, message));
    None
}

fn wrong_version(kind: &str, version: &str) -> String {
    if let (v1::KIND, Some(Err(remedy))) = (kind, Version::of(version)) {
        return format!("{version:?} is too old: {remedy}");
    }
    let versions = match kind {
        v1::KIND => Version::ALL.map(|(name, _)| name).to_vec(),
        _ => vec![v1alpha1::API_VERSION],
    };
    let hint = did_you_mean(version, &versions);
    format!("{version:?} is not known; accepted for {kind}: {}{hint}", versions.join(", "))
}

fn wrong_kind(kind: &str) -> String {
    let hint = did_you_mean(kind, &[v1::KIND, v1alpha1::KIND, policy::KIND]);
    format!("{kind:?} is not known; {}{hint}", accepted_kinds())
}

fn did_you_mean(wrong: &str, names: &[&str]) -> String {
    nearest(wrong, names.iter().copied()).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

fn text<'a>(root: &'a Node, name: &str, problems: &mut Problems) -> Option<&'a str> {
    match root.get(name).map(|node| (node, &node.value)) {
        None | Some((_, Value::Null)) => {
            problems.push(problem(root.place, name, "is required".to_owned()));
            None
        }
        Some((_, Value::Text(text))) => Some(text),
        Some((node, _)) => {
            problems.push(problem(node.place, name, format!("is {}; expected a string", node.kind())));
            None
        }
    }
}
