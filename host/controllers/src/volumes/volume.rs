//! The PersistentVolume controller: maintains the phase of volumes, and deletes released volumes.

use k8s_openapi::api::core::v1::{ObjectReference, PersistentVolume, PersistentVolumeClaim};
use serde_json::json;

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::metadata::{self, Key};
use super::super::write::{Guard, Plan, Write};
use super::{BOUND_BY_CONTROLLER, claim_key};

/// The finalizer that keeps a volume while the volume's phase is Bound.
const PROTECTION: &str = "kubernetes.io/pv-protection";

/// Returns the plan for the volume with this key.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(volume) = cluster.get::<PersistentVolume>(key) else { return Plan::none() };
    Plan::of(next(cluster, volume))
}

fn next(cluster: &Cluster, volume: &PersistentVolume) -> Option<Write> {
    let meta = &volume.metadata;
    let phase = volume.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default();
    if metadata::deleting(meta) && phase != "Bound" && metadata::has_finalizer(meta, PROTECTION) {
        return Some(Write::release(Kind::PersistentVolume, meta, PROTECTION));
    }
    let Some(reference) = volume.spec.as_ref().and_then(|spec| spec.claim_ref.as_ref()) else {
        return enter(volume, "Available");
    };
    let uid = reference.uid.as_deref().unwrap_or_default();
    if uid.is_empty() {
        return enter(volume, "Available");
    }
    match cluster.get::<PersistentVolumeClaim>(&claim_key(reference)) {
        Some(claim) if metadata::uid(&claim.metadata) == uid => bound(volume, claim),
        _ => released(cluster, volume, reference, uid),
    }
}

/// Returns the write that sets the phase; `None` if the volume has this phase.
fn enter(volume: &PersistentVolume, phase: &str) -> Option<Write> {
    let current = volume.status.as_ref().and_then(|status| status.phase.as_deref());
    (current != Some(phase)).then(|| Write::status(Kind::PersistentVolume, &volume.metadata, json!({ "phase": phase })))
}

/// Returns the next write for a volume whose claim exists: phase Bound, or the unbinding if the claim names another
/// volume.
fn bound(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Option<Write> {
    let chosen = claim.spec.as_ref().and_then(|spec| spec.volume_name.as_deref()).unwrap_or_default();
    if chosen.is_empty() || chosen == metadata::name(&volume.metadata) {
        return enter(volume, "Bound");
    }
    let ours = metadata::annotation(&volume.metadata, BOUND_BY_CONTROLLER).is_some();
    let body = if ours {
        json!({ "metadata": { "annotations": { BOUND_BY_CONTROLLER: null } }, "spec": { "claimRef": null } })
    } else {
        json!({ "spec": { "claimRef": { "uid": null, "resourceVersion": null } } })
    };
    Some(Write::merge_exact(Kind::PersistentVolume, &volume.metadata, body))
}

/// Returns the next write for a volume whose claim is gone: phase Released, then the deletion if the reclaim policy
/// is `Delete`.
fn released(cluster: &Cluster, volume: &PersistentVolume, reference: &ObjectReference, uid: &str) -> Option<Write> {
    let delete =
        volume.spec.as_ref().and_then(|spec| spec.persistent_volume_reclaim_policy.as_deref()) == Some("Delete");
    match volume.status.as_ref().and_then(|status| status.phase.as_deref()) {
        Some("Released" | "Failed") if delete && !metadata::deleting(&volume.metadata) => {
            Some(Write::delete(Kind::PersistentVolume, &volume.metadata))
        }
        Some("Released" | "Failed") => None,
        _ => {
            // The cluster state may lack a new claim, so ask the API server before the write.
            let claim = Guard::Object(Kind::PersistentVolumeClaim, claim_key(reference), Some(uid.to_owned()));
            let unsure = (!cluster.is_gone(uid)).then_some(claim);
            enter(volume, "Released").map(|write| write.unless(unsure))
        }
    }
}
