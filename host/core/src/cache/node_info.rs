//! A node with the resources that its pods use (kube-scheduler's `NodeInfo`).

use std::sync::Arc;

use super::Cache;
use super::ids::{ImageId, NodeId, PodId};
use super::usage::Usage;
use super::what_if::WhatIf;
use crate::facts::NodeFacts;
use crate::model::{HostPort, Node, Pod};

/// A node and its pods.
#[derive(Clone, Debug, Default)]
pub struct NodeInfo {
    /// The node's id in this cache.
    pub id: NodeId,
    /// The node object.
    pub node: Arc<Node>,
    /// The ids of the node's images, ascending.
    pub images: Vec<ImageId>,
    /// The node's pods, including assumed pods, in the order in which they were added here.
    pub pods: Vec<PodId>,
    /// The resources that the node's pods use.
    pub usage: Usage,
    /// The host ports that the node's pods use. A port that several pods use is listed several times.
    pub used_ports: Vec<HostPort>,
}

impl NodeInfo {
    pub(super) fn new(node: Arc<Node>, images: Vec<ImageId>) -> Self {
        Self { node, images, ..Self::default() }
    }

    /// Returns the node as it would be in this case. Added pods get ids from `first` on.
    #[must_use]
    pub fn as_if(&self, cache: &Cache, case: &WhatIf, first: PodId) -> Self {
        let mut info = self.clone();
        for (id, cached) in case.removed.iter().filter_map(|id| Some((*id, cache.pod(*id)?))) {
            info.remove_pod(id, &cached.pod);
        }
        for (number, pod) in (first.0..).zip(&case.added) {
            info.add_pod(PodId(number), pod);
        }
        info
    }

    /// Adds a pod. Returns the facts of the node that changed.
    pub(super) fn add_pod(&mut self, id: PodId, pod: &Pod) -> NodeFacts {
        self.pods.push(id);
        self.usage.add(pod);
        self.used_ports.extend_from_slice(&pod.spec.host_ports);
        NodeFacts::USAGE | NodeFacts::PODS | ports_fact(pod)
    }

    pub(super) fn remove_pod(&mut self, id: PodId, pod: &Pod) -> NodeFacts {
        self.pods.retain(|resident| *resident != id);
        self.usage.subtract(pod);
        self.remove_ports(&pod.spec.host_ports);
        NodeFacts::USAGE | NodeFacts::PODS | ports_fact(pod)
    }

    pub(super) fn replace_pod(&mut self, before: &Pod, after: &Pod) -> NodeFacts {
        let mut facts = NodeFacts::PODS;
        if before.requests != after.requests {
            self.usage.subtract(before);
            self.usage.add(after);
            facts |= NodeFacts::USAGE;
        }
        if before.spec.host_ports != after.spec.host_ports {
            self.remove_ports(&before.spec.host_ports);
            self.used_ports.extend_from_slice(&after.spec.host_ports);
            facts |= NodeFacts::USED_PORTS;
        }
        facts
    }

    fn remove_ports(&mut self, ports: &[HostPort]) {
        for port in ports {
            if let Some(at) = self.used_ports.iter().position(|used| used == port) {
                self.used_ports.swap_remove(at);
            }
        }
    }

    /// Returns the facts that differ between the current node and `after`.
    pub(super) fn changed_facts(&self, after: &Node) -> NodeFacts {
        let before = &*self.node;
        let mut facts = NodeFacts::empty();
        facts.set(NodeFacts::LABELS, before.labels != after.labels);
        facts.set(NodeFacts::ANNOTATIONS, before.annotations != after.annotations);
        facts.set(NodeFacts::TAINTS, before.taints != after.taints);
        facts.set(NodeFacts::UNSCHEDULABLE, before.unschedulable != after.unschedulable);
        facts.set(NodeFacts::ALLOCATABLE, before.allocatable != after.allocatable);
        facts.set(NodeFacts::IMAGES, before.images != after.images);
        facts.set(NodeFacts::CONDITIONS, before.conditions != after.conditions);
        facts.set(NodeFacts::DECLARED_FEATURES, before.declared_features != after.declared_features);
        facts.set(NodeFacts::CAPACITY, before.capacity != after.capacity);
        facts.set(NodeFacts::INFO, before.info != after.info);
        facts.set(NodeFacts::FIELDS, before.fields != after.fields);
        facts
    }
}

fn ports_fact(pod: &Pod) -> NodeFacts {
    if pod.spec.host_ports.is_empty() { NodeFacts::empty() } else { NodeFacts::USED_PORTS }
}
