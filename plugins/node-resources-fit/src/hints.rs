//! What helps a pod for which no node had enough: a pod that leaves or asks for less, a node that is new or has grown.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::types::Resources;

use crate::Wanted;

pub fn queueing_hint(
    _: &Event,
    wanted: &Wanted,
    requests: &pod::Requests,
    node: node::Change<'_, node::Allocatable>,
    pod: pod::Change<'_, pod::Requests>,
) -> Hint {
    Hint::queue_if(match (node.after, pod.before) {
        // What the node has is compared without its pods: those may leave, and are waited for as pods.
        (Some(after), _) => {
            let grew = |before: &node::Allocatable| wanted.fit.has_more(after, before);
            wanted.fit.check(after, &node::Usage::default()).rejection().is_none() && node.before.is_none_or(grew)
        }
        (None, Some(before)) => {
            let asks_less = |after: &pod::Requests| asks_less(&requests.effective, &before.effective, &after.effective);
            pod.after.is_none_or(asks_less)
        }
        (None, None) => true,
    })
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
