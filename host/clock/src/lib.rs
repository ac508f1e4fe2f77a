//! Clocks that code receives from its caller. Code that gets its time from a [`Clock`] runs in real time with
//! [`RealClock`], and in simulated time with another clock:
//!
//! - [`ManualClock`] stands still until a test moves it.
//! - [`AdjustableClock`] runs at any speed, stands still, or jumps to its next timer. A simulated cluster whose clients
//!   use the network has this clock.
//! - [`RuntimeClock`] is the time of a tokio runtime. If the runtime's time is paused, the clock jumps to the next timer
//!   when all tasks wait. tokio pauses all timers of a runtime, also those of the network, so this clock is for programs
//!   whose parts are all in one runtime.
//!
//! In: nothing, or what moves a simulated clock. Out: timestamps, instants, and timers.
//!
//! Code that receives a [`Clock`] must never read another clock, because the times of two clocks differ.

mod adjustable;
mod runtime;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt};
use jiff::Timestamp;
use tokio::sync::watch;

pub use adjustable::{AdjustableClock, MOST_SPEED};
pub use runtime::RuntimeClock;

/// One reading of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The time of day, for timestamps of objects.
    pub timestamp: Timestamp,
    /// The monotonic time, for timers. Compare it only with instants of the same clock.
    pub instant: Instant,
}

/// A source of time that the caller chooses.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Reads the clock.
    fn now(&self) -> Now;

    /// Waits until the clock's monotonic time is at least `at`.
    fn sleep_until(&self, at: Instant) -> BoxFuture<'static, ()>;

    /// Waits as [`Clock::sleep_until`] does, for periodic work that nobody waits for, such as the renewal of a Lease. A
    /// jump to the next timer passes over these timers.
    fn sleep_in_background_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        self.sleep_until(at)
    }

    /// Returns the time of day.
    fn timestamp(&self) -> Timestamp {
        self.now().timestamp
    }

    /// Returns the monotonic time.
    fn instant(&self) -> Instant {
        self.now().instant
    }

    /// Waits for a duration.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleep_until(self.instant() + duration)
    }
}

/// Returns the clock of the operating system.
pub fn real() -> Arc<dyn Clock> {
    Arc::new(RealClock)
}

/// The clock of the operating system. Its timers need a tokio runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Now {
        Now { timestamp: Timestamp::now(), instant: Instant::now() }
    }

    // The scheduler reads the time of day at every event, and needs no second reading for the instant.
    fn timestamp(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        tokio::time::sleep_until(at.into()).boxed()
    }
}

/// A clock that stands still until [`ManualClock::advance`] moves it forward.
#[derive(Debug)]
pub struct ManualClock {
    start: Now,
    /// The time by which the clock has advanced since `start`.
    passed: watch::Sender<Duration>,
}

impl ManualClock {
    /// Returns a clock that stands at this time of day.
    #[must_use]
    pub fn at(timestamp: Timestamp) -> Self {
        Self { start: Now { timestamp, instant: Instant::now() }, passed: watch::Sender::new(Duration::ZERO) }
    }

    /// Moves the clock forward. The timers that are due complete.
    pub fn advance(&self, duration: Duration) {
        self.passed.send_modify(|passed| *passed += duration);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Now {
        let passed = *self.passed.borrow();
        let timestamp = self.start.timestamp.checked_add(passed).unwrap_or(Timestamp::MAX);
        Now { timestamp, instant: self.start.instant + passed }
    }

    fn sleep_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        let wanted = at.saturating_duration_since(self.start.instant);
        let mut passed = self.passed.subscribe();
        async move {
            if passed.wait_for(|passed| *passed >= wanted).await.is_err() {
                // The clock is dropped, so the time never reaches `at`.
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        Timestamp::from_second(1_767_355_200).unwrap_or_default()
    }

    #[test]
    fn a_manual_clock_stands_still_until_it_is_moved() {
        let clock = ManualClock::at(noon());
        let before = clock.now();
        assert_eq!(clock.now(), before);
        clock.advance(Duration::from_secs(3600));
        assert_eq!(clock.timestamp().as_second(), noon().as_second() + 3600);
        assert_eq!(clock.instant() - before.instant, Duration::from_secs(3600));
    }

    #[test]
    fn a_timer_completes_when_its_clock_reaches_it() {
        let clock = ManualClock::at(noon());
        let mut timer = clock.sleep(Duration::from_secs(60));
        assert_eq!((&mut timer).now_or_never(), None, "before the first move");
        clock.advance(Duration::from_secs(59));
        assert_eq!((&mut timer).now_or_never(), None, "a second too early");
        clock.advance(Duration::from_secs(1));
        assert_eq!(timer.now_or_never(), Some(()));
        let past = clock.instant() - Duration::from_secs(1);
        assert_eq!(clock.sleep_until(past).now_or_never(), Some(()), "a time in the past");
    }

    #[test]
    fn a_timer_of_a_dropped_clock_never_completes() {
        let clock = ManualClock::at(noon());
        let mut timer = clock.sleep(Duration::from_secs(60));
        drop(clock);
        assert_eq!((&mut timer).now_or_never(), None);
    }

    #[tokio::test]
    async fn the_real_clock_advances_by_itself() {
        let before = RealClock.now();
        real().sleep(Duration::from_millis(1)).await;
        assert!(RealClock.instant() >= before.instant + Duration::from_millis(1));
    }
}
