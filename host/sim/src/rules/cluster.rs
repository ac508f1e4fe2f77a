//! Rules of the kinds that describe the cluster: nodes, namespaces, priority classes, definitions, events, limit ranges,
//! secrets.

use std::collections::HashSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::Rules;
use crate::custom;
use crate::failure::{Failure, Problems, Subject};
use crate::pods;
use crate::state::State;
use crate::value::{copy_member, is_true, items, items_mut, object_mut, set_default, text};

/// The rules of core/v1 Nodes. Clients can create a node with its status.
pub struct Nodes;

impl Rules for Nodes {
    fn default(&self, object: &mut Value) {
        set_default(object, "spec", json!({}));
        set_default(object, "status", json!({}));
        let status = &mut object["status"];
        if let Some(capacity) = status.get("capacity").cloned() {
            set_default(status, "allocatable", capacity);
        }
    }

    fn keeps_status(&self) -> bool {
        true
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let mut seen = HashSet::new();
        for (index, taint) in items(&object["spec"], "taints").enumerate() {
            let path = format!("spec.taints[{index}]");
            let (key, effect) = (text(taint, "key"), text(taint, "effect"));
            if !crate::names::is_label_key(key) {
                problems.invalid(
                    format!("{path}.key"),
                    &taint["key"],
                    "name part must consist of alphanumeric characters, '-', '_' or '.'",
                );
            }
            if !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
                problems.unsupported(
                    format!("{path}.effect"),
                    effect,
                    &["NoExecute", "NoSchedule", "PreferNoSchedule"],
                );
            }
            if !seen.insert((key, effect)) {
                problems.duplicate(path, taint);
            }
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        for field in ["podCIDR", "podCIDRs", "providerID"] {
            let before = old["spec"].get(field);
            if before.is_some() && new["spec"].get(field) != before {
                problems.forbidden(format!("spec.{field}"), "node updates may not change it once it is set");
            }
        }
    }
}

/// The rules of core/v1 Namespaces. A deleted namespace stays until its content is deleted.
pub struct Namespaces;

impl Rules for Namespaces {
    fn default(&self, object: &mut Value) {
        let name = object["metadata"]["name"].clone();
        if let Some(labels) = object_mut(&mut object["metadata"], "labels") {
            labels.insert("kubernetes.io/metadata.name".into(), name);
        }
        set_default(object, "spec", json!({}));
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"phase": "Active"});
        object["spec"]["finalizers"] = json!(["kubernetes"]);
    }

    fn update(&self, new: &mut Value, old: &Value) {
        copy_member(&mut new["spec"], &old["spec"], "finalizers");
    }

    fn holds(&self, object: &Value) -> bool {
        items(&object["spec"], "finalizers").next().is_some()
    }
}

/// The rules of scheduling.k8s.io/v1 PriorityClasses.
pub struct PriorityClasses;

impl Rules for PriorityClasses {
    fn default(&self, object: &mut Value) {
        set_default(object, "preemptionPolicy", "PreemptLowerPriority");
        set_default(object, "value", 0);
    }

    fn admit(&self, state: &State, object: &mut Value) -> Result<(), Failure> {
        if !is_true(object, "globalDefault") {
            return Ok(());
        }
        let other = state
            .values("scheduling.k8s.io", "priorityclasses", None)
            .into_iter()
            .find(|class| is_true(class, "globalDefault"));
        match other {
            None => Ok(()),
            Some(other) => {
                let subject = Subject {
                    group: "scheduling.k8s.io",
                    kind: "priorityclasses",
                    name: text(&object["metadata"], "name"),
                };
                let why = format!("PriorityClass {} is already marked as globalDefault", other["metadata"]["name"]);
                Err(Failure::forbidden(subject, &why))
            }
        }
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let highest = 1_000_000_000;
        let system = text(&object["metadata"], "name").starts_with("system-");
        if !system && object["value"].as_i64().is_some_and(|value| value > highest) {
            problems.forbidden("value", &format!("maximum allowed value of a user defined priority is {highest}"));
        }
        let policy = text(object, "preemptionPolicy");
        if !matches!(policy, "PreemptLowerPriority" | "Never") {
            problems.unsupported("preemptionPolicy", policy, &["Never", "PreemptLowerPriority"]);
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        if new["value"] != old["value"] {
            problems.forbidden("value", "may not be changed in an update.");
        }
        if new["preemptionPolicy"] != old["preemptionPolicy"] {
            problems.invalid("preemptionPolicy", &new["preemptionPolicy"], "field is immutable");
        }
    }
}

/// The rules of apiextensions.k8s.io/v1 CustomResourceDefinitions.
pub struct Definitions;

impl Rules for Definitions {
    fn create(&self, object: &mut Value) {
        custom::accept(object);
    }

    fn update(&self, new: &mut Value, _old: &Value) {
        custom::accept(new);
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        custom::check(object, problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        if new["spec"]["scope"] != old["spec"]["scope"] {
            problems.invalid("spec.scope", &new["spec"]["scope"], "field is immutable");
        }
    }
}

/// The rules of events, in the stored core/v1 form.
pub struct Events;

impl Rules for Events {
    fn default(&self, object: &mut Value) {
        set_default(object, "involvedObject", json!({}));
        for member in ["source", "reportingComponent", "reportingInstance"] {
            set_default(object, member, if member == "source" { json!({}) } else { json!("") });
        }
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let (namespace, involved) =
            (text(&object["metadata"], "namespace"), text(&object["involvedObject"], "namespace"));
        let fits =
            if involved.is_empty() { matches!(namespace, "default" | "kube-system") } else { involved == namespace };
        if !fits {
            problems.invalid("involvedObject.namespace", &involved.into(), "does not match event.namespace");
        }
    }
}

/// The rules of core/v1 LimitRanges.
pub struct LimitRanges;

impl Rules for LimitRanges {
    fn default(&self, object: &mut Value) {
        items_mut(&mut object["spec"], "limits").for_each(pods::default_item);
    }
}

/// The rules of core/v1 Secrets. The server merges `stringData` into `data`.
pub struct Secrets;

impl Rules for Secrets {
    fn default(&self, object: &mut Value) {
        set_default(object, "type", "Opaque");
        let Some(members) = object.as_object_mut() else { return };
        let Some(Value::Object(texts)) = members.remove("stringData") else { return };
        if let Some(data) = object_mut(object, "data") {
            for (name, value) in texts {
                data.insert(name, BASE64_STANDARD.encode(value.as_str().unwrap_or_default()).into());
            }
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        if new["type"] != old["type"] {
            problems.invalid("type", &new["type"], "field is immutable");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_data_is_merged_into_data() {
        let mut secret = json!({"stringData": {"k": "abc"}});
        Secrets.default(&mut secret);
        assert_eq!(secret, json!({"type": "Opaque", "data": {"k": "YWJj"}}));
    }

    #[test]
    fn duplicate_taints_are_rejected() {
        let taint = json!({"key": "a", "effect": "NoSchedule"});
        let mut problems = Problems::default();
        Nodes.check(&json!({"spec": {"taints": [taint, taint]}}), &mut problems);
        assert!(!problems.is_empty());
    }
}
