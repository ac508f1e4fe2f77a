//! The record of one scheduling attempt.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::details::Details;
use crate::attempt::Outcome;
use crate::time::Timestamp;

/// A scheduling attempt that has ended: how the pod got there, what was decided, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// `metadata.namespace` of the pod.
    pub namespace: Box<str>,
    /// `metadata.name` of the pod.
    pub name: Box<str>,
    /// `metadata.uid` of the pod.
    pub uid: Box<str>,
    /// The number of this attempt for the pod, counted from 1.
    pub attempt: u32,
    /// The number of the scheduling cycle since the start of the scheduler.
    pub cycle: u64,
    /// The start of the scheduling cycle.
    pub began: Timestamp,
    /// The end of the attempt: the rejection, the failure, or the end of the binding.
    pub ended: Timestamp,
    /// How the attempt ended.
    pub outcome: Outcome,
    /// The message of the pod's event, if the pod was not bound. At most 8 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<str>>,
    /// How the pod came to this attempt.
    pub queue: QueueHistory,
    /// The node that the cycle chose; absent if no node fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// The plugin that rejected the pod after its node was chosen, at reserve or permit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejected>,
    /// The permit plugins for which the pod waited on the chosen node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permit_waits: Vec<EndedWait>,
    /// The preemption that the post-filter plugins started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption: Option<Preemption>,
    /// The answers about all nodes. An attempt that used cached results shares the details of an earlier attempt of a
    /// pod with the same signatures: compare `details.recorded` with `began`. Absent if the cycle ended before filters
    /// were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Arc<Details>>,
    /// The profile and the plugins that decided.
    pub policy: Arc<Policy>,
}

/// How a pod came to an attempt: what moved the pod to the active queue, and how long it waited where, since the end of
/// its last attempt, or since it was first seen. Durations are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueHistory {
    /// The time at which the scheduler first saw the pod.
    pub first_seen: Timestamp,
    /// The event that moved the pod towards the active queue, by the name that kube-scheduler's metric
    /// `scheduler_queue_incoming_pods_total` uses.
    pub moved_by: Arc<str>,
    /// The time in the active queue.
    pub active_millis: u64,
    /// The time in the backoff queue.
    pub backoff_millis: u64,
    /// The time among the unschedulable pods.
    pub unschedulable_millis: u64,
    /// The time gated by a pre-enqueue plugin, or waiting for evictions.
    pub gated_millis: u64,
    /// The plugins for which the pod waited: the plugin that gated it, or those that rejected its last attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<Arc<str>>,
}

/// The node that a cycle chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chosen {
    /// The node's name.
    pub node: Box<str>,
    /// The total score. Absent if only one node fitted, because it is not scored then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
    /// The number of nodes with this total score, the chosen node among them. The choice among them is random.
    pub ties: u32,
    /// The difference to the next lower total score; 0 if other nodes have the same score. Absent without another node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<i64>,
    /// The node was the pod's nominated node, from an earlier preemption.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_nominated: bool,
    /// The part that bound the pod; absent if the attempt ended before the binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_by: Option<Binder>,
}

/// The part that bound a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Binder {
    /// The API server, as kube-scheduler's plugin DefaultBinder does it.
    ApiServer,
    /// An extender.
    Extender,
    /// The bind plugin with this name.
    Plugin(Arc<str>),
}

/// A rejection after the choice of the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// The plugin; empty if the plugin is not in the profile any more.
    pub plugin: Arc<str>,
    /// The plugin's reasons.
    pub reasons: Vec<Arc<str>>,
}

/// A permit wait that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedWait {
    /// The plugin that asked for the wait.
    pub plugin: Arc<str>,
    /// The time that the pod waited, in milliseconds.
    pub waited_millis: u64,
    /// The longest time that the plugin allowed, in milliseconds.
    pub timeout_millis: u64,
}

/// A preemption that the attempt started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preemption {
    /// The nominated node.
    pub node: Box<str>,
    /// The pods that are evicted.
    pub victims: Vec<Victim>,
}

/// A pod that is evicted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Victim {
    /// `metadata.namespace`
    pub namespace: Box<str>,
    /// `metadata.name`
    pub name: Box<str>,
    /// `metadata.uid`
    pub uid: Box<str>,
}

/// The profile that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// `schedulerName` of the profile.
    pub scheduler_name: Box<str>,
    /// The revision of the profile: a hash of its plugins, weights and arguments. Empty if it is not known.
    pub revision: Arc<str>,
    /// The seed of random choices among nodes with equal scores.
    pub seed: u64,
    /// The plugins of the profile, in the order of their first use.
    pub plugins: Vec<PolicyPlugin>,
}

/// A plugin of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyPlugin {
    /// The name.
    pub name: Arc<str>,
    /// SHA-256 of the component, in hexadecimal. Empty if it is not known.
    pub digest: Arc<str>,
}
