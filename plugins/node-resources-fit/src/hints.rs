//! What helps a pod for which no node had enough: a pod that leaves or asks for less, a node that is new or has grown, a class of
//! devices that stands for what it asks for.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::types::Resources;
use berth_guest_devices::Inventory;
use berth_guest_devices::api::Class;
use berth_guest_devices::classes::OF_CLASS;

use crate::Wanted;

pub fn queueing_hint(
    event: &Event,
    wanted: &Wanted,
    requests: &pod::Requests,
    node: node::Change<'_, node::Allocatable>,
    pod: pod::Change<'_, pod::Requests>,
    devices: &Inventory,
) -> Result<Hint, String> {
    if event.kind_name() == "DeviceClass" {
        return stands_for_what_is_wanted(event, &requests.effective).map(Hint::queue_if);
    }
    Ok(Hint::queue_if(match (node.after, pod.before) {
        // What the node has is compared without its pods: those may leave, and are waited for as pods.
        (Some(after), _) => {
            let grew = |before: &node::Allocatable| wanted.fit.has_more(after, before, devices);
            wanted.fit.check(after, &node::Usage::default(), devices).rejection().is_none()
                && node.before.is_none_or(grew)
        }
        (None, Some(before)) => {
            let asks_less = |after: &pod::Requests| asks_less(&requests.effective, &before.effective, &after.effective);
            pod.after.is_none_or(asks_less)
        }
        (None, None) => true,
    }))
}

/// Whether the pod names a resource, be it to ask for nothing of it, for which a class stands that is new, or stands for another one
/// than before.
fn stands_for_what_is_wanted(event: &Event, wanted: &Resources) -> Result<bool, String> {
    let (before, Some(after)) = (event.before::<Class>()?, event.after::<Class>()?) else { return Ok(false) };
    let wants = |resource: &str| wanted.scalars.iter().any(|scalar| scalar.name == resource);
    let named = |class: &Class| class.spec.extended_resource_name.clone();
    let is_new = before.is_none() && wants(&format!("{OF_CLASS}{}", event.name));
    let changed = before.as_ref().map(named) != Some(named(&after));
    Ok(is_new || (changed && named(&after).is_some_and(|resource| wants(&resource))))
}

/// Whether any of what is wanted is less after than before.
fn asks_less(wanted: &Resources, before: &Resources, after: &Resources) -> bool {
    let less = |wanted: i64, before: i64, after: i64| wanted != 0 && after < before;
    less(wanted.milli_cpu, before.milli_cpu, after.milli_cpu)
        || less(wanted.memory, before.memory, after.memory)
        || less(wanted.ephemeral_storage, before.ephemeral_storage, after.ephemeral_storage)
        || wanted
            .scalars
            .iter()
            .any(|scalar| less(scalar.quantity, before.scalar(&scalar.name), after.scalar(&scalar.name)))
}
