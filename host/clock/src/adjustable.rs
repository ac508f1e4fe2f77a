//! A clock whose speed can be changed while it runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt};
use jiff::Timestamp;
use tokio::sync::watch;

use super::{Clock, Now};

/// The highest speed. At a higher one, a timer of a millisecond would be due at once, and periodic work would never end.
pub const MOST_SPEED: f64 = 1_000.0;

/// The real time between two timers while the clock advances, in which the tasks that wait for the first timer can run.
const PAUSE: Duration = Duration::from_millis(1);

/// The time between two stops for periodic work while the clock advances. Many nodes renew their Leases in this time, and a
/// stop for each of them would take minutes.
const STRIDE: Duration = Duration::from_secs(1);

/// A clock that runs at any speed, stands still, or advances to a later time. Its timers need a tokio runtime.
#[derive(Clone)]
pub struct AdjustableClock(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Changes when the clock's speed or time is set, so that timers are computed again.
    set: watch::Sender<()>,
}

struct State {
    /// A reading of this clock, and the real time of the reading.
    base: (Now, Instant),
    /// Seconds of this clock in a second of real time. 0 for a clock that stands still.
    speed: f64,
    /// The pending timers by time, with their number; background timers apart.
    timers: [BTreeMap<Instant, usize>; 2],
}

/// The kind of a timer: the index in [`State::timers`].
#[derive(Clone, Copy)]
enum Kind {
    Foreground,
    Background,
}

impl fmt::Debug for AdjustableClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdjustableClock").field("speed", &self.speed()).finish_non_exhaustive()
    }
}

impl AdjustableClock {
    /// Returns a clock that has this time of day now, and runs at this speed.
    #[must_use]
    pub fn new(timestamp: Timestamp, speed: f64) -> Self {
        let real = Instant::now();
        let base = (Now { timestamp, instant: real }, real);
        let state = State { base, speed: speed.clamp(0.0, MOST_SPEED), timers: Default::default() };
        Self(Arc::new(Shared { state: Mutex::new(state), set: watch::Sender::new(()) }))
    }

    /// Returns the seconds of this clock in a second of real time.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.state().speed
    }

    /// Sets the speed, between 0 and [`MOST_SPEED`]. 0 stops the clock.
    pub fn set_speed(&self, speed: f64) {
        {
            let mut state = self.state();
            state.base = state.reading();
            state.speed = speed.clamp(0.0, MOST_SPEED);
        }
        self.0.set.send_replace(());
    }

    /// Advances the clock from timer to timer, up to this duration from now. Between two timers, waits for a millisecond
    /// of real time, so that what follows from the first timer has begun before the second one. Periodic work that is due
    /// within a second has one stop.
    pub async fn advance(&self, duration: Duration) {
        let end = self.instant() + duration;
        loop {
            let at = {
                let state = self.state();
                let periodic = state.next(Kind::Background).map(|at| at.max(state.reading().0.instant + STRIDE));
                [state.next(Kind::Foreground), periodic].into_iter().flatten().min().unwrap_or(end).min(end)
            };
            self.move_to(at);
            tokio::time::sleep(PAUSE).await;
            if at >= end {
                return;
            }
        }
    }

    /// Advances the clock to the next timer, except those of periodic work. Returns the new time, or `None` if there is no
    /// such timer.
    pub async fn jump(&self) -> Option<Timestamp> {
        let next = self.state().next(Kind::Foreground)?;
        self.advance(next.saturating_duration_since(self.instant())).await;
        Some(self.timestamp())
    }

    /// Moves the clock to this time, unless the time is past.
    fn move_to(&self, at: Instant) {
        {
            let mut state = self.state();
            let (mut now, real) = state.reading();
            let by = at.saturating_duration_since(now.instant);
            now = now.later(by);
            state.base = (now, real);
        }
        self.0.set.send_replace(());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timer(&self, at: Instant, kind: Kind) -> BoxFuture<'static, ()> {
        let registered = Registered::new(self.clone(), at, kind);
        async move {
            let clock = &registered.clock;
            let mut set = clock.0.set.subscribe();
            loop {
                let (left, speed) = {
                    let state = clock.state();
                    (at.saturating_duration_since(state.reading().0.instant), state.speed)
                };
                if left.is_zero() {
                    return;
                }
                // At speed 0 this is no real duration, so only a change can end the wait.
                let real = Duration::try_from_secs_f64(left.as_secs_f64() / speed).ok();
                let due = async {
                    match real {
                        // Timers of tokio have milliseconds, so a wait may end early.
                        Some(real) => tokio::time::sleep(real).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = due => {}
                    // The sender lives as long as the clock.
                    _ = set.changed() => {}
                }
            }
        }
        .boxed()
    }
}

impl Clock for AdjustableClock {
    fn now(&self) -> Now {
        self.state().reading().0
    }

    fn sleep_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        self.timer(at, Kind::Foreground)
    }

    fn sleep_in_background_until(&self, at: Instant) -> BoxFuture<'static, ()> {
        self.timer(at, Kind::Background)
    }
}

impl Now {
    fn later(self, by: Duration) -> Self {
        let timestamp = self.timestamp.checked_add(by).unwrap_or(Timestamp::MAX);
        Self { timestamp, instant: self.instant + by }
    }
}

impl State {
    /// Returns the clock's time, and the real time.
    fn reading(&self) -> (Now, Instant) {
        let real = Instant::now();
        let (base, since) = self.base;
        (base.later(real.duration_since(since).mul_f64(self.speed)), real)
    }

    /// Returns the time of the next timer of this kind.
    fn next(&self, kind: Kind) -> Option<Instant> {
        let now = self.reading().0.instant;
        self.timers[kind as usize].range(now..).map(|(at, _)| *at).find(|at| *at > now)
    }
}

/// A timer that is listed in [`State::timers`] until it is dropped.
struct Registered {
    clock: AdjustableClock,
    at: Instant,
    kind: Kind,
}

impl Registered {
    fn new(clock: AdjustableClock, at: Instant, kind: Kind) -> Self {
        *clock.state().timers[kind as usize].entry(at).or_default() += 1;
        Self { clock, at, kind }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut state = self.clock.state();
        let timers = &mut state.timers[self.kind as usize];
        if let Some(count) = timers.get_mut(&self.at) {
            *count -= 1;
            if *count == 0 {
                timers.remove(&self.at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn stopped() -> AdjustableClock {
        AdjustableClock::new(Timestamp::from_second(1_767_355_200).unwrap_or_default(), 0.0)
    }

    #[tokio::test]
    async fn a_stopped_clock_has_the_same_time_until_it_advances() {
        let clock = stopped();
        let before = clock.now();
        let mut timer = clock.sleep(HOUR);
        assert_eq!((&mut timer).now_or_never(), None);
        assert_eq!(clock.now(), before);
        clock.advance(HOUR * 2).await;
        assert_eq!(timer.now_or_never(), Some(()));
        assert_eq!(clock.instant() - before.instant, HOUR * 2);
        assert_eq!(clock.timestamp().duration_since(before.timestamp).as_hours(), 2);
    }

    #[tokio::test]
    async fn an_advancing_clock_stops_at_each_timer() {
        let clock = stopped();
        let began = clock.instant();
        let task = {
            let clock = clock.clone();
            let first = clock.sleep(HOUR);
            tokio::spawn(async move {
                first.await;
                clock.instant()
            })
        };
        clock.advance(HOUR * 5).await;
        assert_eq!(task.await.map(|at| at - began).ok(), Some(HOUR));
    }

    #[tokio::test]
    async fn a_jump_goes_to_the_next_timer_that_is_no_periodic_work() {
        let clock = stopped();
        assert_eq!(clock.jump().await, None);
        let began = clock.instant();
        let _periodic = clock.sleep_in_background_until(began + HOUR);
        let _timer = clock.sleep(HOUR * 3);
        assert!(clock.jump().await.is_some());
        assert_eq!(clock.instant() - began, HOUR * 3);
    }

    #[tokio::test]
    async fn a_timer_follows_a_change_of_speed() {
        let clock = stopped();
        let timer = clock.sleep(Duration::from_secs(30));
        clock.set_speed(MOST_SPEED);
        timer.await;
        assert!(clock.speed() > 1.0);
        clock.set_speed(-1.0);
        assert!(clock.speed().abs() < f64::EPSILON);
    }
}
