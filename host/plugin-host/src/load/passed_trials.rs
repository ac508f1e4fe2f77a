//! Remembers the arguments with which a component has passed its trial on the synthetic cluster.

use std::sync::{Arc, Mutex, PoisonError};

use berth_core::limits::Limits;

/// The largest number of arguments that are kept. More are used only by a preview that tries many arguments.
const KEPT: usize = 64;

/// The arguments and limits with which a component has passed its trial on the synthetic cluster. Another trial would
/// have the same result: a component has no clock, no randomness and no other input. A replay and a what-if question
/// make new instances of the same components again and again.
#[derive(Default)]
pub(super) struct PassedTrials(Mutex<Vec<(Arc<Limits>, Box<str>)>>);

impl PassedTrials {
    /// Returns whether the component has passed with these arguments and limits.
    pub fn contains(&self, arguments: &str, limits: &Limits) -> bool {
        let passed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        passed.iter().any(|(under, with)| **with == *arguments && **under == *limits)
    }

    /// Records that the component has passed.
    pub fn insert(&self, arguments: &str, limits: &Arc<Limits>) {
        let mut passed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if passed.len() == KEPT {
            passed.remove(0);
        }
        passed.push((Arc::clone(limits), arguments.into()));
    }
}
