//! Merges `matchLabelKeys` and `mismatchLabelKeys` into the label selectors of a new pod.

use serde_json::{Value, json};

use crate::value::{items, items_mut, set_default};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Adds a requirement to the label selectors of the pod's affinity terms and topology spread constraints: for each
/// key in `matchLabelKeys` or `mismatchLabelKeys` that the pod has as a label. Call this function once for a pod; a
/// second call adds the requirements again.
pub fn merge(pod: &mut Value) {
    let labels = pod["metadata"]["labels"].clone();
    let spec = &mut pod["spec"];
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = spec.pointer_mut(&format!("/affinity/{kind}")) else { continue };
        for term in items_mut(affinity, REQUIRED) {
            merge_term(term, &labels);
        }
        for preference in items_mut(affinity, PREFERRED) {
            if let Some(term) = preference.get_mut("podAffinityTerm") {
                merge_term(term, &labels);
            }
        }
    }
    for constraint in items_mut(spec, "topologySpreadConstraints") {
        merge_keys(constraint, "matchLabelKeys", "In", &labels);
    }
}

fn merge_term(term: &mut Value, labels: &Value) {
    merge_keys(term, "matchLabelKeys", "In", labels);
    merge_keys(term, "mismatchLabelKeys", "NotIn", labels);
}

/// Adds the requirements of one list of keys. A term without a label selector selects no pods and stays unchanged.
fn merge_keys(term: &mut Value, list: &str, operator: &str, labels: &Value) {
    let keys = items(term, list).filter_map(Value::as_str);
    let requirements: Vec<Value> = keys
        .filter_map(|key| {
            let value = labels.get(key)?;
            Some(json!({"key": key, "operator": operator, "values": [value]}))
        })
        .collect();
    let Some(selector) = term.get_mut("labelSelector").filter(|selector| selector.is_object()) else { return };
    if requirements.is_empty() {
        return;
    }
    set_default(selector, "matchExpressions", json!([]));
    if let Some(expressions) = selector["matchExpressions"].as_array_mut() {
        expressions.extend(requirements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_requirements_of_the_selector() {
        let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}},
            "matchLabelKeys": ["app", "absent"], "mismatchLabelKeys": ["tenant"]});
        let mut pod = json!({"metadata": {"labels": {"app": "x", "tenant": "t"}}, "spec": {
            "affinity": {
                "podAffinity": {REQUIRED: [term], PREFERRED: [{"weight": 1, "podAffinityTerm": term}]},
                "podAntiAffinity": {REQUIRED: [{"topologyKey": "zone", "matchLabelKeys": ["app"]}]},
            },
            "topologySpreadConstraints": [{"matchLabelKeys": ["app"], "mismatchLabelKeys": ["tenant"],
                "labelSelector": {"matchExpressions": [{"key": "k", "operator": "Exists"}]}}],
        }});
        merge(&mut pod);
        let affinity = &pod["spec"]["affinity"];
        let merged = json!({"matchLabels": {"a": "b"}, "matchExpressions": [
            {"key": "app", "operator": "In", "values": ["x"]}, {"key": "tenant", "operator": "NotIn", "values": ["t"]}]});
        assert_eq!(affinity["podAffinity"][REQUIRED][0]["labelSelector"], merged);
        assert_eq!(affinity["podAffinity"][PREFERRED][0]["podAffinityTerm"]["labelSelector"], merged);
        let without_selector = &affinity["podAntiAffinity"][REQUIRED][0];
        assert_eq!(*without_selector, json!({"topologyKey": "zone", "matchLabelKeys": ["app"]}));
        let spread = &pod["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchExpressions"];
        let expected = json!([{"key": "k", "operator": "Exists"}, {"key": "app", "operator": "In", "values": ["x"]}]);
        assert_eq!(*spread, expected);
    }
}
