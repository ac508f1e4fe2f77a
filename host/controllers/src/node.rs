//! The fields of a Node that the controllers read. Other fields, such as images, are not decoded.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

use super::metadata;

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
pub struct NodeCondition {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: String,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: String,
}

impl Node {
    /// Returns the status of the node's condition of this type, if the node has this condition.
    pub fn condition(&self, type_: &str) -> Option<&str> {
        self.status
            .conditions
            .iter()
            .find(|condition| condition.type_ == type_)
            .map(|condition| condition.status.as_str())
    }
}
