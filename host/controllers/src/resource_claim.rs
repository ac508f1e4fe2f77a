//! The resource claim controller: removes the reservations of finished and deleted pods from a claim. After the last
//! reservation, removes the allocation, and deletes a claim that was generated for a finished pod.

use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimConsumerReference};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::{Kind, Typed};
use super::metadata::{self, Key};
use super::pod::Pod;
use super::pod_claims::POD_CLAIM_NAME;
use super::write::{Guard, Plan, Write};

/// The finalizer that the scheduler adds to the claims that it allocates.
const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// Returns the plan for the claim with this key.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(claim) = cluster.get::<ResourceClaim>(key) else { return Plan::none() };
    let meta = &claim.metadata;
    let status = claim.status.clone().unwrap_or_default();
    let reserved = status.reserved_for.unwrap_or_default();
    let of = |wanted: Use| {
        let matching = reserved.iter().filter(move |consumer| usage(cluster, consumer) == wanted);
        matching.map(|consumer| consumer.uid.clone()).collect::<Vec<_>>()
    };
    let over = of(Use::Over);
    if !over.is_empty() {
        return Plan::of([release(claim, &reserved, &over)]);
    }
    if let Some(unsure) = reserved.iter().find(|consumer| usage(cluster, consumer) == Use::Unknown) {
        let pod = Guard::Object(Kind::Pod, Key::new(key.namespace(), &unsure.name), Some(unsure.uid.clone()));
        return Plan::of([release(claim, &reserved, std::slice::from_ref(&unsure.uid)).unless([pod])]);
    }
    if !reserved.is_empty() {
        return Plan::none();
    }
    if metadata::deleting(meta) {
        let has_finalizer = metadata::has_finalizer(meta, FINALIZER);
        let write = match status.allocation {
            Some(_) if has_finalizer => Write::status_exact(Kind::ResourceClaim, meta, json!({ "allocation": null })),
            _ => Write::release(Kind::ResourceClaim, meta, FINALIZER),
        };
        return Plan::of(has_finalizer.then_some(write));
    }
    Plan::of(outlived(cluster, claim).then(|| Write::delete(Kind::ResourceClaim, meta)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The consumer may still use the claim, or is not a pod.
    Going,
    /// The consumer is a pod that is finished or deleted.
    Over,
    /// The consumer is an unknown pod: deleted, or not seen yet.
    Unknown,
}

fn usage(cluster: &Cluster, consumer: &ResourceClaimConsumerReference) -> Use {
    if consumer.api_group.as_deref().is_some_and(|group| !group.is_empty()) || consumer.resource != "pods" {
        return Use::Going;
    }
    match cluster.by_uid(&consumer.uid).and_then(Pod::of) {
        Some(pod) if is_done(pod) => Use::Over,
        Some(_) => Use::Going,
        None if cluster.is_gone(&consumer.uid) => Use::Over,
        None => Use::Unknown,
    }
}

/// Returns true if the pod does not run and will not run again.
pub fn is_done(pod: &Pod) -> bool {
    pod.terminal() || (metadata::deleting(&pod.metadata) && pod.node().is_none())
}

/// Returns the write that removes the consumers with the UIDs `over` from the claim. With the last consumer, the write
/// also removes the allocation of a claim with the finalizer, so that the claim can be allocated anywhere.
fn release(claim: &ResourceClaim, reserved: &[ResourceClaimConsumerReference], over: &[String]) -> Write {
    let left: Vec<_> = reserved.iter().filter(|consumer| !over.contains(&consumer.uid)).collect();
    let mut status = json!({ "reservedFor": left });
    if left.is_empty() {
        status["reservedFor"] = Value::Null;
        if metadata::has_finalizer(&claim.metadata, FINALIZER) {
            status["allocation"] = Value::Null;
        }
    }
    Write::status_exact(Kind::ResourceClaim, &claim.metadata, status)
}

/// Returns true if the claim was generated for a pod that is finished.
fn outlived(cluster: &Cluster, claim: &ResourceClaim) -> bool {
    let generated = metadata::annotation(&claim.metadata, POD_CLAIM_NAME).is_some();
    let owner = metadata::controller(&claim.metadata).filter(|owner| generated && owner.kind == "Pod");
    owner.and_then(|owner| cluster.by_uid(&owner.uid)).and_then(Pod::of).is_some_and(is_done)
}
