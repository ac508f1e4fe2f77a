//! Settings for scores by resources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `scoringStrategy`: which nodes are better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScoringStrategy {
    /// What makes a node better.
    #[serde(rename = "type")]
    pub kind: ScoringStrategyType,
    /// Which resources count, and how much. Default: cpu and memory, 1 each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceSpec>,
    /// Needed by the type of this name, and by no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_to_capacity_ratio: Option<RequestedToCapacityRatio>,
}

/// What makes a node better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScoringStrategyType {
    /// That less of it is requested.
    #[default]
    LeastAllocated,
    /// That more of it is requested.
    MostAllocated,
    /// A function of how much of it is requested.
    RequestedToCapacityRatio,
}

/// The function: straight lines between points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestedToCapacityRatio {
    /// At least one point, by increasing utilization.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<UtilizationShapePoint>,
}

/// A point of the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UtilizationShapePoint {
    /// How much is requested, in percent.
    #[schemars(range(min = 0, max = 100))]
    pub utilization: i32,
    /// How good that is.
    #[schemars(range(min = 0, max = 10))]
    pub score: i32,
}

/// A resource that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceSpec {
    /// Its name: `cpu`, `memory`, `example.com/foo`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// How much it counts. Default: 1, which 0 stands for as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub weight: Option<i64>,
}
