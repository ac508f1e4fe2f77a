//! Decision records: how each scheduling attempt ended, and why.
//!
//! The core writes a [`Decision`] at the end of each attempt into a log that is bounded in bytes and in age. Command line, HTTP and web page read the same records. No decision depends on them. With
//! [`DecisionOptions::bytes`] 0, nothing is recorded.

mod details;
mod log;
mod record;
mod shared_details;
mod stored;

pub use self::details::{BestNode, Details, Effect, PluginEffect, PluginScore, Row, RowKind};
pub(crate) use self::log::DecisionLog;
pub use self::log::{DecisionOptions, Decisions};
pub use self::record::{
    Binder, Chosen, Decision, EndedWait, Policy, PolicyPlugin, Preemption, QueueHistory, Rejected, Victim,
};
pub(crate) use self::stored::{Common, EndedAttempt, Rare};
