//! Reserve assumes the allocations of claims. Pre-bind writes them to the API server, and first creates the claim
//! for extended resources.

use berth_guest::intents::{Intent, ObjectReference};
use berth_guest::lifecycle::{Reservation, Reserved};
use berth_guest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::allocator::Node;
use crate::api::{self, Allocation, Consumer, Request};
use crate::args::Args;
use crate::binding;
use crate::claims::{ExtendedClaim, PreparedPod};
use crate::cluster::Cluster;
use crate::extended::{self, Mapping};
use crate::filtering::{allocated, with_extended_claim};
use crate::known_claim::KnownClaim;
use crate::time;

/// Protects an allocated claim from deletion (`resource.kubernetes.io/delete-protection`).
pub const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// The state that the host keeps from reserve to pre-bind and unreserve, as JSON.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct State {
    /// The new allocations of unallocated claims.
    claims: Vec<NewAllocation>,
    /// The claim to create for extended resources; `None` if no extended resource needs devices.
    pub extended: Option<CreatedClaim>,
}

#[derive(Deserialize, Serialize)]
struct NewAllocation {
    uid: String,
    allocation: Allocation,
}

/// A claim that pre-bind creates for extended resources.
#[derive(Deserialize, Serialize)]
pub struct CreatedClaim {
    /// The generated name.
    pub name: String,
    /// `spec.devices.requests`
    requests: Value,
    mappings: Vec<Mapping>,
    allocation: Allocation,
}

impl State {
    /// Reads the state that reserve returned.
    pub fn of(reserved: &Reserved) -> Result<State, String> {
        match reserved.state.as_slice() {
            [] => Ok(State::default()),
            state => serde_json::from_slice(state)
                .map_err(|problem| problem.to_string())
                .and_then(api::read)
                .map_err(|problem| format!("the reservation can't be read: {problem}")),
        }
    }
}

/// Allocates the pod's claims and returns them as assumed objects.
#[allow(clippy::too_many_arguments, reason = "a fact each")]
pub fn reserve(
    pod: &PreparedPod,
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    time: &Time,
    name: &node::Name,
    labels: &node::Labels,
    allocatable: &node::Allocatable,
) -> Result<Reservation, Rejection> {
    if pod.is_empty(cluster) {
        return Ok(Reservation::default());
    }
    let claims = pod.claims(cluster).map_err(Rejection::unresolvable)?;
    let extended_claim = pod.extended_claim(cluster, allocatable).map_err(Rejection::unresolvable)?;
    let found =
        allocated(&with_extended_claim(claims, extended_claim.as_ref()), cluster, args, cycle, Node { name, labels })?;
    let mut reservation = Reservation::default();
    let mut state = State::default();
    for (known, mut allocation) in found {
        allocation.allocation_timestamp = Some(time::timestamp(time.0));
        if let Some(extended_claim) = extended_claim.as_ref().filter(|_| known.is_placeholder()) {
            let created = CreatedClaim::new(pod, extended_claim, allocation, cycle.seed);
            let mut object = created.object(pod);
            put(&mut object, "status", "allocation", json!(created.allocation));
            reservation
                .intents
                .push(Intent::assume(claim_reference(&pod.namespace, &created.name), object.to_string()));
            state.extended = Some(created);
            continue;
        }
        let mut object = known.object.clone();
        put(&mut object, "status", "allocation", json!(allocation));
        reservation.intents.push(Intent::assume(reference(&known), object.to_string()));
        state.claims.push(NewAllocation { uid: known.uid.clone(), allocation });
    }
    if !reservation.intents.is_empty() {
        reservation.state = serde_json::to_vec(&state).map_err(|problem| Rejection::error(problem.to_string()))?;
    }
    Ok(reservation)
}

impl CreatedClaim {
    fn new(pod: &PreparedPod, extended_claim: &ExtendedClaim, allocation: Allocation, seed: u64) -> CreatedClaim {
        let request = |request: &Request| {
            let ask = request.exactly.as_ref();
            let [class, count] = [json!(ask.map(|ask| &ask.device_class_name)), json!(ask.map(|ask| ask.count))];
            let exactly = json!({ "deviceClassName": class, "allocationMode": "ExactCount", "count": count });
            json!({ "name": request.name, "exactly": exactly })
        };
        CreatedClaim {
            name: extended::generated(&base(pod), seed),
            requests: extended_claim.claim.claim.spec.devices.requests.iter().map(request).collect(),
            mappings: extended_claim.mappings.clone(),
            allocation,
        }
    }

    /// Returns the object to create.
    fn object(&self, pod: &PreparedPod) -> Value {
        let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": true });
        json!({
            "metadata": {
                "generateName": base(pod),
                "annotations": { api::EXTENDED: "true" },
                "finalizers": [FINALIZER],
                "ownerReferences": [owner],
            },
            "spec": { "devices": { "requests": self.requests } },
        })
    }

    /// Returns the intents that create the claim, write its allocation, and name the claim in the pod's status.
    fn intents(&self, pod: &PreparedPod) -> Vec<Intent> {
        let claim = || claim_reference(&pod.namespace, &self.name);
        let status = json!({ "status": { "allocation": self.allocation, "reservedFor": [consumer(pod)] } });
        let named = json!({ "requestMappings": self.mappings, "resourceClaimName": self.name });
        let named = json!({ "status": { "extendedResourceClaimStatus": named } });
        let object = ObjectReference::new("v1", "Pod", &pod.name).in_namespace(&pod.namespace).with_uid(&pod.uid);
        vec![
            Intent::create(claim(), self.object(pod).to_string()),
            Intent::patch_status(claim(), status.to_string()),
            Intent::patch_status(object, named.to_string()),
        ]
    }
}

/// Returns the name prefix of claims that are created for the pod.
fn base(pod: &PreparedPod) -> String {
    format!("{}-extended-resources-", pod.name)
}

/// Returns a reference to a claim that is created for extended resources. It has no uid, because the plugin knows only
/// the generated name of the claim.
pub fn claim_reference(namespace: &str, name: &str) -> ObjectReference {
    ObjectReference::new(api::VERSION, "ResourceClaim", name).in_namespace(namespace)
}

fn put(object: &mut Value, part: &str, field: &str, value: Value) {
    if let Value::Object(parts) = object {
        let part = parts.entry(part).or_insert_with(|| json!({}));
        if let Value::Object(fields) = part {
            fields.insert(field.to_owned(), value);
        }
    }
}

/// Returns a reference with uid, so that it does not match another claim of the same name.
pub fn reference(known: &KnownClaim) -> ObjectReference {
    ObjectReference::new(api::VERSION, "ResourceClaim", &known.name).in_namespace(&known.namespace).with_uid(&known.uid)
}

/// Returns the intents that write new allocations, add the pod to `reservedFor`, create the claim for extended
/// resources, and wait for binding conditions.
///
/// The finalizer is added before the allocation, so that no claim is deleted while its devices are allocated.
pub fn pre_bind(reserved: &Reserved, pod: &PreparedPod, cluster: &Cluster, args: &Args) -> Result<Vec<Intent>, String> {
    // The class of an extended resource may have been deleted since reserve, so the state is checked as well.
    if pod.is_empty(cluster) && reserved.state.is_empty() {
        return Ok(Vec::new());
    }
    let state = State::of(reserved)?;
    let (mut intents, mut waits) = (Vec::new(), Vec::new());
    let mut wait = |object: ObjectReference, allocation: &Allocation| {
        if let Some(until) = binding::until(&object.name, &allocation.devices.results) {
            waits.push(Intent::wait_until(object, until, args.binding_timeout));
        }
    };
    for known in pod.claims(cluster)? {
        let new = state
            .claims
            .iter()
            .find(|new_allocation| new_allocation.uid == known.uid)
            .map(|new_allocation| &new_allocation.allocation);
        let Some(allocation) = new.or_else(|| known.allocation()) else {
            return Err(format!("claim {known} got deallocated elsewhere in the meantime"));
        };
        if new.is_some() {
            intents.extend(finalizer(&known));
        }
        intents.extend(status(&known, pod, new));
        wait(reference(&known), allocation);
    }
    if let Some(created) = &state.extended {
        intents.extend(created.intents(pod));
        wait(claim_reference(&pod.namespace, &created.name), &created.allocation);
    }
    intents.extend(waits);
    Ok(intents)
}

/// Returns the intent that adds the pod to the claim's `reservedFor`, together with a new allocation. Returns `None`
/// if the pod is in `reservedFor` already and there is no new allocation.
///
/// The patch contains no resource version and no other consumer, so that pods that start to use a claim at the same
/// time don't conflict. The API server rejects the patch if the claim was deleted or deallocated since, or if the patch
/// has an allocation and the claim was allocated differently since.
fn status(known: &KnownClaim, pod: &PreparedPod, new: Option<&Allocation>) -> Option<Intent> {
    if known.claim.is_reserved_for(&pod.uid) && new.is_none() {
        return None;
    }
    let mut status = json!({ "reservedFor": [consumer(pod)] });
    if let (Some(allocation), Value::Object(fields)) = (new, &mut status) {
        fields.insert("allocation".to_owned(), json!(allocation));
    }
    Some(Intent::strategic_patch_status(reference(known), json!({ "status": status }).to_string()))
}

fn consumer(pod: &PreparedPod) -> Consumer {
    let (name, uid) = (pod.name.clone(), pod.uid.clone());
    Consumer { api_group: String::new(), resource: "pods".to_owned(), name, uid }
}

/// Returns the intent that adds the finalizer, or `None` if the claim has the finalizer.
fn finalizer(known: &KnownClaim) -> Option<Intent> {
    if known.claim.metadata.finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        return None;
    }
    let patch = json!({ "metadata": { "finalizers": [FINALIZER] } });
    Some(Intent::strategic_patch(reference(known), patch.to_string()))
}
