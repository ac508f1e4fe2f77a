//! The input of a queue-sort besides the pod's facts.

use crate::bindings::queue_sort::exports::berth::scheduler::queue_sort::QueueTimes;

/// The times of a pod in the queue, in milliseconds since 1970. The first parameter of a queue-sort:
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::Queued;
///
/// /// The lowest key is first: pods with the label `on-call`, and among equal pods the pod that has waited longest.
/// fn queue_sort(times: Queued, pod: &pod::Labels) -> [i64; 2] {
///     [i64::from(pod.get("on-call").is_none()), times.queued]
/// }
///
/// berth_guest::plugin!(name: "OnCallFirst", queue_sort: queue_sort);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The time when the scheduler first saw the pod (kube-scheduler's `InitialAttemptTimestamp`).
    pub first_queued: i64,
    /// The start of the pod's present wait (kube-scheduler's `QueuedPodInfo.Timestamp`): `first_queued`, later the end
    /// of the pod's last attempt.
    pub queued: i64,
}

impl From<QueueTimes> for Queued {
    fn from(QueueTimes { first_queued, queued }: QueueTimes) -> Queued {
        Queued { first_queued, queued }
    }
}
