//! How long a pod exists.

use std::time::Duration;

use berth_core::Timestamp;

/// How long a pod exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// To the end of the capture.
    #[default]
    Forever,
    /// For this time after it was bound.
    After(Duration),
    /// Until this time: the pod was deleted before it was bound.
    Until(Timestamp),
}

impl Lifetime {
    /// Returns the time at which a pod ends that was bound at this time; `None` if it does not end.
    pub fn end(self, bound: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Forever => None,
            Self::After(duration) => Some(bound.after(duration)),
            Self::Until(time) => Some(time),
        }
    }

    /// Returns the lifetime of a pod that continues the work of one that has run for this time.
    pub fn rest(self, ran: Duration) -> Self {
        match self {
            Self::After(duration) => Self::After(duration.saturating_sub(ran)),
            other => other,
        }
    }
}
