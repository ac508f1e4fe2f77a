//! The place of a pod in the queue.

use super::advisor::SortKey;
use super::incoming::Part;
use crate::time::Timestamp;

/// The sub-queue of a pod, with its key there. The last number is the arrival number, which makes keys unique.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
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
    /// Held until the pods that are evicted for it are going.
    Held(u64),
    /// At admission: [`super::Queue::settle`] decides its place.
    Door,
}

impl Place {
    /// Returns the sub-queue, or `None` while the place is not decided.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Active(..) => Some(Part::Active),
            Self::Backoff(..) | Self::ErrorBackoff(..) => Some(Part::Backoff),
            Self::Unschedulable(..) => Some(Part::Unschedulable),
            Self::Gated(..) | Self::Held(..) => Some(Part::Gated),
            Self::Door => None,
        }
    }

    /// Returns the arrival number under which the pod waits for events that help it.
    pub fn waits(&self) -> Option<u64> {
        match self {
            Self::Unschedulable(_, number) | Self::Gated(number) => Some(*number),
            _ => None,
        }
    }

    /// The smallest place of the backoff sub-queue.
    pub fn backoff() -> Self {
        Self::Backoff(Timestamp(0), SortKey::default(), 0)
    }

    /// The smallest place of the backoff after errors, which is the end of the backoff after rejections.
    pub fn error_backoff() -> Self {
        Self::ErrorBackoff(Timestamp(0), 0)
    }

    /// The smallest place of the unschedulable sub-queue, which is the end of the backoff after errors.
    pub fn unschedulable() -> Self {
        Self::Unschedulable(Timestamp(0), 0)
    }

    /// The smallest place of the gated sub-queue, which is the end of the unschedulable sub-queue.
    pub fn gated() -> Self {
        Self::Gated(0)
    }
}
