//! `kubescheduler.config.k8s.io/v1`: the model that every supported configuration format is converted to.
//!
//! These types are the only description of the fields. The JSON Schema is generated from them, files are checked
//! against that schema, and `--write-config-to` serializes them. `None` is a field that the file does not set.

mod affinity;
mod args;
mod component;
mod data;
mod duration;
mod extender;
mod plugin_config;
mod profile;
mod scoring;
mod spreading;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::affinity::{
    NodeAffinity, NodeSelector, NodeSelectorOperator, NodeSelectorRequirement, NodeSelectorTerm,
    PreferredSchedulingTerm,
};
pub use self::args::{
    DefaultPreemptionArgs, DynamicResourcesArgs, InterPodAffinityArgs, NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, PodTopologySpreadArgs, VolumeBindingArgs,
};
pub(super) use self::component::DEFAULT_BURST;
pub use self::component::{ClientConnection, LeaderElection};
pub use self::data::Data;
pub use self::duration::Duration;
pub use self::extender::{Extender, ExtenderManagedResource, ExtenderTlsConfig};
pub use self::plugin_config::{PluginArgs, PluginConfig};
pub use self::profile::{ExtensionPoint, Plugin, PluginSet, Plugins, Profile};
pub use self::scoring::{
    RequestedToCapacityRatio, ResourceSpec, ScoringStrategy, ScoringStrategyType, UtilizationShapePoint,
};
pub use self::spreading::{
    DefaultingType, LabelSelector, LabelSelectorOperator, LabelSelectorRequirement, NodeInclusionPolicy,
    TopologySpreadConstraint, UnsatisfiableConstraintAction,
};

/// The `apiVersion` of a KubeSchedulerConfiguration.
pub const API_VERSION: &str = "kubescheduler.config.k8s.io/v1";
/// The `kind` of a KubeSchedulerConfiguration.
pub const KIND: &str = "KubeSchedulerConfiguration";

/// KubeSchedulerConfiguration configures a scheduler: its profiles, its extenders, and its connection to the API
/// server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KubeSchedulerConfiguration {
    /// `kubescheduler.config.k8s.io/v1`
    #[schemars(extend("const" = API_VERSION))]
    pub api_version: String,
    /// `KubeSchedulerConfiguration`
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// The number of threads with which kube-scheduler examines nodes. Default: 16. No effect in Berth: one call of a
    /// plugin covers all nodes, and Berth caches the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub parallelism: Option<i32>,
    /// The leader election among several replicas.
    #[serde(default)]
    pub leader_election: LeaderElection,
    /// The connection to the API server.
    #[serde(default)]
    pub client_connection: ClientConnection,
    /// Serves /debug/pprof. Default: true. No effect in Berth: there is no Go runtime to profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_profiling: Option<bool>,
    /// Profiles lock contention. Default: true if enableProfiling is true. No effect in Berth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_contention_profiling: Option<bool>,
    /// The percentage of nodes at which the search for feasible nodes ends. Default: 0, which means every node in
    /// Berth, and in kube-scheduler a percentage that decreases as the cluster grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub percentage_of_nodes_to_score: Option<i32>,
    /// The first backoff of a pod after a failed attempt, in seconds. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pod_initial_backoff_seconds: Option<i64>,
    /// The longest backoff of a pod, in seconds. At least podInitialBackoffSeconds. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_max_backoff_seconds: Option<i64>,
    /// A profile for each scheduler name. Default: one profile, for default-scheduler, with the default plugins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    /// HTTP servers that all profiles call in addition to their plugins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extenders: Vec<Extender>,
    /// Fills the cache only after the election. Default: false. No effect in Berth: a standby is always ready to take
    /// over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub delay_cache_until_active: bool,
}

impl Default for KubeSchedulerConfiguration {
    fn default() -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            parallelism: None,
            leader_election: LeaderElection::default(),
            client_connection: ClientConnection::default(),
            enable_profiling: None,
            enable_contention_profiling: None,
            percentage_of_nodes_to_score: None,
            pod_initial_backoff_seconds: None,
            pod_max_backoff_seconds: None,
            profiles: Vec::new(),
            extenders: Vec::new(),
            delay_cache_until_active: false,
        }
    }
}

/// Returns true for a false field, which serialization leaves out.
fn is_false(value: &bool) -> bool {
    !value
}
