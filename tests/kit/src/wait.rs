//! Waits for conditions. No test sleeps for a fixed time.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The maximum time to wait for a condition, unless a test sets another. It is generous, because machines are often
/// busy.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// The interval between two looks at a condition that has no notification of changes.
const LOOK_EVERY: Duration = Duration::from_millis(20);

static LAST_WAIT: Mutex<String> = Mutex::new(String::new());

/// The result of a look at a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look<T = ()> {
    /// The condition is true, with a value.
    Yes(T),
    /// The condition is not true, with a description of the current state.
    NotYet(String),
}

impl Look {
    /// Returns the result for a condition that is true or false. `found` describes the current state.
    pub fn at(condition: bool, found: impl FnOnce() -> String) -> Self {
        if condition { Self::Yes(()) } else { Self::NotYet(found()) }
    }
}

/// Calls `look` until it returns yes, for up to [`PATIENCE`].
///
/// # Errors
/// Returns the look's own error, or an error with the last state if there was no yes in time.
pub async fn eventually<T, F: Future<Output = Result<Look<T>>>>(what: &str, look: impl FnMut() -> F) -> Result<T> {
    eventually_within(PATIENCE, what, look).await
}

/// Calls `look` until it returns yes, for up to `patience`.
///
/// # Errors
/// As [`eventually`].
pub async fn eventually_within<T, F: Future<Output = Result<Look<T>>>>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> F,
) -> Result<T> {
    begin(what);
    let deadline = Instant::now() + patience;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        let found = match look().await? {
            Look::Yes(answer) => return Ok(answer),
            Look::NotYet(found) => found,
        };
        if Instant::now() > deadline {
            bail!("waited {patience:?} in vain until {what}; last seen: {found}");
        }
    }
}

/// Calls `look` until it returns a value, for up to [`PATIENCE`].
///
/// # Panics
/// Panics if there was no value in time.
pub async fn until_some<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    begin(what);
    let deadline = Instant::now() + PATIENCE;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() <= deadline, "waited {PATIENCE:?} in vain until {what}");
    }
}

/// Waits for this time. Use it only for a fault that consists of a delay, never to wait for a condition.
pub async fn pass(time: Duration) {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + time, time);
    ticks.tick().await;
}

/// Returns a description of the current wait of this process, or of the last one.
pub fn last_wait() -> String {
    LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Notes the description of a wait, for [`last_wait`].
pub fn begin(what: &str) {
    what.clone_into(&mut LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner));
}
