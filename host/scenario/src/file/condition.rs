//! The conditions of a scenario.

use schemars::JsonSchema;
use serde::Deserialize;

/// A condition. Exactly one field is set.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Condition {
    /// All these pods are bound, to these nodes.
    pub placed: Option<Placed>,
    /// These pods run: their phase is Running, and they are ready.
    pub running: Option<Counted>,
    /// These pods have ended with the phase Succeeded.
    pub succeeded: Option<Counted>,
    /// These pods are pending, for this reason.
    pub pending: Option<Pending>,
    /// There is this number of pods, in any phase.
    pub pods: Option<Counted>,
    /// These pods are spread over the values of a node label.
    pub spread: Option<Spread>,
    /// The number of nodes on which these pods are.
    pub nodes_used: Option<NodesUsed>,
    /// The part of the nodes' allocatable resources that pods request.
    pub utilization: Option<Utilization>,
    /// The number of evictions since the beginning: by preemption, the eviction API, or a taint.
    pub evictions: Option<Evictions>,
    /// The pods of each selection were bound before those of the next one.
    pub order: Option<Vec<Pods>>,
    /// An expression in CEL that must be true. `pods` and `nodes` are the lists of objects.
    pub holds: Option<String>,
}

/// Pods: a label selector as for `kubectl get --selector`, or these fields.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pods {
    /// A label selector, in all namespaces.
    Selector(String),
    /// Pods by name, namespace or labels.
    Fields(PodFields),
}

/// Pods by name, namespace or labels. A pod must match every field.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PodFields {
    /// The name. `*` stands for any characters.
    pub name: Option<String>,
    /// The namespace. Default: all.
    pub namespace: Option<String>,
    /// A label selector.
    pub selector: Option<String>,
}

/// Nodes: a label selector, or these fields.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Nodes {
    /// A label selector.
    Selector(String),
    /// Nodes by name or labels.
    Fields(NodeFields),
}

/// Nodes by name or labels. A node must match every field.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct NodeFields {
    /// The name. `*` stands for any characters.
    pub name: Option<String>,
    /// A label selector.
    pub selector: Option<String>,
}

/// A number, or its bounds.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amount {
    /// Exactly this number.
    Exactly(u64),
    /// A number between these bounds, with the bounds.
    Between(Bounds),
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// The lowest number.
    pub min: Option<u64>,
    /// The highest number.
    pub max: Option<u64>,
}

/// Pods that are bound.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Placed {
    /// The pods. All must be bound.
    pub pods: Pods,
    /// The number of these pods. Default: at least one.
    pub count: Option<Amount>,
    /// The nodes on which they must be. Default: any.
    pub on: Option<Nodes>,
}

/// A number of pods.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Counted {
    /// The pods.
    pub pods: Pods,
    /// Their number. Default: all that match, and at least one.
    pub count: Option<Amount>,
}

/// Pods that are pending.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Pending {
    /// The pods.
    pub pods: Pods,
    /// The number of those that are pending. Default: all that match, and at least one.
    pub count: Option<Amount>,
    /// A part of the message of their condition PodScheduled, such as `Insufficient cpu`.
    pub reason: Option<String>,
}

/// Pods that are spread.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Spread {
    /// The pods.
    pub pods: Pods,
    /// The node label whose values are counted, such as `topology.kubernetes.io/zone`.
    pub by: String,
    /// The largest difference between two values. Every value that a node has counts, also with no pod.
    pub max_skew: u64,
}

/// The number of nodes with pods.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NodesUsed {
    /// The pods. Default: all.
    pub pods: Option<Pods>,
    /// The number of nodes.
    pub count: Amount,
}

/// The part of the resources that pods request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Utilization {
    /// The resource, such as `cpu`.
    pub resource: String,
    /// The nodes. Default: those that have a pod.
    pub on: Option<Nodes>,
    /// The lowest percentage of all these nodes together.
    pub min: Option<f64>,
    /// The highest percentage.
    pub max: Option<f64>,
}

/// A number of evictions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Evictions {
    /// The evicted pods. Default: all.
    pub pods: Option<Pods>,
    /// The reason of their condition DisruptionTarget: `PreemptionByScheduler`, `EvictionByEvictionAPI` or
    /// `DeletionByTaintManager`. Default: any.
    pub reason: Option<String>,
    /// Their number.
    pub count: Amount,
}
