//! Topology spread constraints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose constraints are the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DefaultingType {
    /// Kubernetes' own: over nodes and zones, as far as that can be done.
    #[default]
    System,
    /// Those of defaultConstraints.
    List,
}

/// How evenly pods are to be spread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TopologySpreadConstraint {
    /// By how many pods two domains may differ.
    #[schemars(range(min = 1))]
    pub max_skew: i32,
    /// The label whose values are the domains.
    #[schemars(length(min = 1))]
    pub topology_key: String,
    /// What happens where it can't be held.
    pub when_unsatisfiable: UnsatisfiableConstraintAction,
    /// Not in defaults: pods are counted by the selector of what owns them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Fewer domains than that count as if there were an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_domains: Option<i32>,
    /// Whether nodes count that the pod's affinity excludes. Default: Honor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_affinity_policy: Option<NodeInclusionPolicy>,
    /// Whether nodes count whose taints exclude the pod. Default: Ignore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_taints_policy: Option<NodeInclusionPolicy>,
    /// Labels whose values have to be the incoming pod's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
}

/// What happens where a constraint can't be held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UnsatisfiableConstraintAction {
    /// The pod waits.
    #[default]
    DoNotSchedule,
    /// The pod is placed where it is held best.
    ScheduleAnyway,
}

/// Whether nodes count that are excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NodeInclusionPolicy {
    /// They don't.
    #[default]
    Honor,
    /// They do.
    Ignore,
}

/// Pods by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelSelector {
    /// Labels with these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Labels that compare so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// What a label has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// How it is compared.
    pub operator: LabelSelectorOperator,
    /// With what: nothing for Exists and DoesNotExist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// How a label is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LabelSelectorOperator {
    /// It is one of the values.
    #[default]
    In,
    /// It is none of them, or not there.
    NotIn,
    /// It is there.
    Exists,
    /// It is not there.
    DoesNotExist,
}
