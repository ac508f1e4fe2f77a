//! The result of a scenario.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

/// The result of a scenario.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The number of steps that were done.
    pub steps: usize,
    /// The number of conditions that were true.
    pub conditions: usize,
    /// The cluster's time that passed, in seconds.
    pub cluster_seconds: f64,
    /// Why the scenario failed; absent if it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What happened to the pods, in order: a line each, with the time. Two runs in simulated time have the same lines.
    pub history: Vec<String>,
}

impl Outcome {
    /// Returns the cluster's time that passed.
    #[must_use]
    pub fn cluster_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.cluster_seconds).unwrap_or_default()
    }
}

/// Why a scenario failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The place of the step in the file, such as `steps[3]`.
    pub step: String,
    /// The name of the step; empty if it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What was found instead of what the step says, a line each.
    pub problems: Vec<String>,
    /// Why the pods that are concerned are where they are, as `berth explain pod` prints it.
    pub explanations: Vec<String>,
}
