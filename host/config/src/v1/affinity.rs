//! Node affinity, as in a pod's spec.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Required and preferred node affinity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeAffinity {
    /// Terms that a node must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
    /// Terms that raise the score of matching nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
}

/// Selects the nodes that match at least one of the terms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeSelector {
    /// The terms. At least one is required.
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// Selects the nodes that match all requirements. A term without requirements selects no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeSelectorTerm {
    /// Requirements on labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<NodeSelectorRequirement>,
    /// Requirements on fields. The only field is `metadata.name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<NodeSelectorRequirement>,
}

/// A requirement on a label or field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeSelectorRequirement {
    /// The label or field.
    pub key: String,
    /// The operator.
    pub operator: NodeSelectorOperator,
    /// The values. Empty for Exists and DoesNotExist, one integer for Gt and Lt, at least one value for In and NotIn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The operator of a requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NodeSelectorOperator {
    /// The label has one of the values.
    #[default]
    In,
    /// The label has none of the values, or does not exist.
    NotIn,
    /// The label exists.
    Exists,
    /// The label does not exist.
    DoesNotExist,
    /// The label's number is greater than the value.
    Gt,
    /// The label's number is smaller than the value.
    Lt,
}

/// A preferred term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreferredSchedulingTerm {
    /// The weight of the term, 1 to 100.
    pub weight: i32,
    /// The term. A node that matches the term gets the weight.
    pub preference: NodeSelectorTerm,
}
