//! Scenarios: files that set up a cluster, change it step by step, and check where the pods go.
//!
//! - In: a scenario ([`Scenario`]), and the plugins and profiles for it ([`Policies`]).
//! - Out: an [`Outcome`]: whether every condition was true, and for a condition that was not, what was found instead.
//! - Never: a scenario in simulated time ([`simulate`]) uses no network, and reads no clock of the machine. The same file
//!   and seed give the same result. A scenario on another cluster ([`run_on`]) changes only the objects that it names.
//!
//! [`mod@file`] has the format. [`expand`] evaluates the expressions and loops in it. [`cluster`] is the cluster of a run: a
//! client, a clock, and the pods and nodes as they are seen. [`conditions`] compares them with what the file says.
//! [`steps`] has the steps, and [`run`] joins all of it.

mod cluster;
mod conditions;
mod error;
mod expand;
mod expression;
pub mod file;
mod outcome;
mod policy;
mod run;
mod steps;

pub use error::ScenarioError;
pub use file::Scenario;
pub use outcome::{Failure, Outcome};
pub use policy::{Policies, Policy, PolicySource};
pub use run::{RunOptions, run_on, simulate};
