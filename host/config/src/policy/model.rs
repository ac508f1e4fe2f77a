//! The fields of a Policy, as kube-scheduler v1.22 defines them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::v1::{ExtenderManagedResource, ExtenderTlsConfig, ResourceSpec, UtilizationShapePoint};

/// The `apiVersion` of a Policy.
pub(super) const API_VERSION: &str = "v1";
/// The `kind` of a Policy.
pub(crate) const KIND: &str = "Policy";

/// A Policy file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Policy {
    /// `v1`.
    #[schemars(extend("const" = API_VERSION))]
    #[expect(dead_code, reason = "it is checked against its schema")]
    api_version: String,
    /// `Policy`.
    #[schemars(extend("const" = KIND))]
    #[expect(dead_code, reason = "it is checked against its schema")]
    kind: String,
    /// Predicates, which exclude nodes. Absent: the predicates of the default provider.
    pub(super) predicates: Option<Vec<Predicate>>,
    /// Priorities, which score nodes. Absent: the priorities of the default provider.
    pub(super) priorities: Option<Vec<Priority>>,
    /// Extenders.
    #[serde(default)]
    pub(super) extenders: Vec<LegacyExtender>,
    /// The weight of a running pod's required affinity to the incoming pod. 0 stands for the default, 1.
    #[schemars(range(min = 0, max = 100))]
    pub(super) hard_pod_affinity_symmetric_weight: Option<i32>,
    /// Whether to evaluate all predicates after one has failed. The field changes only the reported reasons.
    #[expect(dead_code, reason = "nothing hangs on it here")]
    always_check_all_predicates: Option<bool>,
}

/// An element of `predicates[]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Predicate {
    /// A name that Kubernetes defines; or any name, if the argument says what the predicate is.
    #[schemars(length(min = 1))]
    pub(super) name: String,
    pub(super) argument: Option<PredicateArgument>,
}

/// The argument of a predicate: exactly one field is set.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PredicateArgument {
    pub(super) service_affinity: Option<ServiceAffinity>,
    pub(super) labels_presence: Option<LabelsPresence>,
}

/// Requires nodes with pods of one Service to have equal values of these labels.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceAffinity {
    pub(super) labels: Vec<String>,
}

/// Requires nodes to have all of these labels (`presence: true`) or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelsPresence {
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) presence: bool,
}

/// An element of `priorities[]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Priority {
    /// A name that Kubernetes defines; or any name, if the argument says what the priority is.
    #[schemars(length(min = 1))]
    pub(super) name: String,
    /// The factor for the priority's scores.
    #[schemars(range(min = 1))]
    pub(super) weight: i32,
    pub(super) argument: Option<PriorityArgument>,
}

/// The argument of a priority: exactly one field is set.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PriorityArgument {
    pub(super) service_anti_affinity: Option<ServiceAntiAffinity>,
    pub(super) label_preference: Option<LabelPreference>,
    pub(super) requested_to_capacity_ratio_arguments: Option<RequestedToCapacityRatioArguments>,
}

/// Spreads a Service's pods over the values of this label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceAntiAffinity {
    #[schemars(length(min = 1))]
    pub(super) label: String,
}

/// Prefers nodes with this label (`presence: true`) or without it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelPreference {
    #[schemars(length(min = 1))]
    pub(super) label: String,
    #[serde(default)]
    pub(super) presence: bool,
}

/// Scores nodes by the utilization of their resources.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestedToCapacityRatioArguments {
    pub(super) shape: Vec<UtilizationShapePoint>,
    #[serde(default)]
    pub(super) resources: Vec<ResourceSpec>,
}

/// An element of `extenders[]`. Compared with v1, some fields have other names, and the timeout has another format.
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
    /// A number of nanoseconds, or a duration text such as `5s`.
    #[serde(default)]
    pub(super) http_timeout: Value,
    #[serde(default)]
    pub(super) node_cache_capable: bool,
    #[serde(default)]
    pub(super) managed_resources: Vec<ExtenderManagedResource>,
    #[serde(default)]
    pub(super) ignorable: bool,
}
