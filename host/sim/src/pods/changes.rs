//! The few changes that an update can make to a pod's spec.

use serde_json::{Value, json};

use crate::failure::Problems;
use crate::value::{copy_member, items, members, text};

const WHY: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
                   `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
                   `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Validates an update of a pod's spec.
pub fn check(new: &Value, old: &Value, problems: &mut Problems) {
    let (after, before) = (&new["spec"], &old["spec"]);
    check_gates(after, before, problems);
    check_deadline(after, before, problems);
    check_tolerations(after, before, problems);
    let mut allowed = after.clone();
    for member in ["schedulingGates", "activeDeadlineSeconds", "tolerations"] {
        copy_member(&mut allowed, before, member);
    }
    for list in ["containers", "initContainers"] {
        restore_images(&mut allowed, before, list);
    }
    if items(before, "schedulingGates").next().is_some() {
        allow_tightening(&mut allowed, before);
    }
    if allowed != *before {
        problems.forbidden("spec", WHY);
    }
}

fn check_gates(after: &Value, before: &Value, problems: &mut Problems) {
    for (index, gate) in items(after, "schedulingGates").enumerate() {
        if !items(before, "schedulingGates").any(|existing| existing == gate) {
            let why = "only deletion is allowed, but found new scheduling gate";
            problems
                .forbidden(format!("spec.schedulingGates[{index}].name"), &format!("{why} '{}'", text(gate, "name")));
        }
    }
}

fn check_deadline(after: &Value, before: &Value, problems: &mut Problems) {
    let seconds = |spec: &Value| spec.get("activeDeadlineSeconds").and_then(Value::as_i64);
    let place = "spec.activeDeadlineSeconds";
    match (seconds(before), seconds(after)) {
        (Some(old), Some(new)) if new > old => {
            problems.invalid(place, &json!(new), "must be less than or equal to previous value")
        }
        (Some(_), None) => {
            problems.invalid(place, &Value::Null, "must not update from a positive integer to nil value")
        }
        _ => {}
    }
}

fn check_tolerations(after: &Value, before: &Value, problems: &mut Problems) {
    let apart = |toleration: &Value| {
        let mut toleration = toleration.clone();
        crate::value::remove(&mut toleration, "tolerationSeconds");
        toleration
    };
    for old in items(before, "tolerations") {
        if !items(after, "tolerations").any(|new| apart(new) == apart(old)) {
            problems
                .forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
        }
    }
}

fn restore_images(allowed: &mut Value, before: &Value, list: &str) {
    let old: Vec<Value> = items(before, list).cloned().collect();
    for (index, container) in crate::value::items_mut(allowed, list).enumerate() {
        if let Some(old) = old.get(index) {
            copy_member(container, old, "image");
        }
    }
}

/// Allows more restrictive node selection for a pod with scheduling gates: more labels in its node selector, and more
/// expressions in its required node affinity terms. The preferred terms can change in any way.
fn allow_tightening(allowed: &mut Value, before: &Value) {
    let kept = members(before, "nodeSelector").all(|(key, value)| allowed["nodeSelector"].get(key) == Some(value));
    if kept {
        copy_member(allowed, before, "nodeSelector");
    }
    let terms = |spec: &Value| -> Vec<Value> {
        let required = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        items(required, "nodeSelectorTerms").cloned().collect()
    };
    let (old, new) = (terms(before), terms(allowed));
    let tighter = |(old, new): (&Value, &Value)| {
        ["matchExpressions", "matchFields"]
            .iter()
            .all(|part| items(old, part).all(|one| items(new, part).any(|other| other == one)))
    };
    if old.is_empty() || (old.len() == new.len() && old.iter().zip(&new).all(tighter)) {
        match before.get("affinity") {
            Some(affinity) => copy_member(&mut allowed["affinity"], affinity, "nodeAffinity"),
            None => crate::value::remove(&mut allowed["affinity"], "nodeAffinity"),
        }
    }
    if before.get("affinity").is_none() && allowed["affinity"].as_object().is_none_or(|members| members.is_empty()) {
        crate::value::remove(allowed, "affinity");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_fields_may_change() {
        let old = json!({"containers": [{"name": "c", "image": "a"}], "nodeName": "n", "tolerations": [{"key": "k", "operator": "Exists"}],
            "activeDeadlineSeconds": 10});
        for (pointer, value, fine) in [
            ("/containers/0/image", json!("b"), true),
            ("/containers/0/name", json!("d"), false),
            ("/nodeName", json!("m"), false),
            ("/tolerations", json!([{"key": "k", "operator": "Exists"}, {"key": "l", "operator": "Exists"}]), true),
            ("/tolerations", json!([]), false),
            ("/activeDeadlineSeconds", json!(5), true),
            ("/activeDeadlineSeconds", json!(20), false),
        ] {
            let mut new = old.clone();
            *new.pointer_mut(pointer).unwrap() = value.clone();
            let mut problems = Problems::default();
            check(&json!({"spec": new}), &json!({"spec": old}), &mut problems);
            assert_eq!(problems.is_empty(), fine, "{pointer} {value}");
        }
    }

    #[test]
    fn gates_can_be_removed_and_gated_pods_restricted() {
        let old = json!({"schedulingGates": [{"name": "a"}], "nodeSelector": {"x": "1"}});
        for (new, fine) in [
            (json!({"nodeSelector": {"x": "1"}}), true),
            (json!({"schedulingGates": [{"name": "b"}], "nodeSelector": {"x": "1"}}), false),
            (json!({"schedulingGates": [{"name": "a"}], "nodeSelector": {"x": "1", "y": "2"}}), true),
            (json!({"schedulingGates": [{"name": "a"}], "nodeSelector": {"x": "2"}}), false),
        ] {
            let mut problems = Problems::default();
            check(&json!({"spec": new}), &json!({"spec": old}), &mut problems);
            assert_eq!(problems.is_empty(), fine, "{new}");
        }
    }
}
