//! Asks another build of a plugin about the scheduling attempts of one pod, and compares its answers with those of the
//! build that served.
//!
//! - In: a capture that is played back ([`Attempts::play`]), and a component with the name of a plugin that served.
//! - Out: for each attempt of the pod, the answers of both builds about the cluster as it was before the attempt, the log
//!   and the cost of the other build ([`Calls`]).
//! - Never: the other build decides nothing. The recorded plugins decide, so that the history stays the recorded one.
//!
//! Both builds are asked in new instances that receive the whole cluster, with the number, the time and the seed of the
//! recorded cycle, and with the arguments of the plugin in the profile. A build is asked about all nodes: the filters of
//! other plugins hide no node. Both builds score the nodes that both accept, so that the scores can be compared. Pods that
//! are nominated to a node do not count on it.
//!
//! The later functions depend on what the other plugins answer. So the scheduling cycle is repeated from the state before
//! the attempt, once with each build, and the calls of the plugin are noted ([`cycle`]).

mod asked;
mod attempt;
mod attempts;
mod compare;
mod cycle;
mod error;
mod log;
mod report;
#[cfg(test)]
#[path = "calls_test.rs"]
mod tests;

pub use self::attempts::Attempts;
pub use self::error::CallsError;
pub use self::report::{AnswerRow, Build, CallCost, Calls, ComparedAttempt, LogLine, NotServed};
