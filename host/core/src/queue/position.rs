//! The position of a pod in the queue.

use serde::{Deserialize, Serialize};

use super::entry::SortKey;
use super::incoming::SubQueue;
use crate::time::Timestamp;

/// The sub-queue of a pod, with its key there. The last number is the arrival number, which makes keys unique.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Position {
    Active(SortKey, u64),
    /// After a rejection, until this time. If the active sub-queue is empty, the first pod is popped before this
    /// time. Pods with the same time are in the order of their sort keys.
    Backoff(Timestamp, SortKey, u64),
    /// After an attempt without a verdict, until this time.
    ErrorBackoff(Timestamp, u64),
    /// Rejected since this time.
    Unschedulable(Timestamp, u64),
    /// Gated by pre-enqueue.
    Gated(u64),
    /// Waits until the pods that are evicted for it are being deleted.
    AwaitsEvictions(u64),
    /// At admission: [`super::Queue::settle`] decides its position.
    Admission,
}

impl Position {
    /// Returns the sub-queue, or `None` while the position is not decided.
    pub fn sub_queue(&self) -> Option<SubQueue> {
        match self {
            Self::Active(..) => Some(SubQueue::Active),
            Self::Backoff(..) | Self::ErrorBackoff(..) => Some(SubQueue::Backoff),
            Self::Unschedulable(..) => Some(SubQueue::Unschedulable),
            Self::Gated(..) | Self::AwaitsEvictions(..) => Some(SubQueue::Gated),
            Self::Admission => None,
        }
    }

    /// Returns the arrival number under which the pod waits for events that help, or `None` if no event can move the
    /// pod.
    pub fn waits(&self) -> Option<u64> {
        match self {
            Self::Unschedulable(_, number) | Self::Gated(number) => Some(*number),
            _ => None,
        }
    }

    /// The smallest position of the backoff sub-queue.
    pub fn backoff() -> Self {
        Self::Backoff(Timestamp(0), SortKey::default(), 0)
    }

    /// The smallest position of the backoff after errors, which is the end of the backoff after rejections.
    pub fn error_backoff() -> Self {
        Self::ErrorBackoff(Timestamp(0), 0)
    }

    /// The smallest position of the unschedulable sub-queue, which is the end of the backoff after errors.
    pub fn unschedulable() -> Self {
        Self::Unschedulable(Timestamp(0), 0)
    }

    /// The smallest position of the gated sub-queue, which is the end of the unschedulable sub-queue.
    pub fn gated() -> Self {
        Self::Gated(0)
    }
}
