//! Which objects belong to a controller: those that name it as their controller, less those that its selector no
//! longer matches, plus those that it matches and nobody controls.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use kube::core::{ObjectMeta, Resource};
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::Typed;
use super::metadata;
use super::selector;
use super::write::Write;

/// The one that claims.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// Its metadata.
    pub meta: &'a ObjectMeta,
    /// Its `spec.selector`.
    pub selector: &'a LabelSelector,
    /// The reference that its objects carry.
    pub reference: &'a OwnerReference,
}

/// The claimant's objects, and the writes by which it adopts some and releases others.
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
