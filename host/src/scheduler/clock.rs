//! The time source of events.

use std::sync::Arc;
use std::time::Duration;

use berth_core::Timestamp;
use futures::future::BoxFuture;

/// A clock, made monotonic: the core relies on time that never goes back.
#[derive(Debug)]
pub struct Clock {
    source: Arc<dyn berth_clock::Clock>,
    latest: Timestamp,
}

impl Clock {
    /// Returns a clock with the time of `source`.
    pub fn new(source: Arc<dyn berth_clock::Clock>) -> Self {
        Self { source, latest: Timestamp(0) }
    }

    /// Returns the current time, at least the time returned last.
    pub fn now(&mut self) -> Timestamp {
        self.latest = self.latest.max(now_of(&*self.source));
        self.latest
    }

    /// Waits for a duration.
    pub fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.source.sleep(duration)
    }
}

/// Returns the time of the wall clock.
pub fn now() -> Timestamp {
    now_of(&berth_clock::RealClock)
}

/// Returns the time of day of a clock.
pub fn now_of(clock: &dyn berth_clock::Clock) -> Timestamp {
    Timestamp(u64::try_from(clock.timestamp().as_millisecond()).unwrap_or_default())
}
