//! Finds the best volume for a claim.

use berth_quantity::Quantity;
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};

use super::super::cluster::Cluster;
use super::super::metadata::{self, Key};
use super::super::selector;
use super::class_name;

/// Returns the volume that refers to the claim, or else the smallest free volume that fits. If `waits` is true, free
/// volumes are excluded, because the scheduler has not chosen a node yet.
pub fn find<'a>(cluster: &'a Cluster, claim: &PersistentVolumeClaim, waits: bool) -> Option<&'a PersistentVolume> {
    let (volumes, key) = (cluster.volumes(), Key::of(&claim.metadata));
    let get = |key: &Key| cluster.get::<PersistentVolume>(key);
    let named = volumes.of_claim(&key).filter_map(get);
    let mut named = named.filter(|volume| {
        let reference = volume.spec.as_ref().and_then(|spec| spec.claim_ref.as_ref());
        reference.is_some_and(|reference| super::refers_to(reference, claim)) && fits(volume, claim)
    });
    if let Some(volume) = named.next() {
        return Some(volume);
    }
    let free = volumes.free(class_name(claim)).filter_map(get).filter(|_| !waits);
    let available = |volume: &&PersistentVolume| {
        volume.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Available")
            && claim
                .spec
                .as_ref()
                .and_then(|spec| spec.selector.as_ref())
                .is_none_or(|wanted| selector::matches(Some(wanted), &volume.metadata))
    };
    let fitting = free.filter(available).filter(|volume| fits(volume, claim));
    fitting.min_by_key(|volume| (capacity(volume), metadata::name(&volume.metadata)))
}

/// Returns true if the volume has the volume mode, all access modes and at least the size that the claim requests, and
/// is not being deleted.
pub fn fits(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let (Some(offered), Some(wanted)) = (&volume.spec, &claim.spec) else { return false };
    let mode = |mode: &Option<String>| mode.clone().unwrap_or_else(|| "Filesystem".to_owned());
    let modes = offered.access_modes.as_deref().unwrap_or_default();
    !metadata::deleting(&volume.metadata)
        && mode(&offered.volume_mode) == mode(&wanted.volume_mode)
        && wanted.access_modes.iter().flatten().all(|wanted| modes.contains(wanted))
        && capacity(volume) >= requested(claim)
}

fn capacity(volume: &PersistentVolume) -> Quantity {
    let capacity = volume.spec.as_ref().and_then(|spec| spec.capacity.as_ref()?.get("storage"));
    capacity.and_then(|text| text.0.parse().ok()).unwrap_or_default()
}

fn requested(claim: &PersistentVolumeClaim) -> Quantity {
    let requests = claim.spec.as_ref().and_then(|spec| spec.resources.as_ref()?.requests.as_ref());
    requests.and_then(|requests| requests.get("storage")?.0.parse().ok()).unwrap_or_default()
}
