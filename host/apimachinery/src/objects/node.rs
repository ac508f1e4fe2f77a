//! Reads nodes.

use berth_core::model::{Condition, ConditionStatus, Effect, NamedFields, Node, NodeImage, NodeSystemInfo, Taint};

use super::container::ResourceQuantities;
use super::intern::NodeParts;
use super::json::partial;
use super::meta::ObjectMeta;
use super::notes::Notes;
use super::observed::PartialObject;

partial! {
    /// `v1.Node`.
    NodeData {
        metadata: ObjectMeta,
        spec: NodeSpec,
        status: NodeStatus,
    }

    NodeSpec {
        taints: Vec<TaintData>,
        unschedulable: bool,
    }

    TaintData {
        key: Box<str>,
        value: Box<str>,
        effect: Box<str>,
    }

    NodeStatus {
        allocatable: ResourceQuantities,
        capacity: ResourceQuantities,
        node_info: SystemInfoData,
        images: Vec<ImageData>,
        conditions: Vec<ConditionData>,
        declared_features: Vec<Box<str>>,
    }

    /// `v1.NodeSystemInfo`.
    SystemInfoData {
        architecture: Box<str>,
        operating_system: Box<str>,
        os_image: Box<str>,
        kernel_version: Box<str>,
        kubelet_version: Box<str>,
        container_runtime_version: Box<str>,
    }

    ImageData {
        names: Vec<Box<str>>,
        size_bytes: i64,
    }

    ConditionData {
        r#type: Box<str>,
        status: Box<str>,
    }
}

/// A node as received.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct NodeObject(NodeData);

impl PartialObject for NodeObject {
    const MESSAGE: &'static str = "core.v1.Node";

    #[inline]
    fn metadata(&self) -> &ObjectMeta {
        &self.0.metadata
    }
}

impl NodeObject {
    /// Converts to the core's model. An allocatable quantity that can't be read counts as absent, so no pod that
    /// requests the resource fits.
    #[must_use]
    pub fn into_model(self, parts: &NodeParts, notes: &mut Notes) -> Node {
        let NodeData { metadata, spec, status } = self.0;
        Node {
            name: metadata.name,
            uid: metadata.uid,
            labels: metadata.labels.into_labels(),
            annotations: metadata.annotations.into_annotations(),
            taints: spec.taints.into_iter().filter_map(|taint| taint.into_model(notes)).collect(),
            unschedulable: spec.unschedulable,
            allocatable: status.allocatable.resources("status.allocatable", notes),
            capacity: status.capacity.resources("status.capacity", notes),
            info: parts.info(status.node_info.into()),
            images: status.images.into_iter().map(|i| NodeImage { names: i.names, size: i.size_bytes }).collect(),
            conditions: status.conditions.into_iter().map(Condition::from).collect(),
            declared_features: status.declared_features,
            fields: NamedFields::default(),
        }
    }
}

impl TaintData {
    /// Converts a taint. A taint with an effect that Kubernetes v1.36 doesn't know repels no pod, as in
    /// kube-scheduler.
    fn into_model(self, notes: &mut Notes) -> Option<Taint> {
        let Some(effect) = effect(&self.effect) else {
            notes.add("spec.taints[].effect", format_args!("{:?} is unknown; the taint is left out", self.effect));
            return None;
        };
        Some(Taint { key: self.key, value: self.value, effect })
    }
}

/// Parses a `TaintEffect`. Returns `None` for an unknown or empty effect.
pub(super) fn effect(text: &str) -> Option<Effect> {
    match text {
        "NoSchedule" => Some(Effect::NoSchedule),
        "PreferNoSchedule" => Some(Effect::PreferNoSchedule),
        "NoExecute" => Some(Effect::NoExecute),
        _ => None,
    }
}

impl From<SystemInfoData> for NodeSystemInfo {
    fn from(info: SystemInfoData) -> Self {
        Self {
            architecture: info.architecture,
            operating_system: info.operating_system,
            os_image: info.os_image,
            kernel_version: info.kernel_version,
            kubelet_version: info.kubelet_version,
            container_runtime_version: info.container_runtime_version,
        }
    }
}

impl From<ConditionData> for Condition {
    fn from(condition: ConditionData) -> Self {
        let status = match condition.status.as_ref() {
            "True" => ConditionStatus::True,
            "False" => ConditionStatus::False,
            _ => ConditionStatus::Unknown,
        };
        Self { kind: condition.r#type, status }
    }
}
