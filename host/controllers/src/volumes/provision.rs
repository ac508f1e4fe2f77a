//! Provisions a volume for a claim, in place of the class's provisioner.

use k8s_openapi::api::core::v1::{NodeSelectorRequirement, NodeSelectorTerm, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::StorageClass;
use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::metadata::{self, Key};
use super::super::node::Node;
use super::super::write::Write;
use super::{BOUND_BY_CONTROLLER, NO_PROVISIONER, PROVISIONED_BY, SELECTED_NODE, class_name};

const HOSTNAME: &str = "kubernetes.io/hostname";

/// Returns the write that creates the claim's volume; `None` if the class has no provisioner. If the selected node is
/// gone, returns the write that removes the annotation with the node, so that the scheduler chooses again.
pub fn provision(cluster: &Cluster, claim: &PersistentVolumeClaim, class: &StorageClass) -> Option<Write> {
    if class.provisioner == NO_PROVISIONER {
        return None;
    }
    let node = match metadata::annotation(&claim.metadata, SELECTED_NODE) {
        None => None,
        Some(name) => match cluster.get::<Node>(&Key::new("", name)) {
            Some(node) => Some(node),
            None => {
                let body = json!({ "metadata": { "annotations": { SELECTED_NODE: null } } });
                return Some(Write::merge_exact(Kind::PersistentVolumeClaim, &claim.metadata, body));
            }
        },
    };
    Some(Write::create(Kind::PersistentVolume, "", volume(claim, class, node)))
}

fn volume(claim: &PersistentVolumeClaim, class: &StorageClass, node: Option<&Node>) -> Value {
    let spec = claim.spec.clone().unwrap_or_default();
    let name = format!("pvc-{}", metadata::uid(&claim.metadata));
    let size = spec.resources.and_then(|resources| resources.requests?.get("storage").cloned());
    let mut volume = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": name,
            "annotations": { PROVISIONED_BY: class.provisioner, BOUND_BY_CONTROLLER: "yes" },
        },
        "spec": {
            "capacity": { "storage": size },
            "accessModes": spec.access_modes,
            "volumeMode": spec.volume_mode.unwrap_or_else(|| "Filesystem".to_owned()),
            "storageClassName": class_name(claim),
            "persistentVolumeReclaimPolicy": class.reclaim_policy.as_deref().unwrap_or("Delete"),
            "mountOptions": class.mount_options,
            "claimRef": reference(claim),
        },
    });
    // The name of an in-tree provisioner is not a CSI driver name. Any volume source works, because nothing is
    // mounted.
    if class.provisioner.contains('/') && class.provisioner.starts_with("kubernetes.io/") {
        volume["spec"]["hostPath"] = json!({ "path": format!("/var/lib/volumes/{name}") });
    } else {
        volume["spec"]["csi"] = json!({ "driver": class.provisioner.replace('/', "."), "volumeHandle": name });
    }
    let terms = terms(class, node);
    if !terms.is_empty() {
        volume["spec"]["nodeAffinity"] = json!({ "required": { "nodeSelectorTerms": terms } });
    }
    volume
}

/// Returns a `claimRef` for this claim, with the claim's UID.
pub fn reference(claim: &PersistentVolumeClaim) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.metadata.namespace,
        "name": claim.metadata.name,
        "uid": claim.metadata.uid,
        "resourceVersion": claim.metadata.resource_version,
    })
}

/// Returns the node affinity of the volume: the selected node, or else the class's allowed topologies. An empty list
/// means no restriction.
fn terms(class: &StorageClass, node: Option<&Node>) -> Vec<NodeSelectorTerm> {
    let within = |key: &str, values: Vec<String>| NodeSelectorRequirement {
        key: key.to_owned(),
        operator: "In".to_owned(),
        values: Some(values),
    };
    if let Some(node) = node {
        let label = metadata::label(&node.metadata, HOSTNAME);
        return vec![match label {
            Some(host) => NodeSelectorTerm {
                match_expressions: Some(vec![within(HOSTNAME, vec![host.to_owned()])]),
                match_fields: None,
            },
            None => NodeSelectorTerm {
                match_expressions: None,
                match_fields: Some(vec![within("metadata.name", vec![metadata::name(&node.metadata).to_owned()])]),
            },
        }];
    }
    let allowed = class.allowed_topologies.iter().flatten().filter_map(|term| term.match_label_expressions.as_ref());
    let term = |labels: &Vec<k8s_openapi::api::core::v1::TopologySelectorLabelRequirement>| NodeSelectorTerm {
        match_expressions: Some(labels.iter().map(|one| within(&one.key, one.values.clone())).collect()),
        match_fields: None,
    };
    allowed.map(term).collect()
}
