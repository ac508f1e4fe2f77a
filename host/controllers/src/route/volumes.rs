//! Maps changes of volumes, volume claims and storage classes to tasks.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};

use super::super::cluster::{Change, Cluster};
use super::super::controller::{Controller, Task};
use super::super::kinds::{Object, Typed};
use super::super::metadata::Key;
use super::super::volumes::{claim_key, class_name};

/// Adds the tasks of the volumes that a changed claim names, and of the volumes whose `claimRef` names the claim.
pub fn claim_changed(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    cluster.volumes().of_claim(&change.key).for_each(|key| add(Controller::Volume.task(key.clone())));
    for claim in [change.before.as_ref(), after].into_iter().flatten().filter_map(PersistentVolumeClaim::of) {
        let named = claim.spec.as_ref().and_then(|spec| spec.volume_name.as_deref());
        named.into_iter().for_each(|name| add(Controller::Volume.task(Key::new("", name))));
    }
}

/// Adds the tasks of the claims that a changed volume names. If the volume has become available, adds the tasks of all
/// unbound claims that name the volume or have the volume's class.
pub fn volume_changed(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    let before = change.before.as_ref().and_then(PersistentVolume::of);
    let after = after.and_then(PersistentVolume::of);
    for volume in [before, after].into_iter().flatten() {
        let reference = volume.spec.as_ref().and_then(|spec| spec.claim_ref.as_ref());
        reference.into_iter().for_each(|reference| add(Controller::VolumeClaim.task(claim_key(reference))));
    }
    let available = |volume: &&PersistentVolume| {
        volume.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Available")
    };
    let Some(volume) = after.filter(available).filter(|_| !before.is_some_and(|before| available(&before))) else {
        return;
    };
    let class = volume.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref()).unwrap_or_default();
    let named = format!("{}", change.key);
    for key in cluster.volumes().unbound() {
        let fits = |claim: &PersistentVolumeClaim| {
            let wanted = claim.spec.as_ref().and_then(|spec| spec.volume_name.as_deref());
            class_name(claim) == class || wanted == Some(&named)
        };
        if cluster.get::<PersistentVolumeClaim>(key).is_some_and(fits) {
            add(Controller::VolumeClaim.task(key.clone()));
        }
    }
}

/// Adds the tasks of all unbound claims, because any unbound claim may wait for a changed storage class.
pub fn class_changed(cluster: &Cluster, add: &mut impl FnMut(Task)) {
    cluster.volumes().unbound().for_each(|key| add(Controller::VolumeClaim.task(key.clone())));
}
