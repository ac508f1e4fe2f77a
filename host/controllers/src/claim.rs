//! Determines which objects a controller manages: the objects whose controller reference names the controller and that
//! the controller's selector matches. Objects that the selector no longer matches are released. Matching objects
//! without a controller are adopted, and are managed after the adoption.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use kube::core::{ObjectMeta, Resource};
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::Typed;
use super::metadata;
use super::selector;
use super::write::Write;

/// A controller that claims objects.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// The controller's metadata.
    pub meta: &'a ObjectMeta,
    /// The controller's `spec.selector`.
    pub selector: &'a LabelSelector,
    /// The owner reference for the controller's objects.
    pub reference: &'a OwnerReference,
}

/// Returns the objects that the claimant manages, and the writes that adopt and release objects. A claimant that is
/// being deleted adopts and releases no objects.
pub fn claim<'a, K: Typed + Resource + 'a>(cluster: &'a Cluster, claimant: Claimant<'_>) -> (Vec<&'a K>, Vec<Write>) {
    let uid = metadata::uid(claimant.meta);
    let deleting = metadata::deleting(claimant.meta);
    let matching = |object: &K| selector::matches(Some(claimant.selector), object.meta());
    let mut writes = Vec::new();
    let mut claimed = Vec::new();
    for object in cluster.controlled::<K>(uid) {
        if matching(object) {
            claimed.push(object);
        } else if !deleting && !metadata::deleting(object.meta()) {
            let left: Vec<_> = metadata::owners(object.meta()).iter().filter(|owner| owner.uid != uid).collect();
            let body = json!({ "metadata": { "ownerReferences": left } });
            writes.push(Write::merge_exact(K::KIND, object.meta(), body));
        }
    }
    if !deleting && !selector::is_empty(claimant.selector) {
        let orphans = cluster.orphans::<K>(metadata::namespace(claimant.meta));
        for object in orphans.filter(|object| matching(object) && !metadata::deleting(object.meta())) {
            let mut owners = metadata::owners(object.meta()).to_vec();
            owners.push(claimant.reference.clone());
            let body = json!({ "metadata": { "ownerReferences": owners } });
            writes.push(Write::merge_exact(K::KIND, object.meta(), body));
        }
    }
    (claimed, writes)
}
