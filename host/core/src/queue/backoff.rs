//! How long a pod waits after a failed attempt.

use std::time::Duration;

use super::entry::QueuedPod;
use crate::time::Timestamp;

/// Backoffs end together at the turn of a second, so that the pods that end there are tried in their order.
const WINDOW_MILLIS: u64 = 1000;

/// Exponential backoff.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// After the first failed attempt (`podInitialBackoffSeconds`).
    pub initial: Duration,
    /// At most (`podMaxBackoffSeconds`); zero is no backoff at all.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Duration::from_secs(1), max: Duration::from_secs(10) }
    }
}

impl Backoff {
    /// When the pod may be tried again: doubled with every rejection, or with every error in a row since the last; at the
    /// end of the second in which that is over.
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
