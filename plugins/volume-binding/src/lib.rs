//! VolumeBinding: requires that a node can access the volumes of the pod's claims, and binds or provisions volumes
//! for unbound claims.
//!
//! Reads the pod's volumes, PersistentVolumeClaims, PersistentVolumes, StorageClasses, CSINodes, CSIDrivers,
//! CSIStorageCapacities, and labels and names of nodes, as kube-scheduler v1.36 does. A bound claim needs a node
//! that can access its volume. An unbound claim with binding mode WaitForFirstConsumer gets the smallest suitable
//! volume that the node can access, or a volume that is provisioned for the node. Reserve assumes the claims and
//! volumes that this decision changes. Pre-bind writes the decision to the claim or the volume, and waits for the
//! binding.

mod args;
mod binding;
mod candidates;
mod claim;
mod cluster;
mod decision;
mod fields;
mod hints;
mod pod_claims;
mod steps;
mod volume;

use std::cell::RefCell;

use args::Args;
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};
use binding::{pre_bind, reserve};
use cluster::Cluster;
use decision::{NodeInfo, decide};
use hints::queueing_hint;
use pod_claims::{ClaimStates, PodClaims};

/// The data that `prepare` computes once for each pod signature.
pub struct Pod {
    pod_claims: PodClaims,
    /// The claims as the last pre-filter found them.
    states: RefCell<ClaimStates>,
}

fn prepare(namespace: &pod::Namespace, volumes: &pod::Volumes) -> Pod {
    Pod { pod_claims: PodClaims::new(namespace, volumes), states: RefCell::default() }
}

fn skip(pod: &Pod) -> bool {
    pod.pod_claims.is_empty()
}

fn pre_filter(pod: &Pod, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    if pod.pod_claims.is_empty() {
        return Ok(PreFilter::Skip);
    }
    pod.states.replace(pod.pod_claims.find(cluster)?);
    Ok(PreFilter::All)
}

fn filter(pod: &Pod, cluster: &Cluster, name: &node::Name, labels: &node::Labels) -> Result<(), Rejection> {
    let states = pod.states.borrow();
    // Most pods have only volumes that are accessible from every node.
    if states.everywhere { Ok(()) } else { decide(&states, cluster, NodeInfo { name, labels }).map(|_| ()) }
}

berth_guest::plugin!(
    name: "VolumeBinding",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => Pod,
    skip: skip,
    pre_filter: pre_filter,
    filter: filter,
    reserve: reserve,
    pre_bind: pre_bind,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("storage.k8s.io/v1/StorageClass", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("v1/PersistentVolumeClaim", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("v1/PersistentVolume", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS),
        ClusterEvent::new("storage.k8s.io/v1/CSINode", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("storage.k8s.io/v1/CSIDriver", EventActions::UPDATE),
        ClusterEvent::new("storage.k8s.io/v1/CSIStorageCapacity", EventActions::ADD | EventActions::UPDATE),
    ],
);

#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod tests;
