//! Where a pod waits.

use super::advisor::SortKey;
use super::incoming::Part;
use crate::time::Timestamp;

/// Where a pod waits, with its key there. The last number makes keys differ, in the order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Active(SortKey, u64),
    /// Until then, after a rejection. Taken before its time when nothing is active, in the order of the keys.
    Backoff(Timestamp, SortKey, u64),
    /// Until then, after an attempt without a verdict.
    ErrorBackoff(Timestamp, u64),
    /// Since then.
    Unschedulable(Timestamp, u64),
    /// Held back by pre-enqueue.
    Gated(u64),
    /// Until those are gone that are evicted for it.
    Held(u64),
    /// It came just now; [`super::Queue::settle`] finds its place.
    Door,
}

impl Place {
    /// `None` as long as it is not decided.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Active(..) => Some(Part::Active),
            Self::Backoff(..) | Self::ErrorBackoff(..) => Some(Part::Backoff),
            Self::Unschedulable(..) => Some(Part::Unschedulable),
            Self::Gated(..) | Self::Held(..) => Some(Part::Gated),
            Self::Door => None,
        }
    }

    /// The number under which it waits for something that helps.
    pub fn waits(&self) -> Option<u64> {
        match self {
            Self::Unschedulable(_, number) | Self::Gated(number) => Some(*number),
            _ => None,
        }
    }

    /// The least place of backoff.
    pub fn backoff() -> Self {
        Self::Backoff(Timestamp(0), SortKey::default(), 0)
    }

    /// The least place of backoff after errors, which is where the other ends.
    pub fn error_backoff() -> Self {
        Self::ErrorBackoff(Timestamp(0), 0)
    }

    /// The least place of unschedulable, which is where backoff ends.
    pub fn unschedulable() -> Self {
        Self::Unschedulable(Timestamp(0), 0)
    }

    /// The least place of gated, which is where unschedulable ends.
    pub fn gated() -> Self {
        Self::Gated(0)
    }
}
