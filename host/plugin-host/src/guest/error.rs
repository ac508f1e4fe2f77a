//! Why a call into a guest gave no answer, in words for people.

use wasmtime::{Trap, WasmBacktrace};

use super::answers::shorten;
use super::call::Export;
use super::deadline::Overrun;
use super::memory::Excess;

/// Frames of a trap that a message shows.
const FRAMES: usize = 5;

/// A call gave no answer, or one that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It ran longer, or wanted more memory, than [`crate::Limits`] allow.
    #[error("{0} in {1}")]
    OverLimit(String, Export),
    /// The guest trapped. The words of the trap, then what the guest logged last, or the innermost functions.
    #[error("trapped in {0}: {1}")]
    Trapped(Export, String),
    /// The guest itself answered with an error.
    #[error("{0} failed: {1}")]
    Said(Export, String),
    /// It answered something that the contract forbids.
    #[error("broke the contract in {0}: {1}")]
    BadAnswer(Export, String),
}

impl CallError {
    /// Whether the instance is lost: what it holds in memory may be half written.
    #[must_use]
    pub fn poisons(&self) -> bool {
        matches!(self, Self::OverLimit(..) | Self::Trapped(..))
    }

    /// The function that was called.
    #[must_use]
    pub fn export(&self) -> Export {
        match self {
            Self::OverLimit(_, export)
            | Self::Trapped(export, _)
            | Self::Said(export, _)
            | Self::BadAnswer(export, _) => *export,
        }
    }

    /// Puts a failed call into words.
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

/// The innermost functions, where the component still has their names.
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
