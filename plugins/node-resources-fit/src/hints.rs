//! Queueing hints: a pod that is deleted or reduces its requests, a node that is added or grows, and a DeviceClass
//! that maps a resource which the pod requests.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::types::Resources;
use berth_guest_devices::Inventory;
use berth_guest_devices::api::Class;
use berth_guest_devices::classes::OF_CLASS;

use crate::PreparedPod;

pub fn queueing_hint(
    event: &Event,
    prepared: &PreparedPod,
    requests: &pod::Requests,
    node: node::Change<'_, node::Allocatable>,
    pod: pod::Change<'_, pod::Requests>,
    devices: &Inventory,
) -> Result<Hint, String> {
    if event.kind_name() == "DeviceClass" {
        return maps_a_requested_resource(event, &requests.effective).map(Hint::queue_if);
    }
    Ok(Hint::queue_if(match (node.after, pod.before) {
        // The node is checked without its pods, because a deleted pod is an event of its own.
        (Some(after), _) => {
            let grew = |before: &node::Allocatable| prepared.fit.has_more(after, before, devices);
            prepared.fit.check(after, &node::Usage::default(), devices).rejection().is_none()
                && node.before.is_none_or(grew)
        }
        (None, Some(before)) => {
            let requests_less =
                |after: &pod::Requests| requests_less(&requests.effective, &before.effective, &after.effective);
            pod.after.is_none_or(requests_less)
        }
        (None, None) => true,
    }))
}

/// Returns true if the class maps an extended resource that the class did not map before the event, and the pod
/// requests this resource, even with a quantity of 0.
fn maps_a_requested_resource(event: &Event, requested: &Resources) -> Result<bool, String> {
    let (before, Some(after)) = (event.before::<Class>()?, event.after::<Class>()?) else { return Ok(false) };
    let requests_resource = |resource: &str| requested.scalars.iter().any(|scalar| scalar.name == resource);
    let named = |class: &Class| class.spec.extended_resource_name.clone();
    let is_new = before.is_none() && requests_resource(&format!("{OF_CLASS}{}", event.name));
    let changed = before.as_ref().map(named) != Some(named(&after));
    Ok(is_new || (changed && named(&after).is_some_and(|resource| requests_resource(&resource))))
}

/// Returns true if another pod requests less of a resource after the event than before, and the pod in the queue
/// requests this resource (`requested`).
fn requests_less(requested: &Resources, before: &Resources, after: &Resources) -> bool {
    let less = |requested: i64, before: i64, after: i64| requested != 0 && after < before;
    less(requested.milli_cpu, before.milli_cpu, after.milli_cpu)
        || less(requested.memory, before.memory, after.memory)
        || less(requested.ephemeral_storage, before.ephemeral_storage, after.ephemeral_storage)
        || requested
            .scalars
            .iter()
            .any(|scalar| less(scalar.quantity, before.scalar(&scalar.name), after.scalar(&scalar.name)))
}
