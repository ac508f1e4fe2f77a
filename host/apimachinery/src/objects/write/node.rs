//! Writes nodes.

use berth_core::model::requests::ResourceList;
use berth_core::model::{ConditionStatus, Node, NodeSystemInfo, Resources};
use serde_json::Value;

use super::fields::Fields;
use super::metadata::{effect, metadata};
use super::named::add_named;
use super::resources::amounts;
use crate::objects::{NodeObject, NodeParts, Notes};

/// Returns the API object of a node. Reading the API object gives an equal node for every node that was read.
#[must_use]
pub fn node(node: &Node) -> Value {
    let taints = node.taints.iter().map(|taint| {
        Fields::default().text("key", &taint.key).text("value", &taint.value).with("effect", effect(taint.effect))
    });
    let images =
        node.images.iter().map(|image| Fields::default().texts("names", &image.names).number("sizeBytes", image.size));
    let conditions = node
        .conditions
        .iter()
        .map(|condition| Fields::default().text("type", &condition.kind).with("status", status(condition.status)));
    let object = Fields::default()
        .with("apiVersion", "v1")
        .with("kind", "Node")
        .with(
            "metadata",
            metadata("", &node.name, &node.uid).labels("labels", &node.labels).labels("annotations", &node.annotations),
        )
        .object("spec", Fields::default().list("taints", taints).flag("unschedulable", node.unschedulable))
        .object(
            "status",
            Fields::default()
                .quantities("allocatable", &quantities(&node.allocatable))
                .quantities("capacity", &quantities(&node.capacity))
                .object("nodeInfo", node_info(&node.info))
                .list("images", images)
                .list("conditions", conditions)
                .texts("declaredFeatures", &node.declared_features),
        );
    let parts = NodeParts::default();
    add_named(object.into(), &node.fields, |node: NodeObject| node.into_model(&parts, &mut Notes::default()))
}

fn quantities(resources: &Resources) -> ResourceList {
    amounts(resources).map(|(name, quantity)| (name.into(), quantity)).collect()
}

fn status(status: ConditionStatus) -> &'static str {
    match status {
        ConditionStatus::True => "True",
        ConditionStatus::False => "False",
        ConditionStatus::Unknown => "Unknown",
    }
}

fn node_info(info: &NodeSystemInfo) -> Fields {
    Fields::default()
        .text("architecture", &info.architecture)
        .text("operatingSystem", &info.operating_system)
        .text("osImage", &info.os_image)
        .text("kernelVersion", &info.kernel_version)
        .text("kubeletVersion", &info.kubelet_version)
        .text("containerRuntimeVersion", &info.container_runtime_version)
}
