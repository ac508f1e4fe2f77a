//! Arguments of kube-scheduler's plugins: `pluginConfig[].args`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DefaultingType, Duration, NodeAffinity, ResourceSpec, ScoringStrategy, TopologySpreadConstraint,
    UtilizationShapePoint,
};

/// The number of candidate nodes for preemption: the greater of the two numbers. At least one of them must not be 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultPreemptionArgs {
    /// The minimum number of candidates, as a percentage of the nodes. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub min_candidate_nodes_percentage: Option<i32>,
    /// The minimum number of candidates. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_candidate_nodes_absolute: Option<i32>,
}

/// Settings for scores by pod affinity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InterPodAffinityArgs {
    /// The weight of a required affinity term of a running pod that matches the incoming pod. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub hard_pod_affinity_weight: Option<i32>,
    /// Ignores preferred terms of running pods if the incoming pod has no preferred terms.
    #[serde(default)]
    pub ignore_preferred_terms_of_existing_pods: bool,
}

/// Node affinity that is added to all pods of the profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeAffinityArgs {
    /// Nodes must match the required terms in addition to the pod's terms. Preferred terms raise the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_affinity: Option<NodeAffinity>,
}

/// The resources whose utilization is balanced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeResourcesBalancedAllocationArgs {
    /// The resources, each with weight 1. Default: cpu and memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceSpec>,
}

/// The resources that are filtered and scored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeResourcesFitArgs {
    /// Extended resources that the filter ignores: `example.com/foo`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_resources: Vec<String>,
    /// Prefixes of extended resources that the filter ignores: `example.com`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_resource_groups: Vec<String>,
    /// The scoring strategy. Default: LeastAllocated by cpu and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring_strategy: Option<ScoringStrategy>,
}

/// Default topology spread constraints, for pods without constraints of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodTopologySpreadArgs {
    /// Constraints for pods that a Service selects or a ReplicationController, ReplicaSet or StatefulSet controls. The
    /// selectors of these objects together select the pods to count. Requires defaultingType: List.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_constraints: Vec<TopologySpreadConstraint>,
    /// Selects defaultConstraints or the built-in constraints. Default: System.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaulting_type: Option<DefaultingType>,
}

/// The time limit for the binding of volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VolumeBindingArgs {
    /// The time that a pod waits for the binding of its volumes, in seconds. Default: 600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub bind_timeout_seconds: Option<i64>,
    /// Scores by storage capacity, an alpha feature of Kubernetes. Not supported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<UtilizationShapePoint>,
}

/// The time limits for the allocation and binding of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DynamicResourcesArgs {
    /// The time limit for the search of devices on one node. 0s means no limit. Default: 10s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_timeout: Option<Duration>,
    /// The time limit until devices are ready. At least 1s. Default: 10m0s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding_timeout: Option<Duration>,
}
