//! The cluster as the plugin keeps it: a column for each fact that it reads, a row for each node.

use std::marker::PhantomData;

use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, Node, ResidentPod, Usage};
use crate::labels::Texts;
use crate::{cluster, node, pod};

/// One fact of all nodes. Facts that nobody reads are never sent, and their columns stay empty.
#[derive(Default)]
pub(crate) struct Column<T> {
    rows: Vec<T>,
    absent: T,
}

impl<T: Default> Column<T> {
    #[inline(always)]
    pub(crate) fn get(&self, node: usize) -> &T {
        self.rows.get(node).unwrap_or(&self.absent)
    }

    fn row(&mut self, node: usize) -> &mut T {
        if node >= self.rows.len() {
            self.rows.resize_with(node + 1, T::default);
        }
        // The row was made above.
        self.rows.get_mut(node).unwrap_or(&mut self.absent)
    }

    fn clear(&mut self, node: usize) {
        if let Some(row) = self.rows.get_mut(node) {
            *row = T::default();
        }
    }
}

/// The pods on nodes.
#[derive(Default)]
pub(crate) struct Residents {
    pods: Vec<Option<pod::Facts>>,
    /// Parallel to `pods`.
    nodes: Vec<u32>,
    by_node: Column<Vec<u32>>,
}

impl Residents {
    pub(crate) fn on_node<F>(&self, node: usize) -> node::Pods<'_, F> {
        node::Pods { ids: self.by_node.get(node), all: &self.pods, facts: PhantomData }
    }

    fn set(&mut self, resident: ResidentPod, texts: &mut Texts) {
        self.remove(resident.id);
        let at = resident.id as usize;
        if at >= self.pods.len() {
            self.pods.resize_with(at + 1, || None);
            self.nodes.resize(at + 1, 0);
        }
        if let (Some(pod), Some(node)) = (self.pods.get_mut(at), self.nodes.get_mut(at)) {
            *pod = Some(pod::Facts::new(resident.pod, texts));
            *node = resident.node;
            self.by_node.row(resident.node as usize).push(resident.id);
        }
    }

    fn remove(&mut self, id: u32) {
        let at = id as usize;
        if self.pods.get_mut(at).and_then(Option::take).is_some()
            && let Some(&node) = self.nodes.get(at)
        {
            self.by_node.row(node as usize).retain(|&known| known != id);
        }
    }
}

/// All that the plugin knows of the cluster.
#[derive(Default)]
pub struct Snapshot {
    pub(crate) present: Column<bool>,
    pub(crate) names: Column<node::Name>,
    pub(crate) uids: Column<node::Uid>,
    pub(crate) labels: Column<node::Labels>,
    pub(crate) annotations: Column<node::Annotations>,
    pub(crate) taints: Column<node::Taints>,
    pub(crate) unschedulable: Column<node::Unschedulable>,
    pub(crate) allocatable: Column<node::Allocatable>,
    pub(crate) usage: Column<node::Usage>,
    pub(crate) images: Column<node::Images>,
    pub(crate) used_ports: Column<node::UsedPorts>,
    pub(crate) conditions: Column<node::Conditions>,
    pub(crate) declared_features: Column<node::DeclaredFeatures>,
    pub(crate) residents: Residents,
    pub(crate) cluster: cluster::Facts,
    pub(crate) texts: Texts,
}

impl Snapshot {
    pub(crate) fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Node(node) => self.set_node(node),
                Change::NodeRemoved(id) => self.remove_node(id as usize),
                Change::Usage(usage) => self.set_usage(usage),
                Change::ResidentPod(resident) => self.residents.set(resident, &mut self.texts),
                Change::ResidentPodRemoved(id) => self.residents.remove(id),
                Change::Image(image) => {
                    self.cluster.images.set(image);
                    self.cluster.version += 1;
                }
                Change::ImageRemoved(id) => {
                    self.cluster.images.remove(id);
                    self.cluster.version += 1;
                }
                Change::NodeCount(count) => {
                    self.cluster.node_count = cluster::NodeCount(count);
                    self.cluster.version += 1;
                }
            }
        }
    }

    fn set_node(&mut self, node: Node) {
        let at = node.id as usize;
        *self.present.row(at) = true;
        if let Some(name) = node.name {
            *self.names.row(at) = node::Name(name);
        }
        if let Some(uid) = node.uid {
            *self.uids.row(at) = node::Uid(uid);
        }
        if let Some(labels) = node.labels {
            *self.labels.row(at) = node::Labels(self.texts.labels(labels));
        }
        if let Some(annotations) = node.annotations {
            *self.annotations.row(at) = node::Annotations(self.texts.labels(annotations));
        }
        if let Some(taints) = node.taints {
            *self.taints.row(at) = node::Taints(taints);
        }
        if let Some(unschedulable) = node.unschedulable {
            *self.unschedulable.row(at) = node::Unschedulable(unschedulable);
        }
        if let Some(allocatable) = node.allocatable {
            *self.allocatable.row(at) = node::Allocatable(allocatable);
        }
        if let Some(images) = node.images {
            *self.images.row(at) = node::Images::new(images);
        }
        if let Some(used_ports) = node.used_ports {
            *self.used_ports.row(at) = node::UsedPorts(used_ports);
        }
        if let Some(conditions) = node.conditions {
            *self.conditions.row(at) = node::Conditions(conditions);
        }
        if let Some(features) = node.declared_features {
            *self.declared_features.row(at) = node::DeclaredFeatures(features);
        }
    }

    /// The columns of pods are left alone: a node's pods may go after it.
    fn remove_node(&mut self, at: usize) {
        self.present.clear(at);
        self.names.clear(at);
        self.uids.clear(at);
        self.labels.clear(at);
        self.annotations.clear(at);
        self.taints.clear(at);
        self.unschedulable.clear(at);
        self.allocatable.clear(at);
        self.usage.clear(at);
        self.images.clear(at);
        self.used_ports.clear(at);
        self.conditions.clear(at);
        self.declared_features.clear(at);
    }

    fn set_usage(&mut self, usage: Usage) {
        let columns = usage.nodes.iter().zip(&usage.milli_cpu).zip(&usage.memory).zip(&usage.ephemeral_storage);
        let columns = columns.zip(&usage.pods).zip(&usage.non_zero_milli_cpu).zip(&usage.non_zero_memory);
        for ((((((&node, &milli_cpu), &memory), &ephemeral_storage), &pods), &cpu), &non_zero_memory) in columns {
            let row = self.usage.row(node as usize);
            row.milli_cpu = milli_cpu;
            row.memory = memory;
            row.ephemeral_storage = ephemeral_storage;
            row.pods = pods;
            row.non_zero_milli_cpu = cpu;
            row.non_zero_memory = non_zero_memory;
        }
        for scalar in usage.scalars {
            self.usage.row(scalar.node as usize).set_scalar(scalar.name, scalar.quantity);
        }
    }
}
