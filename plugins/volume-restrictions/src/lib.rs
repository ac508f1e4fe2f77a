//! VolumeRestrictions: rejects nodes and pods with a conflict over a disk or claim that only one pod may use.
//!
//! Reads the pod's volumes and the volumes of the pods on nodes, and the access modes of PersistentVolumeClaims. As
//! in kube-scheduler v1.36, a disk in the pod spec (GCE, AWS, iSCSI, RBD) rejects nodes where another pod uses it.
//! Two GCE, iSCSI or RBD volumes that are both read-only don't conflict. A ReadWriteOncePod claim that another pod
//! uses rejects all nodes, and preemption of that pod can help.

mod cluster;
mod disk;

use std::cell::Cell;

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::types::{Volume, VolumeSource};
use berth_guest::{ClusterEvent, EventActions};
use berth_guest_volumes::not_found;
use cluster::Cluster;
use disk::conflict;

const DISK_CONFLICT: &str = "node(s) had no available disk";
const CLAIM_IN_USE: &str = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already \
    in-use by another pod";

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    namespace: pod::Namespace,
    disks: Vec<VolumeSource>,
    claims: Vec<String>,
    /// True if the last pre-filter found a ReadWriteOncePod claim in use.
    in_use: Cell<bool>,
}

fn prepare(namespace: &pod::Namespace, volumes: &pod::Volumes) -> PreparedPod {
    PreparedPod {
        namespace: namespace.clone(),
        disks: disks(volumes),
        claims: claims(volumes),
        in_use: Cell::new(false),
    }
}

/// Returns the disks that may conflict between pods.
fn disks(volumes: &[Volume]) -> Vec<VolumeSource> {
    volumes.iter().map(|volume| &volume.source).filter(|source| disk::is_exclusive(source)).cloned().collect()
}

/// Returns the claims that the pod names. Claims of ephemeral volumes are left out, because only one pod uses such a
/// claim.
fn claims(volumes: &[Volume]) -> Vec<String> {
    let claim = |volume: &Volume| match &volume.source {
        VolumeSource::PersistentVolumeClaim(source) => Some(source.claim.clone()),
        _ => None,
    };
    volumes.iter().filter_map(claim).collect()
}

fn skip(pod: &PreparedPod) -> bool {
    pod.disks.is_empty() && pod.claims.is_empty()
}

fn pre_filter(pod: &PreparedPod, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    let mut in_use = false;
    for name in &pod.claims {
        let claim = cluster.claims.get(&pod.namespace, name);
        let claim = claim.ok_or_else(|| Rejection::unresolvable(not_found("persistentvolumeclaim", name)))?;
        in_use |= claim.is_for_one_pod() && cluster.is_used(&pod.namespace, name);
    }
    pod.in_use.set(in_use);
    Ok(if in_use || !pod.disks.is_empty() { PreFilter::All } else { PreFilter::Skip })
}

fn filter(pod: &PreparedPod, cluster: &Cluster, node: node::Id) -> Result<(), &'static str> {
    if pod.disks.iter().any(|disk| cluster.disks_on(node).any(|other| conflict(disk, other))) {
        return Err(DISK_CONFLICT);
    }
    if pod.in_use.get() { Err(CLAIM_IN_USE) } else { Ok(()) }
}

/// Queues the pod if a deleted pod had a conflicting disk or used a claim of the pod, if a claim that the pod names is
/// added, and for each new node.
fn queueing_hint(event: &Event, pod: &PreparedPod, deleted: pod::Change<'_, (pod::Namespace, pod::Volumes)>) -> Hint {
    let frees = |(namespace, volumes): (&pod::Namespace, &pod::Volumes)| {
        let (disks, claims) = (disks(volumes), claims(volumes));
        pod.disks.iter().any(|disk| disks.iter().any(|other| conflict(disk, other)))
            || *namespace == pod.namespace && pod.claims.iter().any(|claim| claims.contains(claim))
    };
    Hint::queue_if(match event.kind_name() {
        "Pod" => deleted.before.is_some_and(frees),
        "PersistentVolumeClaim" => *event.namespace == *pod.namespace && pod.claims.contains(&event.name),
        _ => true,
    })
}

berth_guest::plugin!(
    name: "VolumeRestrictions",
    index: Cluster,
    prepare: prepare => PreparedPod,
    skip: skip,
    pre_filter: pre_filter,
    filter: filter,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("Pod", EventActions::DELETE),
        ClusterEvent::new("Node", EventActions::ADD),
        ClusterEvent::new("v1/PersistentVolumeClaim", EventActions::ADD),
    ],
);

#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod tests;
