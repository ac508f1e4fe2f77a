//! The time of a tokio runtime.

use std::time::Instant;

use futures::future::{BoxFuture, FutureExt};
use jiff::Timestamp;

use super::{Clock, Now};

/// The time of the tokio runtime in which the clock is used.
///
/// In a runtime whose time is paused, the time stands still while a task has something to do, and jumps to the next
/// timer when all tasks wait.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClock {
    began: tokio::time::Instant,
    timestamp: Timestamp,
}

impl RuntimeClock {
    /// Returns a clock whose time of day is now `timestamp`. Call this function in the runtime.
    #[must_use]
    pub fn from(timestamp: Timestamp) -> Self {
        Self { began: tokio::time::Instant::now(), timestamp }
    }
}

impl Clock for RuntimeClock {
    fn now(&self) -> Now {
        let now = tokio::time::Instant::now();
        let timestamp = self.timestamp.checked_add(now.duration_since(self.began)).unwrap_or(Timestamp::MAX);
        Now { timestamp, instant: now.into_std() }
    }

    fn sleep_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        tokio::time::sleep_until(at.into()).boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn paused_time_jumps_to_the_next_timer() {
        let noon = Timestamp::from_second(1_767_355_200).unwrap_or_default();
        let clock = RuntimeClock::from(noon);
        assert_eq!(clock.timestamp(), noon);
        clock.sleep(Duration::from_secs(3600)).await;
        assert_eq!(clock.timestamp().as_second(), noon.as_second() + 3600);
    }
}
