//! A node as scheduling reads it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::named_fields::NamedFields;
use super::{resources::Resources, selector::Labels, taint::Taint};

/// `ConditionStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConditionStatus {
    /// `True`
    True,
    /// `False`
    False,
    /// `Unknown`, or anything else
    Unknown,
}

/// `node.status.conditions[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// `type`.
    pub kind: Box<str>,
    /// `status`.
    pub status: ConditionStatus,
}

/// `node.status.images[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeImage {
    /// All names of the image that the kubelet reports: tags and digests.
    pub names: Vec<Box<str>>,
    /// `sizeBytes`.
    pub size: i64,
}

/// `node.status.nodeInfo`, without the ids of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSystemInfo {
    /// `architecture`
    pub architecture: Box<str>,
    /// `operatingSystem`
    pub operating_system: Box<str>,
    /// `osImage`
    pub os_image: Box<str>,
    /// `kernelVersion`
    pub kernel_version: Box<str>,
    /// `kubeletVersion`
    pub kubelet_version: Box<str>,
    /// `containerRuntimeVersion`
    pub container_runtime_version: Box<str>,
}

/// A `v1.Node`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// `metadata.name`
    pub name: Box<str>,
    /// `metadata.uid`
    pub uid: Box<str>,
    /// `metadata.labels`
    pub labels: Labels,
    /// `metadata.annotations`
    pub annotations: Labels,
    /// `spec.taints`
    pub taints: Vec<Taint>,
    /// `spec.unschedulable`
    pub unschedulable: bool,
    /// `status.allocatable`
    pub allocatable: Resources,
    /// `status.capacity`
    pub capacity: Resources,
    /// `status.nodeInfo`. Nodes with equal values share one copy.
    pub info: Arc<NodeSystemInfo>,
    /// `status.images`
    pub images: Vec<NodeImage>,
    /// `status.conditions`, with type and status only
    pub conditions: Vec<Condition>,
    /// `status.declaredFeatures`
    pub declared_features: Vec<Box<str>>,
    /// Further fields that plugins name.
    pub fields: NamedFields,
}
