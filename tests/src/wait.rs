//! Waiting for conditions: no test sleeps and hopes.

use std::future::Future;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Asks until there is an answer, for up to a minute.
///
/// # Errors
/// The question's own, or that there was no answer in time.
pub async fn eventually<T, F: Future<Output = Result<Option<T>>>>(what: &str, ask: impl FnMut() -> F) -> Result<T> {
    eventually_within(Duration::from_secs(60), what, ask).await
}

/// Asks until there is an answer, for up to `patience`.
///
/// # Errors
/// As [`eventually`].
pub async fn eventually_within<T, F: Future<Output = Result<Option<T>>>>(
    patience: Duration,
    what: &str,
    mut ask: impl FnMut() -> F,
) -> Result<T> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if Instant::now() > deadline {
            bail!("waited {patience:?} in vain for: {what}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
