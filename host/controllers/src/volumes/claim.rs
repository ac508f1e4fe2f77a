//! The PersistentVolumeClaim controller: binds claims to volumes.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::StorageClass;
use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::metadata::{self, Key};
use super::super::write::{Plan, Write};
use super::{
    BETA_CLASS, BIND_COMPLETED, BOUND_BY_CONTROLLER, DEFAULT_CLASS, SELECTED_NODE, class, matching, provision,
    refers_to, waits_for_consumer,
};

/// The finalizer that keeps a claim while a pod uses it.
const PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Returns the plan for the claim with this key.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(claim) = cluster.get::<PersistentVolumeClaim>(key) else { return Plan::none() };
    let meta = &claim.metadata;
    if metadata::deleting(meta) {
        let used = cluster.pods_of_claim(key).any(|(_, pod)| pod.node().is_some() && !pod.terminal());
        let free = metadata::has_finalizer(meta, PROTECTION) && !used;
        return Plan::of(free.then(|| Write::release(Kind::PersistentVolumeClaim, meta, PROTECTION)));
    }
    let write = match metadata::annotation(meta, BIND_COMPLETED) {
        Some(_) => keep(cluster, claim),
        None => bind(cluster, claim),
    };
    Plan::of(write)
}

fn volume_name(claim: &PersistentVolumeClaim) -> &str {
    claim.spec.as_ref().and_then(|spec| spec.volume_name.as_deref()).unwrap_or_default()
}

/// Maintains a bound claim: the claim's phase is Bound while the volume exists and refers to the claim, and Lost
/// otherwise.
fn keep(cluster: &Cluster, claim: &PersistentVolumeClaim) -> Option<Write> {
    let volume = cluster.get::<PersistentVolume>(&Key::new("", volume_name(claim)));
    let reference = volume.and_then(|volume| volume.spec.as_ref()?.claim_ref.as_ref());
    let wanted = match volume {
        Some(volume) if reference.is_some_and(|reference| refers_to(reference, claim)) => {
            let spec = volume.spec.clone().unwrap_or_default();
            json!({ "phase": "Bound", "accessModes": spec.access_modes, "capacity": spec.capacity })
        }
        _ => json!({ "phase": "Lost" }),
    };
    let current = claim.status.clone().unwrap_or_default();
    let sized = current.capacity.is_some() || wanted["capacity"].is_null();
    let same = current.phase.as_deref() == wanted["phase"].as_str() && sized;
    (!same).then(|| Write::status(Kind::PersistentVolumeClaim, &claim.metadata, wanted))
}

/// Returns the next step for an unbound claim.
fn bind(cluster: &Cluster, claim: &PersistentVolumeClaim) -> Option<Write> {
    let meta = &claim.metadata;
    if let Some(name) = default_class(cluster, claim) {
        let body = json!({ "spec": { "storageClassName": name } });
        return Some(Write::merge_exact(Kind::PersistentVolumeClaim, meta, body));
    }
    if !volume_name(claim).is_empty() {
        let volume = cluster.get::<PersistentVolume>(&Key::new("", volume_name(claim)))?;
        let reference = volume.spec.as_ref()?.claim_ref.as_ref();
        let free = reference.is_none_or(|reference| refers_to(reference, claim));
        return if free { bind_to(claim, volume).or_else(|| pending(claim)) } else { pending(claim) };
    }
    let class = class(cluster, claim);
    let waits = class.is_some_and(waits_for_consumer) && metadata::annotation(meta, SELECTED_NODE).is_none();
    if let Some(volume) = matching::find(cluster, claim, waits) {
        return bind_to(claim, volume);
    }
    let provisioned = class.filter(|_| !waits).and_then(|class| provision::provision(cluster, claim, class));
    provisioned.or_else(|| pending(claim))
}

fn pending(claim: &PersistentVolumeClaim) -> Option<Write> {
    let phase = claim.status.as_ref().and_then(|status| status.phase.as_deref());
    let pending = || Write::status(Kind::PersistentVolumeClaim, &claim.metadata, json!({ "phase": "Pending" }));
    (phase != Some("Pending")).then(pending)
}

/// Returns the default storage class for a claim that names no class.
fn default_class<'a>(cluster: &'a Cluster, claim: &PersistentVolumeClaim) -> Option<&'a str> {
    let has_class = claim.spec.as_ref().is_none_or(|spec| spec.storage_class_name.is_some());
    if has_class || metadata::annotation(&claim.metadata, BETA_CLASS).is_some() || !volume_name(claim).is_empty() {
        return None;
    }
    let defaults = cluster.all::<StorageClass>().map(|(_, class)| class);
    let defaults = defaults.filter(|class| metadata::annotation(&class.metadata, DEFAULT_CLASS) == Some("true"));
    // If several classes are the default, the newest class is used.
    let newest = defaults.max_by_key(|class| (class.metadata.creation_timestamp.clone(), class.metadata.name.clone()));
    newest.map(|class| metadata::name(&class.metadata))
}

/// Returns the next write that binds the claim and the volume: first the volume's `claimRef`, then the claim's
/// `volumeName`.
fn bind_to(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> Option<Write> {
    let reference = volume.spec.as_ref().and_then(|spec| spec.claim_ref.as_ref());
    let meant = reference.is_some_and(|reference| reference.uid == claim.metadata.uid);
    if !meant {
        let mut body = json!({ "spec": { "claimRef": provision::reference(claim) } });
        // The annotation marks a volume that the controller chose. A volume that a user reserved for the claim does
        // not get the annotation, so the reservation stays when the controller unbinds the volume.
        if reference.is_none() {
            body["metadata"] = json!({ "annotations": { BOUND_BY_CONTROLLER: "yes" } });
        }
        return Some(Write::merge_exact(Kind::PersistentVolume, &volume.metadata, body));
    }
    let mut annotations = json!({ BIND_COMPLETED: "yes" });
    let mut body = Value::Null;
    if volume_name(claim).is_empty() {
        annotations[BOUND_BY_CONTROLLER] = json!("yes");
        body = json!({ "spec": { "volumeName": volume.metadata.name } });
    }
    body["metadata"] = json!({ "annotations": annotations });
    Some(Write::merge_exact(Kind::PersistentVolumeClaim, &claim.metadata, body))
}
