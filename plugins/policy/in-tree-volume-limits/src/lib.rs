//! InTreeVolumeLimits: limits the number of in-tree volumes of a kind on a node, as old versions of kube-scheduler
//! do.
//!
//! Implements the predicates MaxEBSVolumeCount, MaxGCEPDVolumeCount, MaxAzureDiskVolumeCount and MaxCinderVolumeCount
//! of kube-scheduler v1.22. The arguments select predicates and may replace their limits: `{"limits":
//! ["MaxEBSVolumeCount"], "maxVolumes": 10}`. Reads the pod's volumes and the volumes of the pods on nodes, their
//! claims, PersistentVolumes and StorageClasses, the node's instance type and allocatable resources
//! `attachable-volumes-…`, and CSINodes. If a node's kubelet has migrated a kind of volumes to a CSI driver, this
//! plugin sets no limit for the kind, because NodeVolumeLimits does.

mod args;
mod cluster;
mod volume;

use std::collections::BTreeSet;

use args::Args;
use berth_guest::Verdicts;
use berth_guest::prelude::*;
use cluster::Cluster;
use volume::{Id, Source};

/// The namespace and volumes of a pod. Computed once for each pod signature.
pub struct PreparedPod(volume::Uses);

fn prepare(namespace: &pod::Namespace, volumes: &pod::Volumes) -> PreparedPod {
    PreparedPod(volume::Uses::new(namespace, volumes))
}

fn pre_filter(pod: &PreparedPod) -> PreFilter {
    if pod.0.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

fn filter_nodes(pod: &PreparedPod, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let volumes_by_source = |source| (source, cluster.volumes(&pod.0, source));
    let volumes_by_source: Vec<_> = args.limits.iter().map(|limit| volumes_by_source(limit.source())).collect();
    let volumes_by_source: Vec<_> = volumes_by_source.into_iter().filter(|(_, volumes)| !volumes.is_empty()).collect();
    let fits = |node: node::Id, (source, volumes): &(Source, BTreeSet<Id<'_>>)| {
        let limit = cluster.limit(node, *source, args.max_volumes);
        cluster.is_migrated(node, *source) || cluster.volumes_on(node, *source).union(volumes).count() as u64 <= limit
    };
    let all_fit = |node| volumes_by_source.iter().all(|volumes_by_source| fits(node, volumes_by_source));
    let verdict =
        |node| if all_fit(node) { Verdict::FITS } else { Verdict::unschedulable("node(s) exceed max volume count") };
    nodes.iter().map(verdict).collect()
}

berth_guest::plugin!(
    name: "InTreeVolumeLimits",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
);

#[cfg(test)]
mod tests;
