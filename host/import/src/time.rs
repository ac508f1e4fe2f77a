//! A time in a recording.

use std::time::Duration;

use berth_core::Timestamp;

/// A time in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A point in time.
    Time(Timestamp),
    /// A duration after the start of the recording.
    After(Duration),
}

impl At {
    /// Returns the point in time, in a recording that starts at `start`.
    #[must_use]
    pub fn in_recording(self, start: Timestamp) -> Timestamp {
        match self {
            Self::Time(time) => time,
            Self::After(duration) => start.after(duration),
        }
    }
}
