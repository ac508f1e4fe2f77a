//! `matchLabelKeys` and `mismatchLabelKeys`: when the API server creates a pod, it merges these keys into the
//! selector of the same term or constraint. For this reason, no scheduler sees a key without the matching requirement.

use serde_json::{Value, json};

/// Merges the keys into all selectors of the pod.
pub fn settle(pod: &mut Value) {
    let labels = pod["metadata"]["labels"].clone();
    for side in ["podAffinity", "podAntiAffinity"] {
        if let Some(affinity) = pod["spec"].get_mut("affinity").and_then(|affinity| affinity.get_mut(side)) {
            for_each_item(affinity, "requiredDuringSchedulingIgnoredDuringExecution", |term| merge(term, &labels));
            for_each_item(affinity, "preferredDuringSchedulingIgnoredDuringExecution", |weighted| {
                if let Some(term) = weighted.get_mut("podAffinityTerm") {
                    merge(term, &labels);
                }
            });
        }
    }
    for_each_item(&mut pod["spec"], "topologySpreadConstraints", |constraint| merge(constraint, &labels));
}

fn for_each_item(of: &mut Value, list: &str, act: impl FnMut(&mut Value)) {
    of.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(act);
}

fn merge(term: &mut Value, labels: &Value) {
    for (keys, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let keys = term.get(keys).and_then(Value::as_array).cloned().unwrap_or_default();
        let found = keys.iter().filter_map(|key| Some((key, labels.get(key.as_str()?)?)));
        let added: Vec<Value> =
            found.map(|(key, value)| json!({"key": key, "operator": operator, "values": [value]})).collect();
        if let Some(selector) = term.get_mut("labelSelector").and_then(Value::as_object_mut)
            && !added.is_empty()
        {
            let expressions = selector.entry("matchExpressions").or_insert_with(|| json!([]));
            expressions.as_array_mut().into_iter().for_each(|list| list.extend(added.iter().cloned()));
        }
    }
}
