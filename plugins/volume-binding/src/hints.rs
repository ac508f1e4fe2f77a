//! Queueing hints: changes of the pod's own claims, of volumes and nodes, and changes of classes, CSI drivers and
//! capacities that may allow further nodes.

use berth_guest::hints::{Event, Hint};
use berth_guest::pod;
use berth_guest::types::VolumeSource;
use berth_guest_volumes::{CsiDriver, CsiNode, CsiStorageCapacity, StorageClass};
use serde::de::DeserializeOwned;

pub fn queueing_hint(event: &Event, namespace: &pod::Namespace, volumes: &pod::Volumes) -> Result<Hint, String> {
    Ok(Hint::queue_if(match event.kind_name() {
        "PersistentVolumeClaim" => *event.namespace == **namespace && names(volumes, &event.name),
        "StorageClass" => {
            changed(event, |before: &StorageClass, after| before.allowed_topologies != after.allowed_topologies)?
        }
        "CSINode" => changed(event, |before: &CsiNode, after| before.migrated() != after.migrated())?,
        "CSIDriver" => {
            changed(event, |before: &CsiDriver, after| before.spec.storage_capacity && !after.spec.storage_capacity)?
        }
        "CSIStorageCapacity" => {
            changed(event, |before: &CsiStorageCapacity, after| after.largest() > before.largest())?
        }
        _ => true,
    }))
}

/// Returns true for a new object, or if `helps` returns true for the change.
fn changed<T: DeserializeOwned>(event: &Event, helps: impl FnOnce(&T, &T) -> bool) -> Result<bool, String> {
    Ok(match (event.before()?, event.after()?) {
        (Some(before), Some(after)) => helps(&before, &after),
        _ => true,
    })
}

fn names(volumes: &pod::Volumes, claim: &str) -> bool {
    volumes.iter().any(|volume| match &volume.source {
        VolumeSource::PersistentVolumeClaim(source) => source.claim == claim,
        VolumeSource::Ephemeral(source) => source.claim == claim,
        _ => false,
    })
}
