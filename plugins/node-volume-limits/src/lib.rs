//! NodeVolumeLimits: limits the number of volumes of a CSI driver on a node to the number in the node's CSINode.
//!
//! Reads the pod's volumes and the volumes of the pods on nodes, their claims, PersistentVolumes and StorageClasses,
//! VolumeAttachments, and CSINodes. As in kube-scheduler v1.36, a volume that several pods of a node use counts
//! once, a volume that is not provisioned yet counts for the driver of its class, and an in-tree volume counts for
//! the driver that it is migrated to.

mod cluster;
mod free_slots;
mod hints;
mod uses;

use std::collections::BTreeSet;

use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions, Verdicts};
use cluster::{Cluster, NodeVolumes, Volume};
use free_slots::FreeSlots;
use hints::queueing_hint;
use uses::Uses;

const TOO_MANY: &str = "node(s) exceed max volume count";

fn prepare(namespace: &pod::Namespace, volumes: &pod::Volumes) -> Uses {
    Uses::new(namespace, volumes)
}

fn skip(pod: &Uses) -> bool {
    pod.is_empty()
}

fn pre_filter(pod: &Uses) -> PreFilter {
    if pod.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

/// The pod's volumes, or a rejection for an invalid volume.
type PodVolumes<'a> = Result<BTreeSet<Volume<'a>>, Rejection>;

fn pod_volumes<'a>(pod: &'a Uses, cluster: &'a Cluster, in_tree_migrated: bool) -> PodVolumes<'a> {
    let mut volumes = BTreeSet::new();
    cluster.volumes_of_incoming(pod, in_tree_migrated, &mut volumes).map(|()| volumes)
}

fn filter_nodes(pod: &Uses, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let (migrated, unmigrated) = (pod_volumes(pod, cluster, true), pod_volumes(pod, cluster, false));
    if migrated.as_ref().is_ok_and(|pod_volumes| cluster.all_allow(pod_volumes.len()))
        && (cluster.all_have_drivers() || unmigrated.is_ok())
    {
        return Verdicts::all_fit(nodes.len());
    }
    let certainly_fits =
        |free_slots: FreeSlots| migrated.as_ref().is_ok_and(|pod_volumes| free_slots.allows(pod_volumes.len()));
    let verdict = |node| match cluster.free_slots(node) {
        FreeSlots::NoDrivers => {
            unmigrated.as_ref().map_or_else(|rejection| rejection.clone().into(), |_| Verdict::FITS)
        }
        free_slots if certainly_fits(free_slots) => Verdict::FITS,
        free_slots => check_volumes(cluster.node_volumes(node), free_slots, cluster, &migrated),
    };
    nodes.iter().map(verdict).collect()
}

/// Returns the verdict for a node on which the volumes may not fit, by a check of the individual volumes.
fn check_volumes(
    node_volumes: NodeVolumes<'_>,
    free_slots: FreeSlots,
    cluster: &Cluster,
    pod_volumes: &PodVolumes<'_>,
) -> Verdict {
    let (pod_volumes, csi_node) = match (pod_volumes, node_volumes.csi_node) {
        (Err(rejection), _) => return rejection.clone().into(),
        (_, None) => return Verdict::FITS,
        (Ok(pod_volumes), Some(csi_node)) => (pod_volumes, csi_node),
    };
    let limited = pod_volumes.iter().any(|volume| csi_node.limit(volume.driver).is_some());
    if pod_volumes.is_empty() || !limited && free_slots != FreeSlots::Unclear {
        return Verdict::FITS;
    }
    match node_volumes.attached(cluster) {
        Err(rejection) => rejection.into(),
        Ok(attached) => {
            let additional = |driver| {
                pod_volumes.iter().filter(|new| new.driver == driver && !attached.by_pods.contains(new)).count()
            };
            let fits = |driver| {
                let (additional, used) = (additional(driver), attached.of(driver));
                let limit = csi_node.limit(driver).and_then(|limit| usize::try_from(limit).ok());
                additional == 0
                    || csi_node.limit(driver).is_none()
                    || limit.is_some_and(|limit| used + additional <= limit)
            };
            let fits = pod_volumes.iter().all(|volume| fits(volume.driver));
            if fits { Verdict::FITS } else { Verdict::unschedulable(TOO_MANY) }
        }
    }
}

berth_guest::plugin!(
    name: "NodeVolumeLimits",
    index: Cluster,
    prepare: prepare => Uses,
    skip: skip,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("storage.k8s.io/v1/CSINode", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("Pod", EventActions::DELETE),
        ClusterEvent::new("v1/PersistentVolumeClaim", EventActions::ADD),
        ClusterEvent::new("storage.k8s.io/v1/VolumeAttachment", EventActions::DELETE),
    ],
);

#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod tests;
