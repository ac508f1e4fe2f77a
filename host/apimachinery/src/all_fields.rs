//! The paths of all fields of a kind, for captures that keep more than plugins read.

use std::collections::BTreeSet;

use berth_core::model::ObjectKind;

use crate::schema::{self, Shape, Type};

/// The fields that are left out, because they often contain passwords (`env`, `envFrom`), repeat the whole object
/// (`annotations`, where kubectl keeps the last applied configuration), or are of no use to a scheduler (`managedFields`).
const LEFT_OUT: [&str; 4] = ["env", "envFrom", "annotations", "managedFields"];

/// The deepest path. No field of a pod that is left out is deeper.
const DEEPEST: usize = 8;

/// The fields of a kind that is not built in.
const USUAL: [&str; 5] =
    ["metadata.labels", "metadata.ownerReferences", "metadata.creationTimestamp", "spec", "status"];

/// Returns paths that together cover the fields of a kind, in the syntax of [`crate::fields::FieldPath`]. Environment
/// variables, annotations and managedFields are left out, and so is everything of a Secret. For a kind that is not built
/// in, the paths cover `spec`, `status`, and the usual metadata.
#[must_use]
pub fn all_fields(kind: &ObjectKind) -> BTreeSet<Box<str>> {
    let (group, version) = kind.api_version.rsplit_once('/').unwrap_or(("", &kind.api_version));
    if group.is_empty() && &*kind.kind == "Secret" {
        return BTreeSet::new();
    }
    let Some(of_kind) = schema::type_named(&schema::name_of(group, version, &kind.kind)) else {
        return USUAL.into_iter().map(Box::from).collect();
    };
    let mut paths = BTreeSet::new();
    add(of_kind, "", 0, &mut paths);
    paths
}

/// Adds the paths of the fields of a type. A field with a part that is left out is taken apart.
fn add(of_type: &Type, prefix: &str, depth: usize, paths: &mut BTreeSet<Box<str>>) {
    let is_type = |name: &str| prefix.is_empty() && matches!(name, "apiVersion" | "kind");
    for field in of_type.fields.iter().filter(|field| !LEFT_OUT.contains(&field.name) && !is_type(field.name)) {
        let path = if prefix.is_empty() { field.name.to_owned() } else { format!("{prefix}.{}", field.name) };
        match object(&field.shape) {
            Some(inner) if has_left_out(inner, depth + 1) => add(inner, &path, depth + 1, paths),
            _ => drop(paths.insert(path.into())),
        }
    }
}

/// Returns whether a field of the type, or of a type in it, is left out.
fn has_left_out(of_type: &Type, depth: usize) -> bool {
    let is_or_has = |field: &schema::Field| {
        LEFT_OUT.contains(&field.name) || object(&field.shape).is_some_and(|inner| has_left_out(inner, depth + 1))
    };
    depth < DEEPEST && of_type.fields.iter().any(is_or_has)
}

/// Returns the type of an object, or of the objects in a list. A path can't name the values of a map.
fn object(shape: &Shape) -> Option<&'static Type> {
    match shape {
        Shape::Object(name) => schema::type_named(name),
        Shape::List(inner) => object(inner),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fields::{FieldPath, pruned};

    fn kept(api_version: &str, kind: &str, object: &Value) -> Value {
        let kind = ObjectKind { api_version: api_version.into(), kind: kind.into() };
        let paths = all_fields(&kind);
        let parsed: Vec<FieldPath> = paths.iter().map(|path| FieldPath::parse(path).expect("a path")).collect();
        pruned(object, &parsed)
    }

    #[test]
    fn everything_but_environment_variables_and_annotations_of_a_pod_is_kept() {
        let container = json!({"name": "c", "image": "i", "args": ["a"], "livenessProbe": {"periodSeconds": 3}});
        let mut secret = container.clone();
        secret["env"] = json!([{"name": "PASSWORD", "value": "secret"}]);
        secret["envFrom"] = json!([{"secretRef": {"name": "secret"}}]);
        let pod = |container: &Value| {
            json!({
                "metadata": {"name": "p", "labels": {"a": "b"}, "finalizers": ["f"]},
                "spec": {"containers": [container], "initContainers": [container], "ephemeralContainers": [container],
                         "priorityClassName": "high", "activeDeadlineSeconds": 7, "nodeSelector": {"env": "test"}},
                "status": {"qosClass": "Burstable", "conditions": [{"type": "Ready", "status": "True"}]},
            })
        };
        let mut whole = pod(&secret);
        whole["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "secret"});
        whole["metadata"]["managedFields"] = json!([{"manager": "m"}]);
        assert_eq!(kept("v1", "Pod", &whole), pod(&container));
    }

    #[test]
    fn all_fields_of_other_kinds_are_kept() {
        let class = json!({"metadata": {"name": "c"}, "provisioner": "p", "parameters": {"a": "b"}});
        assert_eq!(kept("storage.k8s.io/v1", "StorageClass", &class), class);
        let custom = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}, "status": {"y": 2}});
        assert_eq!(kept("example.com/v1", "Quota", &custom), custom);
        let secret = json!({"metadata": {"name": "s"}, "data": {"password": "c2VjcmV0"}});
        assert_eq!(kept("v1", "Secret", &secret), json!({}));
    }
}
