//! The verdicts of filters, and the rejections that they refer to.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a rejection (`fwk.Code` in kube-scheduler).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Code {
    /// Removing pods from the node might help.
    #[default]
    Unschedulable,
    /// Removing pods from the node does not help.
    UnschedulableAndUnresolvable,
    /// The plugin could not decide.
    Error,
    /// The plugin expects an event that makes the pod schedulable.
    Pending,
}

/// A rejection with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The code of the rejection.
    pub code: Code,
    /// The reasons for people.
    pub reasons: Vec<Arc<str>>,
}

/// The largest number of distinct rejections in one answer. An answer with more is a failure of the plugin.
pub const MOST_OUTCOMES: usize = 1000;

/// The answer of a filter. For each node it holds 0 (the pod fits) or n for the rejection `outcomes[n - 1]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// The distinct rejections, at most [`MOST_OUTCOMES`].
    pub outcomes: Vec<Status>,
    /// Parallel to the nodes that the filter was asked about. Each value is at most `outcomes.len()`.
    pub nodes: Vec<u16>,
}
