//! Determines which objects a controller manages: the objects with a controller reference to it, minus those that its
//! selector no longer matches (they are released), plus matching objects without a controller (they are adopted).

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

/// Returns the claimant's objects, and the writes that adopt and release objects.
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
