//! Decides when a failed plugin is started again.

use std::time::Duration;

use berth_core::Timestamp;

use crate::contract::Export;

/// The number of consecutive failures up to which the plugin is started again at once, without a back-off.
const IMMEDIATE_RESTARTS: u32 = 3;
/// The first back-off. Each further failure doubles the back-off.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
/// The longest back-off.
const LONGEST_BACKOFF: Duration = Duration::from_secs(300);

/// The consecutive failures of a plugin, without an answer of the failed function in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Streak {
    failures: u32,
    failed_in: Option<Export>,
}

impl Streak {
    /// Records a failure in this function, or during a rebuild (`None`). Returns the end of the back-off, or `None`
    /// to start again at once.
    pub fn failed(&mut self, export: Option<Export>, now: Timestamp) -> Option<Timestamp> {
        self.failures = self.failures.saturating_add(1);
        self.failed_in = export.or(self.failed_in);
        let beyond = self.failures.checked_sub(IMMEDIATE_RESTARTS + 1)?;
        let backoff = FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(beyond)).min(LONGEST_BACKOFF);
        Some(now.after(backoff))
    }

    /// Records an answer of this function. Resets the count if the last failure in a call was in the same function, or
    /// if all failures were during rebuilds.
    pub fn answered(&mut self, export: Export) {
        if self.failures > 0 && self.failed_in.is_none_or(|failed| failed == export) {
            *self = Self::default();
        }
    }

    /// Returns the number of failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_three_failures_the_backoff_doubles_up_to_a_limit() {
        let mut streak = Streak::default();
        let now = Timestamp(1_000);
        let backoffs: Vec<Option<u64>> =
            (0..14).map(|_| streak.failed(Some(Export::Filter), now).map(|at| at.0 - now.0)).collect();
        assert_eq!(backoffs[..5], [None, None, None, Some(1_000), Some(2_000)]);
        assert_eq!(backoffs[11..], [Some(256_000), Some(300_000), Some(300_000)]);
    }

    #[test]
    fn only_an_answer_of_the_failed_function_resets_the_count() {
        let mut streak = Streak::default();
        streak.failed(Some(Export::Score), Timestamp(0));
        streak.failed(None, Timestamp(0));
        streak.answered(Export::Filter);
        assert_eq!(streak.failures(), 2);
        streak.answered(Export::Score);
        assert_eq!(streak.failures(), 0);
    }
}
