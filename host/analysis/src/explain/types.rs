//! The data of an explanation, with a JSON schema. Fields are only added, never renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::suggest::Suggestion;

/// The name of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodRef {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.uid`
    pub uid: String,
}

impl From<&berth_core::model::PodKey> for PodRef {
    fn from(key: &berth_core::model::PodKey) -> Self {
        Self { namespace: key.namespace.to_string(), name: key.name.to_string(), uid: key.uid.to_string() }
    }
}

/// The state of a pod in the scheduler, which a copy of the cluster does not have. The caller fills in what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// The pod's sub-queue: `active`, `backoff`, `unschedulable` or `gated`. Absent if the pod is not in the queue.
    pub sub_queue: Option<String>,
    /// The time at which the pod entered the sub-queue, or began to wait, in milliseconds since 1970.
    pub since: Option<u64>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The plugins that rejected the pod in the last attempt. An event that helps one of them moves the pod.
    pub rejectors: Vec<String>,
    /// The events that the pod waits for, in words.
    pub awaited_events: Vec<String>,
    /// The permit plugins that the pod waits for.
    pub permit_waits: Vec<PermitWait>,
    /// The node that is reserved for the pod while it waits for permission or for its binding.
    pub reserved_node: Option<String>,
    /// `status.nominatedNodeName`: the node that the pod gets by preemption.
    pub nominated_node: Option<String>,
    /// The victims that still have to leave the nominated node.
    pub victims: Vec<PodRef>,
}

/// A permit plugin that lets a pod wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PermitWait {
    /// The plugin's name.
    pub plugin: String,
    /// When the wait began, in milliseconds since 1970.
    pub since: Option<u64>,
    /// When the wait ends with a rejection, in milliseconds since 1970.
    pub until: Option<u64>,
}

/// The state of the pod, which decides what the rest of the explanation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// No profile has the pod's `schedulerName`.
    AnotherScheduler,
    /// The pod is being deleted.
    Deleting,
    /// The pod has a node. The table is that of a decision now, as if the pod had no node.
    Bound,
    /// A plugin does not let the pod enter the queue: the pod has scheduling gates, for example.
    Gated,
    /// A node is reserved, and permit plugins let the pod wait.
    WaitsForPermission,
    /// A node is reserved, and the binding is under way.
    Binding,
    /// The pod preempted other pods and waits until they have left the node.
    AwaitsVictims,
    /// The cluster has no nodes.
    NoNodes,
    /// No node fits.
    NoNodeFits,
    /// A plugin failed, so there is no decision.
    PluginFailed,
    /// At least one node fits now.
    Fits,
}

/// The answer to "why is this pod pending" and "why is it there", computed on a copy of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The pod.
    pub pod: PodRef,
    /// `spec.schedulerName`
    pub scheduler_name: String,
    /// The pod's controller, for example `ReplicaSet web-5d9`. Most fields of an existing pod can't be changed, so a
    /// change of the pod belongs there.
    pub controller: Option<String>,
    /// The time of the question, in milliseconds since 1970.
    pub computed_at: u64,
    /// The state of the pod.
    pub state: State,
    /// The dominant reason, as one sentence.
    pub reason: String,
    /// The plugin that the dominant reason is about, if there is one.
    pub plugin: Option<String>,
    /// Facts that support the reason, one sentence each.
    pub evidence: Vec<String>,
    /// What to do next, as one sentence.
    pub next_step: String,
    /// Changes after which the pod fits on a node. Each was confirmed on a changed copy of the cluster.
    pub suggestions: Vec<Suggestion>,
    /// The number of changed copies that were asked.
    pub confirmations: usize,
    /// Not all possible changes were tried, because the number of confirmations is limited.
    pub confirmations_limited: bool,
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// The number of nodes that fit.
    pub fitting: usize,
    /// The nodes that don't fit, by reason, the most frequent first. The counts and `fitting` add up to `nodes`.
    pub rejections: Vec<Rejection>,
    /// How often each single reason occurs, as kube-scheduler counts them in its message: a node can count for several
    /// reasons.
    pub reasons: Vec<ReasonCount>,
    /// The message of the event `FailedScheduling`, without the part about preemption. Absent if a node fits.
    pub message: Option<String>,
    /// Up to five of the nodes that fit, the best first.
    pub best: Vec<NodeScore>,
    /// Up to three of the nodes that fit and are not in `best`, the worst last.
    #[serde(default)]
    pub worst: Vec<NodeScore>,
    /// The number of nodes with the highest total score. The scheduler picks one of them at random.
    pub ties: usize,
    /// The highest total minus the highest lower total; absent if all nodes have the same total.
    pub margin: Option<i64>,
    /// For a bound pod: the place of its node now.
    pub current: Option<CurrentNode>,
    /// The state of the pod in the scheduler, as far as the caller knows it.
    pub status: PodStatus,
    /// Default plugins that took no part, because the copy lacks what they read.
    pub left_out: Vec<String>,
    /// `extenders[].urlPrefix` of the extenders that the scheduler asks about the pod. This answer does not ask them.
    #[serde(default)]
    pub extenders_not_asked: Vec<String>,
}

/// Nodes that don't fit for the same reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// Why the nodes don't fit.
    pub kind: RejectionKind,
    /// The plugin; absent for nodes that no filter looked at. Several plugins can exclude nodes together.
    pub plugin: Option<String>,
    /// The plugin's reasons. Empty for nodes that no filter looked at.
    pub reasons: Vec<String>,
    /// Whether removing pods from the nodes may help.
    pub resolvable: bool,
    /// The filters counted the pods that are nominated to the nodes.
    pub with_nominated: bool,
    /// The number of nodes.
    pub nodes: usize,
    /// Up to five of the nodes.
    pub examples: Vec<String>,
}

/// Why nodes don't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RejectionKind {
    /// A filter rejects the nodes.
    Filter,
    /// A pre-filter excludes the nodes, or rejects the pod on all nodes.
    PreFilter,
    /// No filter looked at the nodes: enough nodes were found before, or the nominated node fits.
    NotLookedAt,
}

/// The number of nodes with a reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasonCount {
    /// The reason.
    pub reason: String,
    /// The number of nodes.
    pub nodes: usize,
}

/// The scores of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeScore {
    /// The node.
    pub node: String,
    /// The sum of the weighted scores.
    pub total: i64,
    /// The scores by plugin, in the order of the profile.
    pub scores: Vec<PluginPoints>,
}

/// The score of a node by a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginPoints {
    /// The plugin.
    pub plugin: String,
    /// The score as the plugin returned it.
    pub raw: i64,
    /// The score after normalization, 0 to 100.
    pub normalized: i64,
    /// The plugin's weight.
    pub weight: i64,
    /// The normalized score times the weight.
    pub weighted: i64,
}

/// The node of a bound pod, in a decision now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentNode {
    /// The node.
    pub node: String,
    /// The rank of the node: 1 plus the number of nodes with a higher score. Absent if the node does not fit now.
    pub rank: Option<usize>,
    /// The scores of the node; absent if the node does not fit now.
    pub score: Option<NodeScore>,
    /// Why the node does not fit now.
    pub rejected: Option<Rejection>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the fields in the schema of a type.
    fn fields<T: JsonSchema>() -> Vec<String> {
        let schema = schemars::schema_for!(T);
        let properties = schema.get("properties").and_then(serde_json::Value::as_object);
        properties.into_iter().flat_map(serde_json::Map::keys).cloned().collect()
    }

    #[test]
    fn the_schema_has_the_fields_of_the_data() {
        let data = serde_json::to_value(PodStatus::default()).expect("JSON");
        let mut named: Vec<String> = data.as_object().expect("an object").keys().cloned().collect();
        named.sort();
        let mut schema = fields::<PodStatus>();
        schema.sort();
        assert_eq!(schema, named);
        let explanation = fields::<Explanation>();
        for field in ["pod", "state", "reason", "evidence", "nextStep", "suggestions", "rejections", "best", "status"] {
            assert!(explanation.iter().any(|name| name == field), "{field}: {explanation:?}");
        }
    }
}
