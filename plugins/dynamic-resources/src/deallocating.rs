//! Deallocates claims that keep a pod unschedulable, and undoes changes for a pod that was not bound.

use std::rc::Rc;

use berth_guest::intents::Intent;
use berth_guest::lifecycle::Reserved;
use berth_guest::post_filter::{PostFilter, PostFilterResult, Rejected};
use berth_guest::prelude::*;
use serde_json::{Value, json};

use crate::claims::PreparedPod;
use crate::cluster::Cluster;
use crate::filtering::pre_filter;
use crate::known_claim::KnownClaim;
use crate::reserving::{FINALIZER, State, claim_reference, reference};

/// Runs if the pod fits no node. Deallocates a claim of the pod that is unavailable on some node and that no other
/// pod uses. Otherwise deletes a claim that an earlier attempt created for extended resources.
pub fn post_filter(_: &mut Rejected<'_>, pod: &PreparedPod, cluster: &Cluster, cycle: &Cycle) -> PostFilter {
    let unschedulable = |reason: &str, intents| {
        let result = PostFilterResult::Unschedulable { reasons: vec![reason.to_owned()], clear: false };
        PostFilter::from(result).with_intents(intents)
    };
    // A pod that this plugin's pre-filter rejects needs no further check.
    if pod.is_empty(cluster) || pre_filter(pod, cluster).is_err() {
        return unschedulable("no new claims to deallocate", Vec::new());
    }
    if let Some(known) = deallocatable(pod, cluster, cycle) {
        return unschedulable("deallocation of ResourceClaim completed", vec![deallocated(&known)]);
    }
    if let Some(known) = pod.left_over(cluster) {
        return unschedulable("deletion of ResourceClaim completed", deleted(&known.namespace, &known.name));
    }
    unschedulable("still not schedulable", Vec::new())
}

/// Returns one of the pod's unavailable claims without other users, starting at a random position.
fn deallocatable(pod: &PreparedPod, cluster: &Cluster, cycle: &Cycle) -> Option<Rc<KnownClaim>> {
    let claims = pod.claims(cluster).ok()?;
    let unavailable = cluster.unavailable_in(cycle.id);
    let unavailable: Vec<_> = unavailable.into_iter().filter_map(|at| claims.get(at)).collect();
    let start = usize::try_from(cycle.seed % (unavailable.len().max(1) as u64)).unwrap_or(0);
    let mut candidates = unavailable.iter().cycle().skip(start).take(unavailable.len());
    candidates
        .find(|known| known.claim.status.reserved_for.iter().all(|user| user.uid == pod.uid))
        .map(|known| (*known).clone())
}

fn deallocated(known: &KnownClaim) -> Intent {
    let cleared = json!({ "allocation": null, "reservedFor": null, "devices": null });
    let patch = json!({ "metadata": { "resourceVersion": known.claim.metadata.resource_version }, "status": cleared });
    Intent::patch_status(reference(known), patch.to_string())
}

/// Returns the intents that delete a claim created by this plugin. The finalizer must be removed first.
fn deleted(namespace: &str, name: &str) -> Vec<Intent> {
    let patch = json!({ "metadata": { "$deleteFromPrimitiveList/finalizers": [FINALIZER] } });
    vec![
        Intent::strategic_patch(claim_reference(namespace, name), patch.to_string()),
        Intent::delete(claim_reference(namespace, name)),
    ]
}

/// Undoes a reservation: removes the pod from `reservedFor` of its claims. If pre-bind ran, also deletes the claim that
/// pre-bind created for extended resources.
pub fn unreserve(reserved: &Reserved, pod: &PreparedPod, cluster: &Cluster) -> Vec<Intent> {
    let uses = |known: &KnownClaim| reserved.pre_bound || known.claim.is_reserved_for(&pod.uid);
    let claims = pod.claims(cluster).unwrap_or_default();
    let mut undo: Vec<Intent> = claims
        .iter()
        .filter(|known| known.allocation().is_some() && uses(known))
        .map(|known| Intent::strategic_patch_status(reference(known), consumer_removal(&pod.uid).to_string()))
        .collect();
    if let Ok(State { extended: Some(created), .. }) = State::of(reserved)
        && reserved.pre_bound
    {
        undo.extend(deleted(&pod.namespace, &created.name));
    }
    undo
}

fn consumer_removal(uid: &str) -> Value {
    json!({ "status": { "reservedFor": [{ "uid": uid, "$patch": "delete" }] } })
}
