//! The empty object of a kind, with which a new object is compared.
//!
//! kube-apiserver compares a new object with the empty Go struct of its kind. Fields that Go always writes are in the
//! empty struct. The creator of an object therefore does not own `spec` itself, only the fields in it.

use berth_apimachinery::schema::{self, Shape, Type};
use serde_json::{Map, Value, json};

use crate::resource::{Resource, Source};

/// The fields of a type that are structs in Go and not pointers, in addition to `metadata`, `spec` and `status`. Only
/// types that such fields lead to, from the object down, are listed.
const STRUCTS: [(&str, &[&str]); 20] = [
    ("apps.v1.DaemonSetSpec", &["template", "updateStrategy"]),
    ("apps.v1.DeploymentSpec", &["strategy", "template"]),
    ("apps.v1.ReplicaSetSpec", &["template"]),
    ("apps.v1.StatefulSetSpec", &["template", "updateStrategy"]),
    ("apiextensions.v1.CustomResourceDefinitionSpec", &["names"]),
    ("apiextensions.v1.CustomResourceDefinitionStatus", &["acceptedNames"]),
    ("batch.v1.CronJobSpec", &["jobTemplate"]),
    ("batch.v1.JobSpec", &["template"]),
    ("core.v1.Event", &["involvedObject", "source"]),
    ("core.v1.NodeDaemonEndpoints", &["kubeletEndpoint"]),
    ("core.v1.NodeStatus", &["daemonEndpoints", "nodeInfo"]),
    ("core.v1.PersistentVolumeClaimSpec", &["resources"]),
    ("core.v1.PodTemplate", &["template"]),
    ("core.v1.ServiceStatus", &["loadBalancer"]),
    ("networking.v1.IngressStatus", &["loadBalancer"]),
    ("rbac.v1.ClusterRoleBinding", &["roleRef"]),
    ("rbac.v1.RoleBinding", &["roleRef"]),
    ("resource.v1.ResourceClaimSpec", &["devices"]),
    ("resource.v1.ResourceSliceSpec", &["pool"]),
    ("storage.v1.VolumeAttachmentSpec", &["source"]),
];

/// The fields that are structs in Go wherever they occur.
const ALWAYS: [&str; 3] = ["metadata", "spec", "status"];

/// Returns the empty object of a resource. A custom resource has no Go struct, so its empty object has no fields.
pub fn object(resource: &Resource) -> Value {
    match &resource.source {
        Source::Custom(_) => json!({}),
        Source::BuiltIn(_) => {
            let name = resource.type_name();
            schema::type_named(&name).map_or_else(|| json!({}), |found| empty(&name, found))
        }
    }
}

fn empty(name: &str, found: &Type) -> Value {
    let structs = STRUCTS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, fields)| fields);
    let mut members = Map::new();
    for field in &found.fields {
        let value = match &field.shape {
            Shape::Object(inner) if structs.contains(&field.name) || ALWAYS.contains(&field.name) => {
                // The struct of metadata has no field that is always written.
                schema::type_named(inner).map_or_else(|| json!({}), |found| empty(inner, found))
            }
            _ if !field.required => continue,
            Shape::Text => json!(""),
            Shape::Bool => json!(false),
            Shape::Int | Shape::Long | Shape::Number => json!(0),
            _ => Value::Null,
        };
        members.insert(field.name.to_owned(), value);
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_fields_exist() {
        for (name, fields) in STRUCTS {
            let found = schema::type_named(name).unwrap_or_else(|| panic!("{name}"));
            for field in fields {
                let shape = found.field(field).map(|field| &field.shape);
                assert!(matches!(shape, Some(Shape::Object(_))), "{name}.{field}");
            }
        }
    }

    #[test]
    fn an_empty_deployment_has_what_go_writes() {
        let found = schema::type_named("apps.v1.Deployment").unwrap();
        assert_eq!(
            empty("apps.v1.Deployment", found),
            json!({"metadata": {}, "status": {}, "spec": {"selector": null, "strategy": {},
                "template": {"metadata": {}, "spec": {"containers": null}}}})
        );
    }
}
