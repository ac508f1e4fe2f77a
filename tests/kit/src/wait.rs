//! Waits for conditions. No test sleeps for a fixed time.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The maximum time to wait for a condition, unless a test sets another time. The time is generous, because machines
/// are often busy.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// The interval between checks of a condition without a notification of changes.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

static LAST_WAIT: Mutex<String> = Mutex::new(String::new());

/// The result of a check of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look<T = ()> {
    /// The condition is true, with a value.
    Yes(T),
    /// The condition is not true, with a description of the current state.
    NotYet(String),
}

impl Look {
    /// Returns the result for a condition that is true or false. `found` describes the current state.
    pub fn at(is_true: bool, found: impl FnOnce() -> String) -> Self {
        if is_true { Self::Yes(()) } else { Self::NotYet(found()) }
    }
}

/// Calls `look` until it returns [`Look::Yes`], for up to [`PATIENCE`].
///
/// # Errors
/// Returns the error of `look`, or an error with the last state if `look` did not return [`Look::Yes`] in time.
pub async fn eventually<T, F: Future<Output = Result<Look<T>>>>(condition: &str, look: impl FnMut() -> F) -> Result<T> {
    eventually_within(PATIENCE, condition, look).await
}

/// Calls `look` until it returns [`Look::Yes`], for up to `patience`.
///
/// # Errors
/// As [`eventually`].
pub async fn eventually_within<T, F: Future<Output = Result<Look<T>>>>(
    patience: Duration,
    condition: &str,
    mut look: impl FnMut() -> F,
) -> Result<T> {
    begin(condition);
    let deadline = Instant::now() + patience;
    let mut looks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        looks.tick().await;
        let found = match look().await? {
            Look::Yes(answer) => return Ok(answer),
            Look::NotYet(found) => found,
        };
        if Instant::now() > deadline {
            bail!("timed out after {patience:?} waiting until {condition}; last seen: {found}");
        }
    }
}

/// Calls `look` until it returns a value, for up to [`PATIENCE`].
///
/// # Panics
/// Panics if there was no value in time.
pub async fn until_some<T>(condition: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    begin(condition);
    let deadline = Instant::now() + PATIENCE;
    let mut looks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        looks.tick().await;
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() <= deadline, "timed out after {PATIENCE:?} waiting until {condition}");
    }
}

/// Waits for this time. Use it only for a fault that consists of a delay, never to wait for a condition.
pub async fn pass(time: Duration) {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + time, time);
    ticks.tick().await;
}

/// Returns the condition that this process waits for or, between waits, the last condition.
pub fn last_wait() -> String {
    LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Records the condition of a wait, for [`last_wait`].
pub fn begin(condition: &str) {
    condition.clone_into(&mut LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner));
}
