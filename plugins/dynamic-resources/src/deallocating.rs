//! What is given back: claims that keep a pod from fitting anywhere, and what was written for a pod that was not bound.

use std::rc::Rc;

use berth_guest::intents::Intent;
use berth_guest::lifecycle::Reserved;
use berth_guest::post_filter::{PostFilter, Rejected};
use berth_guest::prelude::*;
use serde_json::{Value, json};

use crate::claims::{KnownClaim, Wanted};
use crate::cluster::Cluster;
use crate::filtering::pre_filter;
use crate::reserving::{FINALIZER, State, reference, special};

/// Where the pod fits nowhere: a claim that nobody else uses may be allocated elsewhere, if it could not be used on some node; and
/// a claim that was made for extended resources before is in the way of another one.
pub fn post_filter(_: &mut Rejected<'_>, pod: &Wanted, cluster: &Cluster, cycle: &Cycle) -> PostFilter {
    let said =
        |reason: &str, intents| PostFilter::Unschedulable { reasons: vec![reason.to_owned()], clear: false, intents };
    // What its own pre-filter rejected is not looked at further.
    if pod.is_empty(cluster) || pre_filter(pod, cluster).is_err() {
        return said("no new claims to deallocate", Vec::new());
    }
    if let Some(known) = deallocatable(pod, cluster, cycle) {
        return said("deallocation of ResourceClaim completed", vec![deallocated(&known)]);
    }
    if let Some(known) = pod.left_over(cluster) {
        return said("deletion of ResourceClaim completed", deleted(&known.namespace, &known.name));
    }
    said("still not schedulable", Vec::new())
}

/// One of them: which, is chance.
fn deallocatable(pod: &Wanted, cluster: &Cluster, cycle: &Cycle) -> Option<Rc<KnownClaim>> {
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
    let nothing = json!({ "allocation": null, "reservedFor": null, "devices": null });
    let patch = json!({ "metadata": { "resourceVersion": known.claim.metadata.resource_version }, "status": nothing });
    Intent::patch_status(reference(known), patch.to_string())
}

/// A claim that we made ourselves; the finalizer has to go first.
fn deleted(namespace: &str, name: &str) -> Vec<Intent> {
    let patch = json!({ "metadata": { "$deleteFromPrimitiveList/finalizers": [FINALIZER] } });
    vec![Intent::strategic_patch(special(namespace, name), patch.to_string()), Intent::delete(special(namespace, name))]
}

/// The pod is not bound: it uses its claims no longer, and what was made for its extended resources goes.
pub fn unreserve(reserved: &Reserved, pod: &Wanted, cluster: &Cluster) -> Vec<Intent> {
    let uses = |known: &KnownClaim| reserved.pre_bound || known.claim.is_reserved_for(&pod.uid);
    let claims = pod.claims(cluster).unwrap_or_default();
    let mut undo: Vec<Intent> = claims
        .iter()
        .filter(|known| known.allocation().is_some() && uses(known))
        .map(|known| Intent::strategic_patch_status(reference(known), no_longer_used_by(&pod.uid).to_string()))
        .collect();
    if let Ok(State { extended: Some(made), .. }) = State::of(reserved)
        && reserved.pre_bound
    {
        undo.extend(deleted(&pod.namespace, &made.name));
    }
    undo
}

fn no_longer_used_by(uid: &str) -> Value {
    json!({ "status": { "reservedFor": [{ "uid": uid, "$patch": "delete" }] } })
}
