//! Volumes: claims get a volume, which exists already or is made, and volumes go with their claims.
//!
//! A claim and a volume are bound in four writes, each of which is the next look's reason: the volume names the claim,
//! the volume is Bound, the claim names the volume, the claim is Bound. A scheduler that chooses a volume itself makes
//! the first of them; one that leaves it to the provisioner names the node in the claim's annotation.

pub mod claim;
mod index;
mod matching;
mod provision;
pub mod volume;

use k8s_openapi::api::core::v1::{ObjectReference, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::StorageClass;

use super::cluster::Cluster;
use super::metadata::{self, Key};

pub use index::VolumeIndex;

/// On claims: the node that the scheduler chose for the pod.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// On claims: claim and volume name each other.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// On claims and volumes: the binding was chosen by the controller, not by a user.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// On volumes: made for a claim, by this provisioner.
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// On classes: the one of claims that name none.
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";
/// The annotation that named a claim's or volume's class before the field did.
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// A provisioner that provisions nothing.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// The name of the claim's class, empty where it wants none.
pub fn class_name(claim: &PersistentVolumeClaim) -> &str {
    let named = claim.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref());
    metadata::annotation(&claim.metadata, BETA_CLASS).or(named).unwrap_or_default()
}

/// The claim's class, if it exists.
fn class<'a>(cluster: &'a Cluster, claim: &PersistentVolumeClaim) -> Option<&'a StorageClass> {
    cluster.get::<StorageClass>(&Key::new("", class_name(claim)))
}

/// Whether volumes of the class wait for the scheduler's word.
fn waits_for_consumer(class: &StorageClass) -> bool {
    class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer")
}

/// The key of the claim that a `claimRef` names.
pub fn claim_key(reference: &ObjectReference) -> Key {
    Key::new(reference.namespace.as_deref().unwrap_or_default(), reference.name.as_deref().unwrap_or_default())
}

/// Whether a `claimRef` means this very claim; one without a uid means any of the name.
fn refers_to(reference: &ObjectReference, claim: &PersistentVolumeClaim) -> bool {
    let uid = reference.uid.as_deref().unwrap_or_default();
    claim_key(reference) == Key::of(&claim.metadata) && (uid.is_empty() || uid == metadata::uid(&claim.metadata))
}
