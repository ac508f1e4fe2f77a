//! Waiting for conditions: no test sleeps and hopes.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How long a condition may take to come true, unless a test says otherwise. It is much for a machine that does nothing
/// else, and there are others.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// How often a condition is looked at where nothing tells of changes.
const LOOK_EVERY: Duration = Duration::from_millis(20);

static LAST_WAIT: Mutex<String> = Mutex::new(String::new());

/// What a look at a condition found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look<T = ()> {
    /// It is true; this came with it.
    Yes(T),
    /// It is not; this is how things are instead.
    NotYet(String),
}

impl Look {
    /// Looks at a condition that is true or not; `found` says how things are.
    pub fn at(condition: bool, found: impl FnOnce() -> String) -> Self {
        if condition { Self::Yes(()) } else { Self::NotYet(found()) }
    }
}

/// Looks until the answer is yes, for up to [`PATIENCE`].
///
/// # Errors
/// The look's own, or that there was no yes in time, with what the last look found.
pub async fn eventually<T, F: Future<Output = Result<Look<T>>>>(what: &str, look: impl FnMut() -> F) -> Result<T> {
    eventually_within(PATIENCE, what, look).await
}

/// Looks until the answer is yes, for up to `patience`.
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

/// Lets this time pass: for a fault that consists of it, never for a condition.
pub(crate) async fn pass(time: Duration) {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + time, time);
    ticks.tick().await;
}

/// What this process waits for, or did last.
pub fn last_wait() -> String {
    LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

pub(crate) fn begin(what: &str) {
    what.clone_into(&mut LAST_WAIT.lock().unwrap_or_else(PoisonError::into_inner));
}
