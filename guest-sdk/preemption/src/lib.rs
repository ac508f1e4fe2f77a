//! Preemption for Berth's plugins: which pods of a node have to be evicted, and which node is the best candidate.
//!
//! - In: the cluster's pods and PodDisruptionBudgets, in a [`Cluster`]; the rules of a plugin, as [`Rules`]; the pod
//!   that no node fits.
//! - Out: [`preempt`] nominates a node, or returns why preemption does not help.
//! - Never: the rules of a single plugin. Which pods may be evicted and which pods have to wait is up to [`Rules`].
//!
//! [`preempt`] has the steps of kube-scheduler's preemption evaluator, and its reasons.

mod budgets;
mod candidates;
mod cluster;
mod preempt;
mod resident;
mod rules;
mod victims;

pub use self::budgets::{Budgets, kind as budget_kind};
pub use self::cluster::{Cluster, PodFacts};
pub use self::preempt::{Preemptor, preempt};
pub use self::resident::Resident;
pub use self::rules::Rules;
