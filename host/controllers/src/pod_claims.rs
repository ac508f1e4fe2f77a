//! Creates the claims of a pod: resource claims from its claim templates, and volume claims for its ephemeral
//! volumes.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PodResourceClaim};
use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimTemplate};
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::pod::Pod;
use super::write::{Plan, Write, owner_reference};

/// The annotation of a claim that is made from a template. The value is the `name` of the entry in the pod's
/// `spec.resourceClaims`.
pub const POD_CLAIM_NAME: &str = "resource.kubernetes.io/pod-claim-name";

/// Returns true if the pod is active and names claim templates, or has ephemeral volumes.
pub fn concerns(pod: &Pod) -> bool {
    let templated = pod.spec.resource_claims.iter().any(|claim| claim.resource_claim_template_name.is_some());
    pod.active() && (templated || pod.spec.volumes.iter().any(|volume| volume.ephemeral.is_some()))
}

/// Returns the plan for the pod with this key.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(pod) = cluster.get::<Pod>(key).filter(|pod| pod.active()) else { return Plan::none() };
    Plan::of(resource_claims(cluster, pod).into_iter().chain(volume_claims(cluster, pod)))
}

/// Creates missing resource claims, and records existing ones in the pod's status.
fn resource_claims(cluster: &Cluster, pod: &Pod) -> Vec<Write> {
    let mut writes = Vec::new();
    let mut found = Vec::new();
    for claim in &pod.spec.resource_claims {
        let Some(template) = &claim.resource_claim_template_name else { continue };
        if pod.status.resource_claim_statuses.iter().any(|status| status.name == claim.name) {
            continue;
        }
        let mut owned = cluster.controlled::<ResourceClaim>(metadata::uid(&pod.metadata));
        match owned
            .find(|claim_object| metadata::annotation(&claim_object.metadata, POD_CLAIM_NAME) == Some(&claim.name))
        {
            Some(claim_object) => {
                found.push(json!({ "name": claim.name, "resourceClaimName": claim_object.metadata.name }))
            }
            None => writes.extend(create(cluster, pod, claim, template)),
        }
    }
    if !found.is_empty() {
        let status = json!({ "resourceClaimStatuses": found });
        writes.push(Write::status_merged(Kind::Pod, &pod.metadata, status));
    }
    writes
}

fn create(cluster: &Cluster, pod: &Pod, claim: &PodResourceClaim, template: &str) -> Option<Write> {
    let namespace = metadata::namespace(&pod.metadata);
    let template = &cluster.get::<ResourceClaimTemplate>(&Key::new(namespace, template))?.spec;
    let meta = template.metadata.clone().unwrap_or_default();
    let mut annotations = meta.annotations.unwrap_or_default();
    annotations.insert(POD_CLAIM_NAME.to_owned(), claim.name.clone());
    let body = json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "generateName": format!("{}-{}-", metadata::name(&pod.metadata), claim.name),
            "labels": meta.labels,
            "annotations": annotations,
            "ownerReferences": [owner_reference("v1", Kind::Pod, &pod.metadata)],
        },
        "spec": template.spec,
    });
    Some(Write::create(Kind::ResourceClaim, namespace, body))
}

/// Creates the volume claims of ephemeral volumes. An existing claim with the same name stays unchanged, even if the
/// pod does not own the claim.
fn volume_claims(cluster: &Cluster, pod: &Pod) -> Vec<Write> {
    let namespace = metadata::namespace(&pod.metadata);
    let mut writes = Vec::new();
    for volume in &pod.spec.volumes {
        let template = volume.ephemeral.as_ref().and_then(|source| source.volume_claim_template.as_ref());
        let name = pod.ephemeral_claim(&volume.name);
        let missing = cluster.get::<PersistentVolumeClaim>(&Key::new(namespace, &name)).is_none();
        if let Some(template) = template.filter(|_| missing) {
            let meta = template.metadata.clone().unwrap_or_default();
            let body = json!({
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": name,
                    "labels": meta.labels,
                    "annotations": meta.annotations,
                    "ownerReferences": [owner_reference("v1", Kind::Pod, &pod.metadata)],
                },
                "spec": template.spec,
            });
            writes.push(Write::create(Kind::PersistentVolumeClaim, namespace, body));
        }
    }
    writes
}
