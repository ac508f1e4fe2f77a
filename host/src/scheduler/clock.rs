//! The time source of events.

use std::time::{SystemTime, UNIX_EPOCH};

use berth_core::Timestamp;

/// The wall clock, made monotonic: the core relies on time that never goes back.
#[derive(Debug, Default)]
pub struct Clock {
    latest: Timestamp,
}

impl Clock {
    /// Returns the current time, at least the time returned last.
    pub fn now(&mut self) -> Timestamp {
        self.latest = self.latest.max(now());
        self.latest
    }
}

/// Returns the time of the wall clock.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
