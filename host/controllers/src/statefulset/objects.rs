//! Builds a StatefulSet's objects: pods with an identity, and claims that outlive their pod.

use serde_json::{Value, json};

use super::super::metadata;
use super::super::template;
use super::{REVISION, Set};

const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// Returns the name of the pod with this ordinal.
fn pod_name(set: &Set<'_>, ordinal: i32) -> String {
    format!("{}-{ordinal}", metadata::name(set.meta))
}

/// Returns the pod with this ordinal. The ordinal determines the pod's name, labels, hostname and volume claims.
pub fn pod(set: &Set<'_>, ordinal: i32) -> Value {
    let name = pod_name(set, ordinal);
    let mut pod = template::pod(&set.spec.template, &set.reference);
    pod["metadata"]["name"] = json!(name);
    pod["metadata"]["labels"][POD_NAME] = json!(name);
    pod["metadata"]["labels"][POD_INDEX] = json!(ordinal.to_string());
    pod["metadata"]["labels"][REVISION] = json!(set.revision);
    pod["spec"]["hostname"] = json!(name);
    if let Some(service) = &set.spec.service_name {
        pod["spec"]["subdomain"] = json!(service);
    }
    let templates = set.spec.volume_claim_templates.iter().flatten().map(|claim| metadata::name(&claim.metadata));
    let claimed: Vec<Value> = templates
        .map(|volume| json!({ "name": volume, "persistentVolumeClaim": { "claimName": format!("{volume}-{name}") } }))
        .collect();
    let is_claimed = |volume: &Value| claimed.iter().any(|claim| claim["name"] == volume["name"]);
    let mut volumes = pod["spec"]["volumes"].as_array().cloned().unwrap_or_default();
    volumes.retain(|volume| !is_claimed(volume));
    volumes.extend(claimed);
    pod["spec"]["volumes"] = json!(volumes);
    pod
}

/// Returns the claims of the pod with this ordinal, with their names.
pub fn claims(set: &Set<'_>, ordinal: i32) -> Vec<(String, Value)> {
    let policy = set.spec.persistent_volume_claim_retention_policy.as_ref();
    let owned = policy.and_then(|policy| policy.when_deleted.as_deref()) == Some("Delete");
    let make = |template: &k8s_openapi::api::core::v1::PersistentVolumeClaim| {
        let name = format!("{}-{}", metadata::name(&template.metadata), pod_name(set, ordinal));
        let mut labels = template.metadata.labels.clone().unwrap_or_default();
        labels.extend(set.spec.selector.match_labels.clone().unwrap_or_default());
        let mut claim = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": { "name": name, "labels": labels, "annotations": template.metadata.annotations },
            "spec": template.spec,
        });
        if owned {
            claim["metadata"]["ownerReferences"] = json!([set.reference]);
        }
        (name, claim)
    };
    set.spec.volume_claim_templates.iter().flatten().map(make).collect()
}
