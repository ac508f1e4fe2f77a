//! Failed calls as data: a capture records them, and a replay repeats them. A failure depends on CPU time and on the state
//! of an instance, so a replay can't compute it.

use berth_core::plugins::{Cycle, FailedCall, PluginError};

use crate::contract::Export;

/// What happens to failed calls beside their effect.
#[derive(Debug, Default)]
pub(super) enum Failures {
    /// Nothing.
    #[default]
    Ignored,
    /// They are recorded until [`super::Guests::take_failures`].
    Recorded(Vec<FailedCall>),
    /// These calls fail, each once.
    Repeated(Vec<FailedCall>),
}

impl Failures {
    /// Returns the error with which this call has to fail, and removes it.
    pub fn repeated(&mut self, plugin: &str, export: Export, cycle: &Cycle<'_>) -> Option<PluginError> {
        let Self::Repeated(failed) = self else { return None };
        let at = failed.iter().position(|call| {
            *call.error.plugin == *plugin && *call.function == *export.name() && call.pod == cycle.pod.key.uid
        })?;
        Some(failed.remove(at).error)
    }

    /// Records the failure of a call.
    pub fn record(&mut self, export: Export, cycle: &Cycle<'_>, error: &PluginError) {
        if let Self::Recorded(failed) = self {
            let (function, pod) = (export.name().into(), cycle.pod.key.uid.clone());
            failed.push(FailedCall { function, pod, error: error.clone() });
        }
    }
}

impl super::Guests {
    /// Begins to record the calls that fail. Take them after each step with [`Self::take_failures`].
    pub fn record_failures(&mut self) {
        self.failures = Failures::Recorded(Vec::new());
    }

    /// Returns the calls that failed since the last call of this function, if they are recorded.
    pub fn take_failures(&mut self) -> Vec<FailedCall> {
        match &mut self.failures {
            Failures::Recorded(failed) => std::mem::take(failed),
            Failures::Ignored | Failures::Repeated(_) => Vec::new(),
        }
    }

    /// Makes these calls fail in the next step, each once, without a call of the plugin. Returns the calls of the step
    /// before that were not made.
    pub fn repeat_failures(&mut self, failed: Vec<FailedCall>) -> Vec<FailedCall> {
        match std::mem::replace(&mut self.failures, Failures::Repeated(failed)) {
            Failures::Repeated(left) => left,
            Failures::Ignored | Failures::Recorded(_) => Vec::new(),
        }
    }
}
