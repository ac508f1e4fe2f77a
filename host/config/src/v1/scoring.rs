//! Settings for scores by resources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `scoringStrategy`: the strategy that scores nodes by their utilization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScoringStrategy {
    /// The type of the strategy.
    #[serde(rename = "type")]
    pub kind: ScoringStrategyType,
    /// The scored resources with their weights. Default: cpu and memory, weight 1 each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceSpec>,
    /// The function of the type RequestedToCapacityRatio. Required by this type, refused with other types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_to_capacity_ratio: Option<RequestedToCapacityRatio>,
}

/// The type of the strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScoringStrategyType {
    /// Prefers nodes with lower utilization.
    #[default]
    LeastAllocated,
    /// Prefers nodes with higher utilization.
    MostAllocated,
    /// Scores by a function of the utilization.
    RequestedToCapacityRatio,
}

/// A piecewise linear function of the utilization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestedToCapacityRatio {
    /// At least one point, in order of increasing utilization.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<UtilizationShapePoint>,
}

/// A point of the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UtilizationShapePoint {
    /// The utilization, in percent.
    #[schemars(range(min = 0, max = 100))]
    pub utilization: i32,
    /// The score at this utilization, 0 to 10.
    #[schemars(range(min = 0, max = 10))]
    pub score: i32,
}

/// A scored resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceSpec {
    /// The resource's name: `cpu`, `memory`, `example.com/foo`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The weight. 0 means the default. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub weight: Option<i64>,
}
