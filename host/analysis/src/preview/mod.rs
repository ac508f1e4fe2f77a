//! Which of the last decisions another policy would have changed.
//!
//! Each decision is judged on the cluster as it was before the decision: the nodes, the running pods, the nominations and
//! the time of then. So an earlier decision that changes has no effect on the later ones.

mod change;
mod judge;

pub use self::change::{PolicyChange, PolicyChangeError};
pub use self::judge::{MOST_DECISIONS, PastDecision, PastPolicy, preview};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The decisions that another policy would have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The number of decisions that were judged: the last ones, at most 100.
    pub judged: usize,
    /// The time of the first of these decisions, in milliseconds since 1970; null without a decision.
    pub since: Option<u64>,
    /// The decisions that the policy would have changed, the latest first.
    pub different: Vec<ChangedDecision>,
    /// What the preview could not consider.
    pub notes: Vec<String>,
}

/// A decision that another policy would have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedDecision {
    /// `metadata.namespace` of the pod.
    pub namespace: String,
    /// `metadata.name` of the pod.
    pub name: String,
    /// The number of this attempt for the pod, counted from 1.
    pub attempt: u32,
    /// The time of the scheduling cycle, in milliseconds since 1970.
    pub at: u64,
    /// The node that the scheduler chose; null if it chose none.
    pub node: Option<String>,
    /// The total score of that node with the other policy; null if the node does not fit then.
    pub score: Option<i64>,
    /// The node that the other policy chooses; null if it chooses none. Of several nodes with the same score, the first
    /// by name.
    pub new_node: Option<String>,
    /// The total score of the new node; null without a new node.
    pub new_score: Option<i64>,
    /// The number of nodes with the score of the new node.
    pub ties: usize,
    /// Why the other policy chooses no node; null if it chooses one.
    pub message: Option<String>,
}
