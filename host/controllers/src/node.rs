//! The fields of a Node that the controllers read. Other fields, such as images, are not decoded.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

use super::metadata;

/// The annotation that stops the kubelet of a node (`stopped`), or makes it report that the node is not ready
/// (`not-ready`).
pub const KUBELET: &str = "sim.berth.dev/kubelet";
/// The end of the messages of conditions that simulated kubelets and the node lifecycle controller write.
pub const SIMULATED: &str = "the node is simulated";
/// The reason of the conditions of a node whose kubelet is stopped.
pub const NODE_STATUS_UNKNOWN: &str = "NodeStatusUnknown";
/// The reason of Ready for a kubelet that reports that the node is not ready.
pub const KUBELET_NOT_READY: &str = "KubeletNotReady";
/// The reasons of the conditions that a simulated failure has changed.
const FAILURES: [&str; 2] = [NODE_STATUS_UNKNOWN, KUBELET_NOT_READY];
/// The key of the taint of a node that is shut down and does not come back.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// A Node, without the fields that no controller reads.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::Node)]
pub struct Node {
    /// `metadata`, without the parts that no controller reads.
    #[serde(default, deserialize_with = "metadata::slim")]
    pub metadata: ObjectMeta,
    /// `spec`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub spec: NodeSpec,
    /// `status`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub status: NodeStatus,
}

/// The decoded part of `spec`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct NodeSpec {
    /// `taints`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub taints: Vec<core::Taint>,
    /// `unschedulable`: true for a cordoned node.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub unschedulable: bool,
}

/// The decoded part of `status`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct NodeStatus {
    /// `conditions`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub conditions: Vec<NodeCondition>,
    /// `addresses`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub addresses: Vec<core::NodeAddress>,
    /// `capacity`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub capacity: BTreeMap<String, Quantity>,
    /// `allocatable`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub allocatable: BTreeMap<String, Quantity>,
}

/// An entry of `status.conditions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "RawCondition")]
pub struct NodeCondition {
    /// `type`.
    pub type_: String,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: String,
    /// True if the reason and the message say that a simulated failure has changed the condition.
    pub is_simulated_failure: bool,
}

#[derive(Deserialize)]
struct RawCondition {
    #[serde(rename = "type")]
    type_: String,
    status: String,
    reason: Option<String>,
    message: Option<String>,
}

impl From<RawCondition> for NodeCondition {
    fn from(raw: RawCondition) -> Self {
        let is_failure = raw.reason.is_some_and(|reason| FAILURES.contains(&reason.as_str()));
        let is_simulated = raw.message.is_some_and(|message| message.ends_with(SIMULATED));
        NodeCondition { type_: raw.type_, status: raw.status, is_simulated_failure: is_failure && is_simulated }
    }
}

/// What the annotation [`KUBELET`] says about the kubelet of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KubeletState {
    /// The kubelet runs, and the node is ready.
    Running,
    /// The kubelet runs, and reports that the node is not ready.
    NotReady,
    /// The kubelet is stopped, as on a node without power or network.
    Stopped,
}

impl Node {
    /// Returns the state of the node's kubelet.
    pub fn kubelet(&self) -> KubeletState {
        match metadata::annotation(&self.metadata, KUBELET) {
            Some("stopped") => KubeletState::Stopped,
            Some("not-ready") => KubeletState::NotReady,
            _ => KubeletState::Running,
        }
    }

    /// Returns true if an administrator has declared with the taint [`OUT_OF_SERVICE`] that the node, which is not ready,
    /// runs no more.
    pub fn is_out_of_service(&self) -> bool {
        self.condition("Ready") != Some("True") && self.spec.taints.iter().any(|taint| taint.key == OUT_OF_SERVICE)
    }

    /// Returns the status of the node's condition of this type, if the node has this condition.
    pub fn condition(&self, type_: &str) -> Option<&str> {
        self.status
            .conditions
            .iter()
            .find(|condition| condition.type_ == type_)
            .map(|condition| condition.status.as_str())
    }
}
