//! The events after which the pods of a group are tried again.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};

use crate::groups::key;
use crate::queue::incomplete;
use crate::{GroupName, Groups, pod_group};

/// The changes of a node that may make room for a group.
const NODE: EventActions = EventActions::ADD
    .union(EventActions::UPDATE_ALLOCATABLE)
    .union(EventActions::UPDATE_TAINTS)
    .union(EventActions::UPDATE_LABELS);
/// The changes of a pod on a node that free resources.
const POD: EventActions = EventActions::DELETE.union(EventActions::UPDATE_SCALE_DOWN);

/// The changes of a pending pod that may complete its group.
const PENDING_POD: EventActions = EventActions::ADD.union(EventActions::UPDATE);

/// Returns the events that [`queueing_hint`] looks at.
pub(crate) fn retry_on() -> [ClusterEvent; 4] {
    [
        ClusterEvent::new(pod_group::KIND, EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("PendingPod", PENDING_POD),
        ClusterEvent::new("Pod", POD | EventActions::ADD | EventActions::UPDATE_LABELS),
        ClusterEvent::new("Node", NODE),
    ]
}

/// Queues the pods of a group after a change of their PodGroup, after a pending pod completed the group, after a pod of
/// the group got a node, and after a change that makes room.
pub(crate) fn queueing_hint(
    event: &Event,
    namespace: &pod::Namespace,
    group: &GroupName,
    pod: pod::Change<'_, (pod::Namespace, GroupName)>,
    groups: &Groups,
) -> Hint {
    let Some(ours) = key(namespace, group) else { return Hint::Skip };
    let is_ours = |(namespace, group): (&pod::Namespace, &GroupName)| key(namespace, group).as_ref() == Some(&ours);
    let is_complete =
        || groups.pod_group(&ours).is_some_and(|pod_group| incomplete(pod_group, groups.members(&ours)).is_none());
    let [before, after] = [pod.before.map(is_ours), pod.after.map(is_ours)];
    let helps = match event.kind_name() {
        pod_group::KIND => {
            let is_own = *event.namespace == **namespace && group.get() == Some(&event.name);
            is_own && !event.actions.contains(EventActions::DELETE)
        }
        // A member that gives up its node is pending again. A retry because of it would never end, and the group was
        // complete before.
        "PendingPod" => after == Some(true) && groups.was_incomplete(&ours) && is_complete(),
        "Node" => event.actions.intersects(NODE) && is_complete(),
        _ if after == Some(true) => before != Some(true),
        // When a group is rejected, its own pods leave their nodes. A retry because of them would never end.
        _ => before == Some(false) && event.actions.intersects(POD) && is_complete(),
    };
    Hint::queue_if(helps)
}
