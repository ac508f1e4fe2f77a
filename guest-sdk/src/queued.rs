//! The input of a queue-sort besides the pod's facts.

/// The time since when a pod has been waiting for its next attempt, in milliseconds since 1970. This is when the pod
/// was first seen, and later when its last attempt ended (kube-scheduler's `QueuedPodInfo.Timestamp`). The first
/// parameter of a queue-sort:
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::Queued;
///
/// /// The lowest key is first: pods of a team on call, then the pods that wait longest.
/// fn queue_sort(queued: Queued, pod: &pod::Labels) -> [i64; 2] {
///     [i64::from(pod.get("on-call").is_none()), queued.0]
/// }
///
/// berth_guest::plugin!(name: "OnCallFirst", queue_sort: queue_sort);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queued(pub i64);
