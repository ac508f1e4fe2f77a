//! The fields of a Policy, as kube-scheduler v1.22 had them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::v1::{ExtenderManagedResource, ExtenderTlsConfig, ResourceSpec, UtilizationShapePoint};

/// `apiVersion` of a Policy.
pub(super) const API_VERSION: &str = "v1";
/// Its `kind`.
pub(crate) const KIND: &str = "Policy";

/// The whole.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Policy {
    /// `v1`
    #[schemars(extend("const" = API_VERSION))]
    #[expect(dead_code, reason = "it is checked against its schema")]
    api_version: String,
    /// `Policy`
    #[schemars(extend("const" = KIND))]
    #[expect(dead_code, reason = "it is checked against its schema")]
    kind: String,
    /// Which nodes a pod can't run on. Absent, those of the default provider.
    pub(super) predicates: Option<Vec<Predicate>>,
    /// Which nodes are better. Absent, those of the default provider.
    pub(super) priorities: Option<Vec<Priority>>,
    /// Servers that are asked as well.
    #[serde(default)]
    pub(super) extenders: Vec<LegacyExtender>,
    /// What a required affinity of a running pod to the incoming one counts; 0 stands for the default, 1.
    #[schemars(range(min = 0, max = 100))]
    pub(super) hard_pod_affinity_symmetric_weight: Option<i32>,
    /// Ask about all predicates though one has failed: which reasons are told hangs on it, and nothing else.
    #[expect(dead_code, reason = "nothing hangs on it here")]
    always_check_all_predicates: Option<bool>,
}

/// One of `predicates[]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Predicate {
    /// Kubernetes' name for it; any name, where the argument says what it is.
    #[schemars(length(min = 1))]
    pub(super) name: String,
    pub(super) argument: Option<PredicateArgument>,
}

/// One of its fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PredicateArgument {
    pub(super) service_affinity: Option<ServiceAffinity>,
    pub(super) labels_presence: Option<LabelsPresence>,
}

/// Nodes with a Service's pods are alike in these labels.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceAffinity {
    pub(super) labels: Vec<String>,
}

/// Nodes have all of these labels, or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelsPresence {
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) presence: bool,
}

/// One of `priorities[]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Priority {
    /// Kubernetes' name for it; any name, where the argument says what it is.
    #[schemars(length(min = 1))]
    pub(super) name: String,
    /// What its scores are multiplied with.
    #[schemars(range(min = 1))]
    pub(super) weight: i32,
    pub(super) argument: Option<PriorityArgument>,
}

/// One of its fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PriorityArgument {
    pub(super) service_anti_affinity: Option<ServiceAntiAffinity>,
    pub(super) label_preference: Option<LabelPreference>,
    pub(super) requested_to_capacity_ratio_arguments: Option<RequestedToCapacityRatioArguments>,
}

/// A Service's pods are spread over the values of this label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceAntiAffinity {
    #[schemars(length(min = 1))]
    pub(super) label: String,
}

/// Nodes are better for this label, or for being without it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelPreference {
    #[schemars(length(min = 1))]
    pub(super) label: String,
    #[serde(default)]
    pub(super) presence: bool,
}

/// How good a node is, by how full its resources are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestedToCapacityRatioArguments {
    pub(super) shape: Vec<UtilizationShapePoint>,
    #[serde(default)]
    pub(super) resources: Vec<ResourceSpec>,
}

/// One of `extenders[]`. It differs from today's in the names of fields and in how a timeout is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LegacyExtender {
    pub(super) url_prefix: String,
    #[serde(default)]
    pub(super) filter_verb: String,
    #[serde(default)]
    pub(super) preempt_verb: String,
    #[serde(default)]
    pub(super) prioritize_verb: String,
    #[serde(default)]
    pub(super) weight: i64,
    #[serde(default)]
    pub(super) bind_verb: String,
    #[serde(default)]
    pub(super) enable_https: bool,
    pub(super) tls_config: Option<ExtenderTlsConfig>,
    /// A number of nanoseconds; or a text as in all other places.
    #[serde(default)]
    pub(super) http_timeout: Value,
    #[serde(default)]
    pub(super) node_cache_capable: bool,
    #[serde(default)]
    pub(super) managed_resources: Vec<ExtenderManagedResource>,
    #[serde(default)]
    pub(super) ignorable: bool,
}
