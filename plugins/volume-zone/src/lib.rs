//! VolumeZone: requires nodes in the zones and regions of the pod's volumes.
//!
//! Reads labels of nodes and PersistentVolumes, the volumes of the pod's claims, and the binding mode of
//! StorageClasses. As in kube-scheduler v1.36, a node without any zone or region label is allowed, and unbound
//! claims with binding mode WaitForFirstConsumer are left to VolumeBinding.

mod cluster;
mod zones;

use std::cell::RefCell;

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::types::VolumeSource;
use berth_guest::{ClusterEvent, EventActions};
use berth_guest_volumes::{PersistentVolume, PersistentVolumeClaim, StorageClass, WAIT_FOR_FIRST_CONSUMER, not_found};
use cluster::Cluster;
use zones::Zones;

const CONFLICT: &str = "node(s) had no available volume zone";

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    namespace: pod::Namespace,
    claims: Vec<String>,
    /// The zones of the volumes, as the last pre-filter found them.
    zones: RefCell<Vec<Zones>>,
}

fn prepare(namespace: &pod::Namespace, volumes: &pod::Volumes) -> PreparedPod {
    let claims = volumes.iter().filter_map(|volume| match &volume.source {
        VolumeSource::PersistentVolumeClaim(source) => Some(source.claim.clone()),
        _ => None,
    });
    PreparedPod { namespace: namespace.clone(), claims: claims.collect(), zones: RefCell::default() }
}

fn skip(pod: &PreparedPod) -> bool {
    pod.claims.is_empty()
}

fn pre_filter(pod: &PreparedPod, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    let mut zones = Vec::new();
    for claim in &pod.claims {
        if let Some(found) = of_claim(&pod.namespace, claim, cluster).map_err(Rejection::unresolvable)? {
            zones.extend_from_slice(found);
        }
    }
    let answer = if zones.is_empty() { PreFilter::Skip } else { PreFilter::All };
    pod.zones.replace(zones);
    Ok(answer)
}

/// Returns the zones of a claim's volume, or `None` if the claim is unbound and its class has binding mode
/// WaitForFirstConsumer.
fn of_claim<'a>(namespace: &str, name: &str, cluster: &'a Cluster) -> Result<Option<&'a [Zones]>, String> {
    if name.is_empty() {
        return Err("PersistentVolumeClaim had no name".to_owned());
    }
    let claim = cluster.claims.get(namespace, name).ok_or_else(|| not_found("persistentvolumeclaim", name))?;
    let volume = claim.spec.volume_name.as_str();
    if volume.is_empty() {
        return check_unbound(claim, cluster).map(|()| None);
    }
    let zones = cluster.volumes.get("", volume).ok_or_else(|| not_found("persistentvolume", volume))?;
    Ok(Some(zones.as_slice()))
}

fn check_unbound(claim: &PersistentVolumeClaim, cluster: &Cluster) -> Result<(), String> {
    let name = claim.class();
    if name.is_empty() {
        return Err("PersistentVolumeClaim had no pv name and storageClass name".to_owned());
    }
    let class = cluster.classes.get("", name).ok_or_else(|| not_found("storageclass.storage.k8s.io", name))?;
    let waits_for_consumer = class.waits_for_first_consumer(name)?;
    waits_for_consumer.then_some(()).ok_or_else(|| "PersistentVolume had no name".to_owned())
}

fn filter(pod: &PreparedPod, labels: &node::Labels) -> Verdict {
    let has_zone = zones::LABELS.iter().any(|label| labels.contains_key(label));
    if has_zone && !pod.zones.borrow().iter().all(|zones| zones.contain(labels)) {
        return Verdict::unresolvable(CONFLICT);
    }
    Verdict::FITS
}

/// Queues the pod for events of its own claims, of new volumes, of volumes whose zones change, of classes with binding
/// mode WaitForFirstConsumer, and of nodes.
fn queueing_hint(event: &Event, pod: &PreparedPod) -> Result<Hint, String> {
    Ok(Hint::queue_if(match event.kind_name() {
        "PersistentVolumeClaim" => *event.namespace == *pod.namespace && pod.claims.contains(&event.name),
        "PersistentVolume" => {
            let zones = |volume: PersistentVolume| Zones::of_volume(&volume.metadata.labels);
            let before = event.before()?.map(zones);
            before.is_none() || before != event.after()?.map(zones)
        }
        "StorageClass" => {
            let mode = event.after::<StorageClass>()?.and_then(|class| class.volume_binding_mode);
            mode.as_deref() == Some(WAIT_FOR_FIRST_CONSUMER)
        }
        _ => true,
    }))
}

berth_guest::plugin!(
    name: "VolumeZone",
    index: Cluster,
    prepare: prepare => PreparedPod,
    skip: skip,
    pre_filter: pre_filter,
    filter: filter,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("storage.k8s.io/v1/StorageClass", EventActions::ADD),
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS),
        ClusterEvent::new("v1/PersistentVolumeClaim", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("v1/PersistentVolume", EventActions::ADD | EventActions::UPDATE),
    ],
);

#[cfg(test)]
mod tests;
