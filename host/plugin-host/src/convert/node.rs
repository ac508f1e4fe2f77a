//! Converts the facts of a node.

use berth_core::cache::NodeInfo;
use berth_core::facts::NodeFacts;
use berth_core::model::{Condition, ConditionStatus, Effect, HostPort, NodeSystemInfo, Protocol, Taint};
use berth_core::reads::NodeReads;
use bumpalo::Bump;

use super::resources::resources;
use super::selector::labels_read;
use super::{each, strings};
use crate::bindings::types as wit;
use crate::bindings::v0_2::berth::scheduler::facts;
use crate::bindings::v0_2::exports::berth::scheduler::snapshot::Node;

/// Returns the node with the fields that the plugin reads and that `facts` has; others are `None`. Usage and pods are
/// separate changes.
pub(crate) fn node<'a>(arena: &'a Bump, info: &'a NodeInfo, reads: &'a NodeReads, facts: NodeFacts) -> Node<'a> {
    let node = &*info.node;
    let has = |fact| facts.contains(fact);
    Node {
        id: info.id.0,
        name: has(NodeFacts::NAME).then_some(&*node.name),
        uid: has(NodeFacts::NAME).then_some(&*node.uid),
        labels: has(NodeFacts::LABELS)
            .then(|| labels_read(arena, &node.labels, reads.facts.contains(NodeFacts::LABELS), &reads.label_keys)),
        annotations: has(NodeFacts::ANNOTATIONS).then(|| {
            let all = reads.facts.contains(NodeFacts::ANNOTATIONS);
            labels_read(arena, &node.annotations, all, &reads.annotation_keys)
        }),
        taints: has(NodeFacts::TAINTS).then(|| taints(arena, &node.taints)),
        unschedulable: has(NodeFacts::UNSCHEDULABLE).then_some(node.unschedulable),
        allocatable: has(NodeFacts::ALLOCATABLE).then(|| resources(arena, &node.allocatable)),
        images: has(NodeFacts::IMAGES).then(|| each(arena, &info.images, |id| id.0)),
        used_ports: has(NodeFacts::USED_PORTS).then(|| host_ports(arena, &info.used_ports)),
        conditions: has(NodeFacts::CONDITIONS).then(|| conditions(arena, &node.conditions)),
        declared_features: has(NodeFacts::DECLARED_FEATURES).then(|| strings(arena, &node.declared_features)),
        capacity: has(NodeFacts::CAPACITY).then(|| resources(arena, &node.capacity)),
        info: has(NodeFacts::INFO).then(|| system_info(&node.info)),
        fields: has(NodeFacts::FIELDS).then(|| &*arena.alloc_str(&reads.json(node))),
    }
}

pub(super) fn system_info(info: &NodeSystemInfo) -> facts::NodeInfo<'_> {
    facts::NodeInfo {
        architecture: &info.architecture,
        operating_system: &info.operating_system,
        os_image: &info.os_image,
        kernel_version: &info.kernel_version,
        kubelet_version: &info.kubelet_version,
        container_runtime_version: &info.container_runtime_version,
    }
}

pub(super) fn taints<'a>(arena: &'a Bump, taints: &'a [Taint]) -> &'a [wit::Taint<'a>] {
    each(arena, taints, |taint| wit::Taint { key: &taint.key, value: &taint.value, effect: effect(taint.effect) })
}

pub(super) fn effect(effect: Effect) -> wit::TaintEffect {
    match effect {
        Effect::NoSchedule => wit::TaintEffect::NoSchedule,
        Effect::PreferNoSchedule => wit::TaintEffect::PreferNoSchedule,
        Effect::NoExecute => wit::TaintEffect::NoExecute,
    }
}

pub(super) fn conditions<'a>(arena: &'a Bump, conditions: &'a [Condition]) -> &'a [wit::Condition<'a>] {
    each(arena, conditions, |condition| wit::Condition {
        kind: &condition.kind,
        status: match condition.status {
            ConditionStatus::True => wit::ConditionStatus::True,
            ConditionStatus::False => wit::ConditionStatus::False,
            ConditionStatus::Unknown => wit::ConditionStatus::Unknown,
        },
    })
}

pub(super) fn host_ports<'a>(arena: &'a Bump, ports: &'a [HostPort]) -> &'a [wit::HostPort<'a>] {
    each(arena, ports, |port| wit::HostPort {
        ip: &port.ip,
        protocol: match port.protocol {
            Protocol::Tcp => wit::Protocol::Tcp,
            Protocol::Udp => wit::Protocol::Udp,
            Protocol::Sctp => wit::Protocol::Sctp,
        },
        port: port.port,
    })
}
