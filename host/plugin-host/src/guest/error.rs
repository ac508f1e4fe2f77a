//! The reasons why a call into a plugin failed.

use wasmtime::{Trap, WasmBacktrace};

use super::deadline::Overrun;
use super::memory::Excess;
use super::shorten::shorten;
use crate::authority::Refusal;
use crate::contract::Export;

/// The number of stack frames of a trap that a message shows.
const FRAMES: usize = 5;

/// A call failed or gave an invalid answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The call exceeded the time or memory of [`berth_core::limits::Limits`].
    #[error("{0} in {1}")]
    OverLimit(String, Export),
    /// The plugin trapped. The text is the trap's message, then the plugin's last error log line or the innermost
    /// functions.
    #[error("trapped in {0}: {1}")]
    Trapped(Export, String),
    /// The plugin returned an error.
    #[error("{0} failed: {1}")]
    Returned(Export, String),
    /// The plugin's answer violates the contract.
    #[error("broke the contract in {0}: {1}")]
    BadAnswer(Export, String),
    /// The plugin asked for something that the configuration does not grant to it.
    #[error("{0}: it {1}")]
    NotGranted(Export, Refusal),
}

impl CallError {
    /// Returns whether the instance can't be used again, because its memory may be inconsistent.
    #[must_use]
    pub fn poisons(&self) -> bool {
        matches!(self, Self::OverLimit(..) | Self::Trapped(..))
    }

    /// Returns the function that was called.
    #[must_use]
    pub fn export(&self) -> Export {
        match self {
            Self::OverLimit(_, export)
            | Self::Trapped(export, _)
            | Self::Returned(export, _)
            | Self::BadAnswer(export, _)
            | Self::NotGranted(export, _) => *export,
        }
    }

    /// Converts the error of wasmtime.
    pub(super) fn from_trap(export: Export, error: &wasmtime::Error, logged: Option<String>) -> Self {
        if let Some(overrun) = error.downcast_ref::<Overrun>() {
            return Self::OverLimit(overrun.to_string(), export);
        }
        if let Some(excess) = error.downcast_ref::<Excess>() {
            return Self::OverLimit(excess.to_string(), export);
        }
        let trap = match error.downcast_ref::<Trap>() {
            Some(trap) => trap.to_string(),
            None => error.root_cause().to_string(),
        };
        let trap = trap.strip_prefix("wasm trap: ").unwrap_or(&trap);
        Self::Trapped(export, shorten(logged.unwrap_or_else(|| format!("{trap}{}", frames(error)))))
    }
}

/// Returns the innermost functions, if the component contains their names.
fn frames(error: &wasmtime::Error) -> String {
    let backtrace = error.downcast_ref::<WasmBacktrace>();
    let names: Vec<&str> = backtrace
        .into_iter()
        .flat_map(|backtrace| backtrace.frames())
        .filter_map(|frame| frame.func_name())
        .take(FRAMES)
        .collect();
    if names.is_empty() { String::new() } else { format!(" (in {})", names.join(", called by ")) }
}
