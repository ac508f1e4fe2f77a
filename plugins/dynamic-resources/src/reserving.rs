//! Claims are allocated in thought when a pod has its node, and at the API server before it is bound.

use berth_guest::intents::{Intent, ObjectReference};
use berth_guest::lifecycle::{Reservation, Reserved};
use berth_guest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::allocator::Node;
use crate::api::{self, Allocation, Consumer};
use crate::args::Args;
use crate::binding;
use crate::claims::{KnownClaim, Wanted};
use crate::cluster::Cluster;
use crate::filtering::allocated;
use crate::time;

/// Keeps a claim that is allocated from vanishing (`resource.kubernetes.io/delete-protection`).
const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// What is kept from reserve to pre-bind: an allocation for each claim that had none.
#[derive(Deserialize, Serialize)]
struct Kept {
    uid: String,
    allocation: Allocation,
}

/// Takes the devices.
pub fn reserve(
    pod: &Wanted,
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    name: &node::Name,
    labels: &node::Labels,
) -> Result<Reservation, Rejection> {
    if pod.is_empty() {
        return Ok(Reservation::default());
    }
    let claims = pod.claims(cluster).map_err(Rejection::unresolvable)?;
    let found = allocated(&claims, cluster, args, cycle, Node { name, labels })?;
    let mut reservation = Reservation::default();
    let mut kept = Vec::with_capacity(found.len());
    for (known, mut allocation) in found {
        allocation.allocation_timestamp = Some(time::timestamp(cycle.time));
        let mut object = known.object.clone();
        let status = json!(allocation);
        put(&mut object, "status", "allocation", status);
        reservation.intents.push(Intent::assume(reference(&known), object.to_string()));
        kept.push(Kept { uid: known.uid.clone(), allocation });
    }
    if !kept.is_empty() {
        reservation.state = serde_json::to_vec(&kept).map_err(|wrong| Rejection::error(wrong.to_string()))?;
    }
    Ok(reservation)
}

fn put(object: &mut Value, part: &str, field: &str, value: Value) {
    if let Value::Object(parts) = object {
        let part = parts.entry(part).or_insert_with(|| json!({}));
        if let Value::Object(fields) = part {
            fields.insert(field.to_owned(), value);
        }
    }
}

fn reference(known: &KnownClaim) -> ObjectReference {
    ObjectReference::new(api::VERSION, "ResourceClaim", &known.name).in_namespace(&known.namespace).with_uid(&known.uid)
}

/// Writes down what was allocated, and that the pod uses it; then waits until it can be used.
///
/// The status comes first, for what was assumed shows until the informer brings another version of the claim, and that has to
/// be one with the allocation. It names the version that was looked at, so that nobody else's change is lost; with the finalizer
/// the pod is bound, without it not.
pub fn pre_bind(reserved: &Reserved, pod: &Wanted, cluster: &Cluster, args: &Args) -> Result<Vec<Intent>, String> {
    if pod.is_empty() {
        return Ok(Vec::new());
    }
    let kept: Vec<Kept> = match reserved.state.as_slice() {
        [] => Vec::new(),
        state => serde_json::from_slice(state)
            .map_err(|wrong| wrong.to_string())
            .and_then(api::read)
            .map_err(|wrong| format!("the reservation can't be read: {wrong}"))?,
    };
    let (mut intents, mut waits) = (Vec::new(), Vec::new());
    for known in pod.claims(cluster)? {
        let new = kept.iter().find(|kept| kept.uid == known.uid).map(|kept| &kept.allocation);
        let Some(allocation) = new.or_else(|| known.allocation()) else {
            return Err(format!("claim {known} got deallocated elsewhere in the meantime"));
        };
        intents.extend(status(&known, pod, new));
        intents.extend(finalizer(&known));
        if let Some(until) = binding::until(&known.name, &allocation.devices.results) {
            waits.push(Intent::wait_until(reference(&known), until, args.binding_timeout));
        }
    }
    intents.extend(waits);
    Ok(intents)
}

/// `None` where the pod has reserved the claim already.
fn status(known: &KnownClaim, pod: &Wanted, new: Option<&Allocation>) -> Option<Intent> {
    let claim = &known.claim;
    if claim.is_reserved_for(&pod.uid) && new.is_none() {
        return None;
    }
    let mut consumers = claim.status.reserved_for.clone();
    consumers.push(Consumer {
        api_group: String::new(),
        resource: "pods".to_owned(),
        name: pod.name.clone(),
        uid: pod.uid.clone(),
    });
    let mut status = json!({ "reservedFor": consumers });
    if let (Some(allocation), Value::Object(fields)) = (new, &mut status) {
        fields.insert("allocation".to_owned(), json!(allocation));
    }
    let patch = json!({ "metadata": { "resourceVersion": claim.metadata.resource_version }, "status": status });
    Some(Intent::patch_status(reference(known), patch.to_string()))
}

/// `None` where it is there.
fn finalizer(known: &KnownClaim) -> Option<Intent> {
    let mut finalizers = known.claim.metadata.finalizers.clone();
    if finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        return None;
    }
    finalizers.push(FINALIZER.to_owned());
    Some(Intent::patch(reference(known), json!({ "metadata": { "finalizers": finalizers } }).to_string()))
}
