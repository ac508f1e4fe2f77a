//! Suggests changes of the required affinity and anti-affinity between pods.

use std::sync::Arc;

use berth_core::model::Pod;
use serde_json::Value;

use super::change::{Change, ChangeKind, ObjectRef, PatchOperation, pointer_part};
use super::confirm::{Confirmer, then_fit};
use super::suggestion::Suggestion;
use super::values::{alternatives, suggest_topology_key};

const PLUGIN: &str = "InterPodAffinity";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The number of other pods whose deletion is tried.
const MOST_PODS: usize = 8;

/// Suggests another label or fewer terms, or the deletion of a pod whose anti-affinity keeps this pod away.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let mut suggestions =
        of_terms(confirmer, "podAffinity", ChangeKind::RemovePodAffinityTerm, ChangeKind::RemovePodAffinity);
    suggestions.extend(of_terms(
        confirmer,
        "podAntiAffinity",
        ChangeKind::RemovePodAntiAffinityTerm,
        ChangeKind::RemovePodAntiAffinity,
    ));
    suggestions.extend(deletion(confirmer));
    suggestions
}

fn of_terms(confirmer: &mut Confirmer<'_>, of: &str, one: ChangeKind, all: ChangeKind) -> Vec<Suggestion> {
    let list = format!("/spec/affinity/{of}/{REQUIRED}");
    let terms = confirmer.field(&list).and_then(Value::as_array).cloned().unwrap_or_default();
    if terms.is_empty() {
        return Vec::new();
    }
    let whole = vec![PatchOperation::remove(list.clone())];
    let Some(anywhere) = confirmer.fits(&whole) else { return Vec::new() };
    let what = if of == "podAffinity" { "pod affinity" } else { "pod anti-affinity" };
    let mut suggestions = Vec::new();
    for (at, term) in terms.iter().enumerate() {
        let path = format!("{list}/{at}");
        let removal = vec![PatchOperation::remove(path.clone())];
        let Some(without) = confirmer.fits(&removal) else { continue };
        if of == "podAffinity" {
            suggestions.extend(other_label(confirmer, &path, term));
            suggestions.extend(suggest_topology_key(confirmer, PLUGIN, format!("{path}/topologyKey")));
        }
        let key = term["topologyKey"].as_str().unwrap_or_default();
        let text = format!("Remove the term for {key} from the required {what}; {}.", then_fit(&without));
        suggestions.push(confirmer.suggestion(confirmer.change(one, removal), PLUGIN, text, &without));
    }
    if suggestions.is_empty() {
        let text = format!("Remove the required {what}; {}.", then_fit(&anywhere));
        suggestions.push(confirmer.suggestion(confirmer.change(all, whole), PLUGIN, text, &anywhere));
    }
    suggestions
}

/// Suggests a label that running pods have, for each label of the term's selector that no running pod has. Only the pods
/// of the namespaces that the term names count.
fn other_label(confirmer: &mut Confirmer<'_>, path: &str, term: &Value) -> Vec<Suggestion> {
    let labels = term["labelSelector"]["matchLabels"].as_object().cloned().unwrap_or_default();
    // A selector of namespaces can select any.
    if term.get("namespaceSelector").is_some_and(|selector| !selector.is_null()) {
        return Vec::new();
    }
    let named: Vec<String> =
        term["namespaces"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let namespaces = if named.is_empty() { vec![confirmer.pod.key.namespace.to_string()] } else { named };
    let mut suggestions = Vec::new();
    for (key, value) in &labels {
        let value = value.as_str().unwrap_or_default();
        let pods = confirmer.cache().pods().map(|(_, cached)| &cached.pod);
        let there = pods.filter(|pod| namespaces.iter().any(|namespace| **namespace == *pod.key.namespace));
        let running = there.filter_map(|pod| pod.labels.get(key));
        let values: Vec<String> = running.map(str::to_owned).collect();
        if values.iter().any(|other| other == value) {
            continue;
        }
        for other in alternatives(value, values.iter().map(String::as_str)) {
            let at = format!("{path}/labelSelector/matchLabels/{}", pointer_part(key));
            let patch = vec![PatchOperation::replace(at, other.as_str().into())];
            let have = values.iter().filter(|value| **value == other).count();
            let have = if have == 1 { "1 has".to_owned() } else { format!("{have} have") };
            let text = format!(
                "Use {key}={other} in the required pod affinity: no running pod has label {key}={value}; {have} {key}={other}."
            );
            suggestions.extend(confirmer.confirmed(ChangeKind::FixPodAffinityValue, PLUGIN, patch, |_| text));
        }
    }
    suggestions
}

/// Suggests the deletion of a pod whose required anti-affinity keeps this pod away.
fn deletion(confirmer: &mut Confirmer<'_>) -> Option<Suggestion> {
    let repelling = confirmer.cache().pods().map(|(_, cached)| &cached.pod);
    let mut repelling: Vec<Arc<Pod>> =
        repelling.filter(|pod| !pod.spec.anti_affinity.required.is_empty()).cloned().collect();
    repelling.sort_by(|one, other| (one.spec.priority, &one.key).cmp(&(other.spec.priority, &other.key)));
    repelling.into_iter().take(MOST_PODS).find_map(|pod| {
        let fit = confirmer.fits_without(&pod)?;
        let change = Change::delete(ObjectRef::pod(&pod.key.namespace, &pod.key.name));
        let text =
            format!("Delete or move pod {}, whose anti-affinity keeps this pod away; {}.", pod.key, then_fit(&fit));
        Some(confirmer.suggestion(change, PLUGIN, text, &fit))
    })
}
