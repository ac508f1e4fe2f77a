//! The input of a queue-sort besides the pod's facts.

/// The time at which a pod began to wait for its next attempt, in milliseconds since 1970: the end of the pod's last
/// attempt, or, before the first attempt, the time at which the scheduler first saw the pod (kube-scheduler's
/// `QueuedPodInfo.Timestamp`). The first parameter of a queue-sort:
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::Queued;
///
/// /// The lowest key is first: pods with the label `on-call`, and among equal pods the pod that has waited longest.
/// fn queue_sort(queued: Queued, pod: &pod::Labels) -> [i64; 2] {
///     [i64::from(pod.get("on-call").is_none()), queued.0]
/// }
///
/// berth_guest::plugin!(name: "OnCallFirst", queue_sort: queue_sort);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queued(pub i64);
