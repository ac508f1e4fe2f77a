//! The backoff of a pod after a failed attempt.

use std::time::Duration;

use super::entry::QueuedPod;
use crate::time::Timestamp;

/// Backoffs end at multiples of this time in milliseconds, so that pods whose backoffs end in the same second are tried
/// in queue order.
const WINDOW_MILLIS: u64 = 1000;

/// Exponential backoff.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// The backoff after the first failed attempt (`podInitialBackoffSeconds`).
    pub initial: Duration,
    /// The longest backoff (`podMaxBackoffSeconds`). Zero disables backoff.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Duration::from_secs(1), max: Duration::from_secs(10) }
    }
}

impl Backoff {
    /// Returns when the pod may be tried again. The backoff doubles with every rejection, up to `max`. If the last
    /// attempt failed without a verdict, the consecutive failures count instead of the rejections. The result is the
    /// end of the second in which the backoff is over.
    pub(super) fn end(&self, entry: &QueuedPod) -> Timestamp {
        let failures = if entry.errors > 0 { entry.errors } else { entry.rejections };
        match failures.checked_sub(1) {
            Some(doublings) if !self.max.is_zero() => {
                let factor = 1u32.checked_shl(doublings).unwrap_or(u32::MAX);
                let over = entry.queued.after(self.initial.saturating_mul(factor).min(self.max));
                Timestamp((over.0 / WINDOW_MILLIS).saturating_add(1).saturating_mul(WINDOW_MILLIS))
            }
            _ => entry.queued,
        }
    }
}
