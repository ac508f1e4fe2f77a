//! Arguments of kube-scheduler's plugins: `pluginConfig[].args`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DefaultingType, Duration, NodeAffinity, ResourceSpec, ScoringStrategy, TopologySpreadConstraint,
    UtilizationShapePoint,
};

/// How many nodes preemption is tried on: the greater of the two numbers. They can't both be 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultPreemptionArgs {
    /// In percent of all nodes. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub min_candidate_nodes_percentage: Option<i32>,
    /// As a number. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_candidate_nodes_absolute: Option<i32>,
}

/// How affinity between pods is scored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InterPodAffinityArgs {
    /// What a required affinity of a running pod to the incoming one counts. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub hard_pod_affinity_weight: Option<i32>,
    /// Preferences of running pods count only for incoming ones that have some, too.
    #[serde(default)]
    pub ignore_preferred_terms_of_existing_pods: bool,
}

/// An affinity that all pods of the profile have besides their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeAffinityArgs {
    /// Nodes have to match its required terms as well as the pod's, and gain by its preferred ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_affinity: Option<NodeAffinity>,
}

/// Which resources' use is to be in balance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeResourcesBalancedAllocationArgs {
    /// Each with a weight of 1. Default: cpu and memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceSpec>,
}

/// Which resources are looked at, and which nodes are better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeResourcesFitArgs {
    /// Extended resources that are not filtered by: `example.com/foo`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_resources: Vec<String>,
    /// All of a prefix that are not filtered by: `example.com`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_resource_groups: Vec<String>,
    /// Which nodes are better. Default: those with most cpu and memory left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring_strategy: Option<ScoringStrategy>,
}

/// How pods are spread that don't say so themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodTopologySpreadArgs {
    /// For pods of a Service, ReplicaSet or StatefulSet, by whose selector they are counted. Needs defaultingType: List.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_constraints: Vec<TopologySpreadConstraint>,
    /// Whether those constraints or Kubernetes' own are the default. Default: System.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaulting_type: Option<DefaultingType>,
}

/// How long volumes are waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VolumeBindingArgs {
    /// How long a pod waits for its volumes, in seconds. Default: 600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub bind_timeout_seconds: Option<i64>,
    /// How nodes are scored by their storage's capacity: an alpha feature of Kubernetes, which is not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<UtilizationShapePoint>,
}

/// How long devices are looked and waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DynamicResourcesArgs {
    /// How long the search for devices may take on one node; 0s is without end. Default: 10s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_timeout: Option<Duration>,
    /// How long devices may take to become ready; at least 1s. Default: 10m0s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding_timeout: Option<Duration>,
}
