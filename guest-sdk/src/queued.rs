//! What a queue-sort is told of a pod beyond its facts.

/// Since when a pod waits for its next attempt, milliseconds since 1970: when it was first seen, then when its last attempt
/// ended (kube-scheduler's `QueuedPodInfo.Timestamp`). The first parameter of a queue-sort:
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::Queued;
///
/// /// The lowest key goes first: those of a team that is on call, then who waits longest.
/// fn queue_sort(queued: Queued, pod: &pod::Labels) -> [i64; 2] {
///     [i64::from(pod.get("on-call").is_none()), queued.0]
/// }
///
/// berth_guest::plugin!(name: "OnCallFirst", queue_sort: queue_sort);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queued(pub i64);
