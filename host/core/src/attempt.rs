//! The outcome of scheduling attempts. It is for metrics and has no influence on decisions.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Pod;
use crate::time::Timestamp;

/// A scheduling attempt that has ended. An attempt lasts from the start of its cycle to its rejection or failure, or
/// to the end of the binding.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The pod. Its `spec.schedulerName` is the profile.
    pub pod: Arc<Pod>,
    /// How the attempt ended.
    pub outcome: Outcome,
    /// The number of this attempt for the pod, counted from 1.
    pub number: u32,
    /// When the pod first entered the queue.
    pub first_seen: Timestamp,
    /// When the attempt's cycle began.
    pub began: Timestamp,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The pod was bound.
    Scheduled,
    /// No node fits, the cluster has no node, or a plugin rejected the pod after its node was chosen.
    Unschedulable,
    /// A plugin, an extender, an intent or the binding failed.
    #[default]
    Error,
}
