//! The bounds of the work for an answer.

use super::WhatIfError;

/// The number of pods and attempts, and a caller that can end the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhatIfLimits {
    /// The largest number of pods to schedule, without the repeated packing of a compaction.
    pub most_pods: usize,
    /// The largest number of nodes to add.
    pub most_nodes: usize,
    /// The largest number of further pods of a workload that is counted.
    pub most_more: usize,
    /// The largest number of pending pods whose reason is examined in detail.
    pub most_explained: usize,
}

impl Default for WhatIfLimits {
    /// 50,000 pods, 5,000 further nodes, 1,000 further pods of each workload, and 10 explained pods.
    fn default() -> Self {
        Self { most_pods: 50_000, most_nodes: 5_000, most_more: 1_000, most_explained: 10 }
    }
}

/// Counts attempts and asks the caller whether the work goes on.
pub(super) struct Control<'a> {
    goes_on: &'a mut dyn FnMut(usize) -> bool,
    attempts: usize,
}

impl<'a> Control<'a> {
    /// Creates a control. `goes_on` receives the number of scheduling attempts so far and returns whether there is time
    /// for another.
    pub fn new(goes_on: &'a mut dyn FnMut(usize) -> bool) -> Self {
        Self { goes_on, attempts: 0 }
    }

    /// Returns whether there is time for further work.
    pub fn has_time(&mut self) -> bool {
        (self.goes_on)(self.attempts)
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// The caller ends the work.
    pub fn attempt(&mut self) -> Result<(), WhatIfError> {
        if !self.has_time() {
            return Err(WhatIfError::Stopped { attempts: self.attempts });
        }
        self.attempts += 1;
        Ok(())
    }
}
