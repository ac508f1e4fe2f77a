//! Suggests changes of the required node affinity.

use berth_apimachinery::nearest;
use serde_json::{Value, json};

use super::change::{ChangeKind, PatchOperation};
use super::confirm::{Confirmer, then_fit};
use super::selector::{labels, with_label};
use super::suggestion::Suggestion;
use super::values::alternatives;

const PLUGIN: &str = "NodeAffinity";
const REQUIRED: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

/// A key that no node has.
const ABSENT: &str = "analysis.berth.invalid/absent";

/// The number of requirements that are tried.
const MOST_REQUIREMENTS: usize = 8;

/// Suggests another value or key in a requirement, or the removal of a requirement or of the whole affinity.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let Some(terms) = confirmer.field(&format!("{REQUIRED}/nodeSelectorTerms")).and_then(Value::as_array).cloned()
    else {
        return Vec::new();
    };
    let whole = vec![PatchOperation::remove(REQUIRED)];
    let Some(anywhere) = confirmer.fits(&whole) else { return Vec::new() };
    let mut suggestions = Vec::new();
    for (list, at) in requirements(&terms).into_iter().take(MOST_REQUIREMENTS) {
        let (path, requirement) = (format!("{REQUIRED}/nodeSelectorTerms/{list}/{at}"), list.split('/').next());
        let term = requirement.and_then(|term| terms.get(term.parse::<usize>().ok()?));
        let is_last = term.is_some_and(|term| requirements(std::slice::from_ref(term)).len() == 1);
        let Some(requirement) = confirmer.field(&path).cloned() else { continue };
        suggestions.extend(of_requirement(confirmer, &path, &requirement, is_last));
    }
    let text = format!("Remove the required node affinity; {}.", then_fit(&anywhere));
    let change = confirmer.change(ChangeKind::RemoveNodeAffinity, whole);
    suggestions.push(confirmer.suggestion(change, PLUGIN, text, &anywhere));
    suggestions
}

/// Returns the lists of requirements below `nodeSelectorTerms`, with the index of each requirement.
fn requirements(terms: &[Value]) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for (term, value) in terms.iter().enumerate() {
        for list in ["matchExpressions", "matchFields"] {
            let count = value[list].as_array().map_or(0, Vec::len);
            all.extend((0..count).map(|at| (format!("{term}/{list}"), at)));
        }
    }
    all
}

fn of_requirement(confirmer: &mut Confirmer<'_>, path: &str, requirement: &Value, is_last: bool) -> Vec<Suggestion> {
    let (key, operator) = (text(&requirement["key"]), text(&requirement["operator"]));
    let is_field = path.contains("/matchFields/");
    let weakest = match is_last {
        // The removal of the whole affinity covers this case.
        true if is_field => return Vec::new(),
        // A term without requirements matches no node, so the last one is replaced by one that holds for every node.
        true => vec![PatchOperation::replace(path, json!({"key": ABSENT, "operator": "DoesNotExist"}))],
        false => vec![PatchOperation::remove(path)],
    };
    let Some(without) = confirmer.fits(&weakest) else { return Vec::new() };
    let mut suggestions = Vec::new();
    let values: Vec<&str> = requirement["values"].as_array().into_iter().flatten().map(text).collect();
    if operator == "In"
        && !is_field
        && let [value] = values[..]
    {
        let (value, having) = (value.to_owned(), with_label(confirmer, key, value));
        let seen: Vec<String> =
            confirmer.nodes(&without).filter_map(|node| node.labels.get(key)).map(str::to_owned).collect();
        for other in alternatives(&value, seen.iter().map(String::as_str)) {
            let patch = vec![PatchOperation::replace(format!("{path}/values/0"), other.as_str().into())];
            let have = labels(with_label(confirmer, key, &other), key, &other);
            let text = format!(
                "Use the value {other} for {key} in the required node affinity: {}; {have}.",
                labels(having, key, &value)
            );
            suggestions.extend(confirmer.confirmed(ChangeKind::FixNodeAffinityValue, PLUGIN, patch, |_| text));
        }
    }
    if !is_field && let Some(other) = similar_key(confirmer, key, &without) {
        let patch = vec![PatchOperation::replace(format!("{path}/key"), other.as_str().into())];
        let text =
            format!("Use the key {other} instead of {key} in the required node affinity; no node has a label {key}.");
        suggestions.extend(confirmer.confirmed(ChangeKind::FixNodeAffinityKey, PLUGIN, patch, |_| text));
    }
    if !is_last {
        let what = [key, operator, &values.join(",")].join(" ");
        let text = format!(
            "Remove the requirement {} from the required node affinity; {}.",
            what.trim_end(),
            then_fit(&without)
        );
        let change = confirmer.change(ChangeKind::RemoveNodeAffinityRequirement, weakest);
        suggestions.push(confirmer.suggestion(change, PLUGIN, text, &without));
    }
    suggestions
}

/// Returns a key of the nodes that is similar to `key`, if no node has `key`.
fn similar_key(confirmer: &Confirmer<'_>, key: &str, fit: &super::confirm::Fit) -> Option<String> {
    if confirmer.cache().nodes().any(|info| info.node.labels.get(key).is_some()) {
        return None;
    }
    let keys = confirmer.nodes(fit).flat_map(|node| node.labels.iter()).map(|(key, _)| key);
    nearest(key, keys).map(str::to_owned)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
