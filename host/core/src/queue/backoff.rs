//! How long a pod waits after a failed attempt.

use std::time::Duration;

use super::entry::QueuedPod;
use crate::time::Timestamp;

/// Exponential backoff.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// After the first failed attempt (`podInitialBackoffSeconds`).
    pub initial: Duration,
    /// At most (`podMaxBackoffSeconds`).
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Duration::from_secs(1), max: Duration::from_secs(10) }
    }
}

impl Backoff {
    /// When the pod may be tried again: doubled with every failed attempt in a row of the same kind.
    pub(super) fn end(&self, entry: &QueuedPod) -> Timestamp {
        let failures = if entry.errors > 0 { entry.errors } else { entry.rejections };
        match failures.checked_sub(1) {
            None => entry.last_attempt,
            Some(doublings) => {
                let factor = 1u32.checked_shl(doublings).unwrap_or(u32::MAX);
                entry.last_attempt.after(self.initial.saturating_mul(factor).min(self.max))
            }
        }
    }
}
