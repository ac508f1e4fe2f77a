//! Topology spread constraints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source of the default constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DefaultingType {
    /// The built-in constraints, which prefer to spread pods over nodes and zones.
    #[default]
    System,
    /// The constraints in defaultConstraints.
    List,
}

/// A topology spread constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TopologySpreadConstraint {
    /// The maximum difference between the numbers of pods in two domains.
    #[schemars(range(min = 1))]
    pub max_skew: i32,
    /// The label whose values are the domains.
    #[schemars(length(min = 1))]
    pub topology_key: String,
    /// The effect if the constraint is violated.
    pub when_unsatisfiable: UnsatisfiableConstraintAction,
    /// Selects the pods to count. Must be empty in a default constraint, which uses the selector of the pod's owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// With fewer domains than this number, the minimum number of pods in a domain counts as 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_domains: Option<i32>,
    /// Whether to exclude nodes that do not match the pod's node affinity. Default: Honor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_affinity_policy: Option<NodeInclusionPolicy>,
    /// Whether to exclude nodes with taints that the pod does not tolerate. Default: Ignore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_taints_policy: Option<NodeInclusionPolicy>,
    /// Label keys. Only pods with the incoming pod's values of these labels count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
}

/// The effect of a violated constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UnsatisfiableConstraintAction {
    /// The pod is not scheduled.
    #[default]
    DoNotSchedule,
    /// Nodes that violate the constraint less have a higher score.
    ScheduleAnyway,
}

/// Whether a policy excludes nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NodeInclusionPolicy {
    /// The policy excludes nodes.
    #[default]
    Honor,
    /// The policy is ignored: all nodes count.
    Ignore,
}

/// Selects pods by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelSelector {
    /// Labels with their required values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Requirements on labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// A requirement on a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// The operator.
    pub operator: LabelSelectorOperator,
    /// The values. Empty for Exists and DoesNotExist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The operator of a requirement on a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LabelSelectorOperator {
    /// The label has one of the values.
    #[default]
    In,
    /// The label has none of the values, or does not exist.
    NotIn,
    /// The label exists.
    Exists,
    /// The label does not exist.
    DoesNotExist,
}
