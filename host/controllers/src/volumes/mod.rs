//! Volumes: binds claims to existing or new volumes, and releases volumes after their claims.
//!
//! Binding takes four writes, and each write causes the next: the volume refers to the claim, the volume is Bound,
//! the claim names the volume, the claim is Bound. A scheduler that chooses a volume makes the first write. A
//! scheduler that leaves the choice to the provisioner sets the node in the claim's annotation.

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

/// The annotation of claims with the node that the scheduler chose for the pod.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The annotation of claims whose binding is complete: the volume refers to the claim, and the claim names the volume.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The annotation of claims and volumes whose binding the controller chose, not a user.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// The annotation of provisioned volumes with the name of the provisioner.
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// The annotation of the default storage class.
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";
/// The deprecated annotation with the storage class of a claim or volume.
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// The provisioner that provisions no volumes.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Returns the name of the claim's storage class; empty if the claim names none.
pub fn class_name(claim: &PersistentVolumeClaim) -> &str {
    let named = claim.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref());
    metadata::annotation(&claim.metadata, BETA_CLASS).or(named).unwrap_or_default()
}

/// Returns the claim's storage class, if it exists.
fn class<'a>(cluster: &'a Cluster, claim: &PersistentVolumeClaim) -> Option<&'a StorageClass> {
    cluster.get::<StorageClass>(&Key::new("", class_name(claim)))
}

/// Returns true if the binding of volumes of the class waits until the scheduler has chosen a node.
fn waits_for_consumer(class: &StorageClass) -> bool {
    class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer")
}

/// Returns the key of the claim that a `claimRef` names.
pub fn claim_key(reference: &ObjectReference) -> Key {
    Key::new(reference.namespace.as_deref().unwrap_or_default(), reference.name.as_deref().unwrap_or_default())
}

/// Returns true if a `claimRef` refers to this claim. A reference without a UID refers to any claim with the name.
fn refers_to(reference: &ObjectReference, claim: &PersistentVolumeClaim) -> bool {
    let uid = reference.uid.as_deref().unwrap_or_default();
    claim_key(reference) == Key::of(&claim.metadata) && (uid.is_empty() || uid == metadata::uid(&claim.metadata))
}
