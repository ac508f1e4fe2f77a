//! Queueing hints: a CSINode allows more volumes, or a pod or VolumeAttachment with volumes is deleted.

use berth_guest::hints::{Event, Hint};
use berth_guest::pod;
use berth_guest_volumes::{CsiNode, VolumeAttachment};

use crate::uses::{Use, Uses};

pub fn queueing_hint(
    event: &Event,
    pod_volumes: &Uses,
    deleted: pod::Change<'_, (pod::Namespace, pod::Volumes)>,
) -> Result<Hint, String> {
    Ok(Hint::queue_if(match event.kind_name() {
        "CSINode" => match (event.before::<CsiNode>()?, event.after::<CsiNode>()?) {
            (Some(before), Some(after)) => allows_more(&before, &after),
            _ => true,
        },
        "Pod" => deleted.before.is_some_and(|(namespace, volumes)| !Uses::new(namespace, volumes).is_empty()),
        "PersistentVolumeClaim" => event.namespace == pod_volumes.namespace && pod_volumes.names_claim(&event.name),
        "VolumeAttachment" => {
            let attacher = event.before::<VolumeAttachment>()?.unwrap_or_default().spec.attacher;
            pod_volumes.may_be_attached_by(&attacher)
        }
        _ => true,
    }))
}

/// Returns true if a driver's limit was raised or removed. A limit for a driver without a limit before counts as
/// raised.
fn allows_more(before: &CsiNode, after: &CsiNode) -> bool {
    let raised = after.spec.drivers.iter().any(|driver| {
        let limit = driver.allocatable.count.unwrap_or_default();
        limit > before.limit(&driver.name).unwrap_or_default()
    });
    let removed = |name: &str| before.limit(name).is_some() && after.limit(name).is_none();
    raised || before.spec.drivers.iter().any(|driver| removed(&driver.name))
}

impl Uses {
    fn names_claim(&self, name: &str) -> bool {
        self.volumes.iter().any(|volume| match volume {
            Use::Claim(claim) | Use::Ephemeral { claim, .. } => claim == name,
            Use::InTree(_) => false,
        })
    }

    /// Returns true if this driver may attach one of the volumes. The driver of a claim's volume is not looked up,
    /// so any driver may attach it.
    fn may_be_attached_by(&self, attacher: &str) -> bool {
        self.volumes.iter().any(|volume| match volume {
            Use::Claim(_) | Use::Ephemeral { .. } | Use::InTree(Err(_)) => true,
            Use::InTree(Ok(volume)) => volume.driver == attacher,
        })
    }
}
