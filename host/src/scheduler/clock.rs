//! The time that events carry.

use std::time::{SystemTime, UNIX_EPOCH};

use berth_core::Timestamp;

/// The wall clock, except that it never goes back: the core relies on that.
#[derive(Debug, Default)]
pub struct Clock {
    latest: Timestamp,
}

impl Clock {
    /// The time now.
    pub fn now(&mut self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        self.latest = self.latest.max(now);
        self.latest
    }
}
