//! Suggests changes of `nodeSelector`.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_apimachinery::nearest;
use berth_core::model::{Labels, Node};
use serde_json::{Value, json};

use super::change::{Change, ChangeKind, ObjectRef, PatchOperation, pointer_part};
use super::confirm::{Confirmer, Fit, then_fit};
use super::suggestion::Suggestion;
use super::values::alternatives;
use crate::names::counted;

const PLUGIN: &str = "NodeAffinity";
const SELECTOR: &str = "/spec/nodeSelector";

/// Suggests another value or another key, a label for a node, or the removal of a key.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let selector = confirmer.field(SELECTOR).and_then(Value::as_object).cloned().unwrap_or_default();
    if selector.is_empty() {
        return Vec::new();
    }
    let whole = vec![PatchOperation::remove(SELECTOR)];
    let Some(anywhere) = confirmer.fits(&whole) else { return Vec::new() };
    let mut suggestions = Vec::new();
    for (key, value) in &selector {
        suggestions.extend(of_key(confirmer, key, value.as_str().unwrap_or_default()));
    }
    suggestions.extend(labelled(confirmer, &selector, &anywhere));
    if suggestions.is_empty() || selector.len() > 1 && !suggestions.iter().any(|one| one.change.object.kind == "Pod") {
        let text = format!("Remove spec.nodeSelector; {}.", then_fit(&anywhere));
        let change = confirmer.change(ChangeKind::RemoveNodeSelector, whole);
        suggestions.push(confirmer.suggestion(change, PLUGIN, text, &anywhere));
    }
    suggestions
}

fn of_key(confirmer: &mut Confirmer<'_>, key: &str, value: &str) -> Vec<Suggestion> {
    let at = format!("{SELECTOR}/{}", pointer_part(key));
    let removal = vec![PatchOperation::remove(at.clone())];
    let Some(without) = confirmer.fits(&removal) else { return Vec::new() };
    let mut suggestions = Vec::new();
    let having = with_label(confirmer, key, value);
    let values: Vec<String> =
        confirmer.nodes(&without).filter_map(|node| node.labels.get(key)).map(str::to_owned).collect();
    for other in alternatives(value, values.iter().map(String::as_str)) {
        let patch = vec![PatchOperation::replace(at.clone(), other.as_str().into())];
        let have = with_label(confirmer, key, &other);
        let sentence = format!("{}; {}", labels(having, key, value), labels(have, key, &other));
        let text = format!("Use {key}={other} in spec.nodeSelector: {sentence}.");
        let confirmed = confirmer.confirmed(ChangeKind::FixNodeSelectorValue, PLUGIN, patch, |_| text);
        if confirmed.is_some() && having == 0 {
            confirmer.labels.get_or_insert(sentence);
        }
        suggestions.extend(confirmed);
    }
    if let Some(other) = similar_key(confirmer, key, value, &without) {
        let patch = vec![
            PatchOperation::add(format!("{SELECTOR}/{}", pointer_part(&other)), value.into()),
            PatchOperation::remove(at),
        ];
        let text =
            format!("Use the key {other} instead of {key} in spec.nodeSelector: {}.", labels(having, key, value));
        suggestions.extend(confirmer.confirmed(ChangeKind::FixNodeSelectorKey, PLUGIN, patch, |_| text));
    }
    if having == 0 {
        confirmer.labels.get_or_insert_with(|| labels(having, key, value));
    }
    let text = format!(
        "Remove {key}={value} from spec.nodeSelector ({}); {}.",
        labels(having, key, value),
        then_fit(&without)
    );
    let change = confirmer.change(ChangeKind::RemoveNodeSelectorKey, removal);
    suggestions.push(confirmer.suggestion(change, PLUGIN, text, &without));
    suggestions
}

/// Returns a key of the nodes that is similar to `key` and has this value on one of them.
fn similar_key(confirmer: &Confirmer<'_>, key: &str, value: &str, fit: &Fit) -> Option<String> {
    let keys = confirmer.nodes(fit).flat_map(|node| node.labels.iter()).filter(|(_, other)| *other == value);
    nearest(key, keys.map(|(key, _)| key).filter(|other| *other != key)).map(str::to_owned)
}

/// Suggests the missing labels for a node.
fn labelled(confirmer: &mut Confirmer<'_>, selector: &serde_json::Map<String, Value>, fit: &Fit) -> Option<Suggestion> {
    let wanted: Vec<(&str, &str)> =
        selector.iter().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default())).collect();
    let missing = |node: &Node| wanted.iter().filter(|(key, value)| node.labels.get(key) != Some(*value)).count();
    let node = Arc::clone(confirmer.nodes(fit).min_by_key(|node| (missing(node), node.name.clone()))?);
    let added: Vec<(&str, &str)> =
        wanted.iter().copied().filter(|(key, value)| node.labels.get(key) != Some(*value)).collect();
    if added.iter().any(|(key, _)| is_of_kubernetes(key)) {
        return None;
    }
    let labels: Labels = node.labels.iter().chain(added.iter().copied()).collect();
    let fit = confirmer.fits_with_node(Arc::new(Node { labels, ..Node::clone(&node) }))?;
    let patch: Vec<PatchOperation> = match node.labels.is_empty() {
        true => vec![PatchOperation::add("/metadata/labels", json!(added.iter().copied().collect::<BTreeMap<_, _>>()))],
        false => {
            let add = |(key, value): &(&str, &str)| {
                PatchOperation::add(format!("/metadata/labels/{}", pointer_part(key)), (*value).into())
            };
            added.iter().map(add).collect()
        }
    };
    let before = json!({"metadata": {"labels": node.labels.iter().collect::<BTreeMap<_, _>>()}});
    let change = Change::patch(ChangeKind::LabelNode, ObjectRef::node(&node.name), Some(&before), patch);
    let names: Vec<String> = added.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let text = format!("Label node {} with {}; then the pod fits there.", node.name, names.join(", "));
    Some(confirmer.suggestion(change, PLUGIN, text, &fit))
}

/// Returns whether Kubernetes defines the label, which then says what the node is: its hostname or zone, for example.
fn is_of_kubernetes(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    ["kubernetes.io", "k8s.io"]
        .iter()
        .any(|of| domain.strip_suffix(of).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Returns the number of nodes with this label.
pub(super) fn with_label(confirmer: &Confirmer<'_>, key: &str, value: &str) -> usize {
    confirmer.cache().nodes().filter(|info| info.node.labels.get(key) == Some(value)).count()
}

/// Returns how many nodes have a label: `no node has team=a`, `3 nodes have team=A`.
pub(super) fn labels(nodes: usize, key: &str, value: &str) -> String {
    match nodes {
        0 => format!("no node has label {key}={value}"),
        1 => format!("1 node has {key}={value}"),
        more => format!("{} have {key}={value}", counted(more, "node")),
    }
}
