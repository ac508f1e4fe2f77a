//! The plugin's copy of the cluster: one column per fact that the plugin reads, one row per node.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, Node, PendingPod, ResidentPod, Usage};
use crate::index::Index;
use crate::labels::Texts;
use crate::named::{Cache, Field, Text};
use crate::node::{FactSet, ResidentFacts};
use crate::plugin::Plugin;
use crate::reads::FilledNode;
use crate::types::{ClusterFacts, NodeFacts};
use crate::{cluster, node, pod};

type IndexedNodes<P> = <<P as Plugin>::Index as Index<<P as Plugin>::Args>>::Nodes;
type IndexedPods<P> = <<P as Plugin>::Index as Index<<P as Plugin>::Args>>::Pods;
type IndexedPendingPods<P> = <<P as Plugin>::Index as Index<<P as Plugin>::Args>>::PendingPods;

/// One fact of all nodes. The column of a fact that no function reads stays empty, as the host never sends the fact.
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
        // Always found: the resize above made this row.
        self.rows.get_mut(node).unwrap_or(&mut self.absent)
    }

    #[inline(always)]
    fn clear(&mut self, node: usize) {
        if let Some(row) = self.rows.get_mut(node) {
            *row = T::default();
        }
    }
}

/// The pods on nodes (resident pods).
#[derive(Default)]
pub(crate) struct Residents {
    pods: Vec<Option<pod::Facts>>,
    /// The node of each pod. Parallel to `pods`.
    nodes: Vec<u32>,
    by_node: Column<Vec<u32>>,
}

impl Residents {
    pub(crate) fn on_node<F>(&self, node: usize) -> node::Pods<'_, F> {
        node::Pods { ids: self.by_node.get(node), all: &self.pods, facts: PhantomData }
    }

    fn set(&mut self, id: u32, node: u32, facts: pod::Facts) {
        self.remove(id);
        let at = id as usize;
        if at >= self.pods.len() {
            self.pods.resize_with(at + 1, || None);
            self.nodes.resize(at + 1, 0);
        }
        if let (Some(known), Some(on)) = (self.pods.get_mut(at), self.nodes.get_mut(at)) {
            *known = Some(facts);
            *on = node;
            self.by_node.row(node as usize).push(id);
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

/// The plugin's copy of the cluster.
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
    pub(crate) capacity: Column<node::Capacity>,
    pub(crate) info: Column<node::Info>,
    /// The declared fields of each node as JSON.
    fields: Column<String>,
    named: Column<Cache>,
    pub(crate) residents: Residents,
    pub(crate) cluster: cluster::Facts,
    pub(crate) texts: Texts,
}

/// Declares the columns: the group of facts of each column, the field of `Node` that carries it, and the function
/// that turns the field into a row.
///
/// `filled` is a constant once these functions are inlined, so columns that the plugin does not read leave no code in
/// the component.
macro_rules! columns {
    ($($column:ident [$fact:ident] $(from $field:ident: $make:expr)?,)*) => {
        impl Snapshot {
            #[inline(always)]
            fn set_node(&mut self, node: Node, filled: FilledNode) {
                let at = node.id as usize;
                *self.present.row(at) = true;
                if has_named(filled) {
                    // The values were made of labels and fields that may have changed.
                    self.named.clear(at);
                }
                $($(if filled.facts.contains(NodeFacts::$fact)
                    && let Some(value) = node.$field
                {
                    *self.$column.row(at) = $make(value, &mut self.texts);
                })?)*
                if filled.fields
                    && let Some(fields) = node.fields
                {
                    *self.fields.row(at) = fields;
                }
                if has_named(filled) {
                    self.named.row(at);
                }
            }

            /// Removes a node, but not the pods on the node: the host may remove a node's pods after the node.
            #[inline(always)]
            fn remove_node(&mut self, at: usize, filled: FilledNode) {
                self.present.clear(at);
                $(if filled.facts.contains(NodeFacts::$fact) {
                    self.$column.clear(at);
                })*
                if filled.fields {
                    self.fields.clear(at);
                }
                if has_named(filled) {
                    self.named.clear(at);
                }
            }
        }
    };
}

/// Returns true if the plugin may have named facts of nodes.
const fn has_named(filled: FilledNode) -> bool {
    filled.fields || filled.facts.intersects(NodeFacts::LABELS.union(NodeFacts::ANNOTATIONS))
}

columns! {
    names [NAME] from name: |name, _| node::Name(name),
    uids [NAME] from uid: |uid, _| node::Uid(uid),
    labels [LABELS] from labels: |labels, texts: &mut Texts| node::Labels(texts.labels(labels)),
    annotations [ANNOTATIONS] from annotations: |labels, texts: &mut Texts| node::Annotations(texts.labels(labels)),
    taints [TAINTS] from taints: |taints, _| node::Taints(taints),
    unschedulable [UNSCHEDULABLE] from unschedulable: |unschedulable, _| node::Unschedulable(unschedulable),
    allocatable [ALLOCATABLE] from allocatable: |allocatable, _| node::Allocatable(allocatable),
    usage [USAGE],
    images [IMAGES] from images: |images, _| node::Images::new(images),
    used_ports [USED_PORTS] from used_ports: |ports, _| node::UsedPorts(ports),
    conditions [CONDITIONS] from conditions: |conditions, _| node::Conditions(conditions),
    declared_features [DECLARED_FEATURES] from declared_features: |features, _| node::DeclaredFeatures(features),
    capacity [CAPACITY] from capacity: |capacity, _| node::Capacity(capacity),
    info [INFO] from info: |info, _| node::Info(info),
}

impl Snapshot {
    /// Makes a snapshot that contains only these nodes, such as the nodes of an event. The row of a node is its id.
    pub(crate) fn of_nodes<P: Plugin>(nodes: impl IntoIterator<Item = Node>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        nodes.into_iter().for_each(|node| snapshot.set_node(node, P::FILLED.node));
        snapshot
    }

    /// Applies a change of a fact that the plugin reads, and updates the plugin's index.
    #[inline(always)]
    pub(crate) fn apply<P: Plugin>(&mut self, change: Change, index: Option<&mut P::Index>) {
        let images = P::FILLED.cluster.contains(ClusterFacts::IMAGES);
        match change {
            Change::Node(node) => {
                let id = node.id;
                self.set_node(node, P::FILLED.node);
                if let Some(index) = index {
                    index.node_set(node::Id(id), <IndexedNodes<P> as FactSet>::of(self, id as usize));
                }
            }
            Change::NodeRemoved(id) => {
                self.remove_node(id as usize, P::FILLED.node);
                if let Some(index) = index {
                    index.node_removed(node::Id(id));
                }
            }
            Change::Usage(usage) if P::FILLED.node.facts.contains(NodeFacts::USAGE) => {
                let nodes = self.set_usage(usage);
                if const { <IndexedNodes<P> as FactSet>::READS.facts.contains(NodeFacts::USAGE) }
                    && let Some(index) = index
                {
                    for id in nodes.into_iter().filter(|id| *self.present.get(*id as usize)) {
                        index.node_set(node::Id(id), <IndexedNodes<P> as FactSet>::of(self, id as usize));
                    }
                }
            }
            Change::ResidentPod(pod) if P::FILLED.resident.is_some() => self.set_pod::<P>(pod, index),
            Change::ResidentPodRemoved(id) if P::FILLED.resident.is_some() => {
                self.residents.remove(id);
                if let Some(index) = index {
                    index.pod_removed(pod::Id(id));
                }
            }
            Change::PendingPod(pod) if P::FILLED.pending.is_some() => self.set_pending_pod::<P>(pod, index),
            Change::PendingPodRemoved(id) if P::FILLED.pending.is_some() => {
                if let Some(index) = index {
                    index.pending_pod_removed(pod::Id(id));
                }
            }
            Change::Image(image) if images => {
                self.cluster.images.set(image);
                self.cluster.version += 1;
            }
            Change::ImageRemoved(id) if images => {
                self.cluster.images.remove(id);
                self.cluster.version += 1;
            }
            Change::NodeCount(count) => {
                self.cluster.node_count = cluster::NodeCount(count);
                self.cluster.version += 1;
            }
            unread if cfg!(target_family = "wasm") => {
                // Never reached in a component: the module `lift` leaves such changes out. With `forget`, the component
                // needs no code that frees a change.
                std::mem::forget(unread);
            }
            _unread => (),
        }
    }

    /// Updates the index, and stores the pod only if a function reads the pods on nodes. The index stores the facts
    /// that it needs in its own form.
    #[inline(always)]
    fn set_pod<P: Plugin>(&mut self, resident: ResidentPod, index: Option<&mut P::Index>) {
        let Some(filled) = P::FILLED.resident else { return };
        let facts = pod::Facts::new(resident.pod, filled, &mut self.texts);
        if let Some(index) = index {
            let indexed = <IndexedPods<P> as ResidentFacts>::of(&facts);
            index.pod_set(pod::Id(resident.id), node::Id(resident.node), indexed);
        }
        if const { P::DECLARED.functions().resident.is_some() } {
            self.residents.set(resident.id, resident.node, facts);
        } else {
            facts.free(filled);
        }
    }

    /// Updates the index. Only an index reads pending pods.
    #[inline(always)]
    fn set_pending_pod<P: Plugin>(&mut self, pending: PendingPod, index: Option<&mut P::Index>) {
        let Some(filled) = P::FILLED.pending else { return };
        let facts = pod::Facts::new(pending.pod, filled, &mut self.texts);
        if let Some(index) = index {
            index.pending_pod_set(pod::Id(pending.id), <IndexedPendingPods<P> as ResidentFacts>::of(&facts));
        }
        facts.free(filled);
    }

    /// Returns a fact of a node that the author names. The value is made once.
    pub fn named<T: 'static>(&self, node: usize, make: impl Fn(&Snapshot) -> T) -> &T {
        self.named.get(node).get(|| make(self))
    }

    /// Returns the value of the node's label with this key.
    pub fn label_of(&self, node: usize, key: &str) -> Text {
        Text::of(self.labels.get(node), key)
    }

    /// Returns the value of the node's annotation with this key.
    pub fn annotation_of(&self, node: usize, key: &str) -> Text {
        Text::of(self.annotations.get(node), key)
    }

    /// Returns the value of the node's field with this path.
    pub fn field_of<T: DeserializeOwned>(&self, node: usize, path: &str) -> Field<T> {
        Field::read(self.fields.get(node), path)
    }

    /// Stores the usage, and returns the nodes of the update.
    fn set_usage(&mut self, usage: Usage) -> Vec<u32> {
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
        usage.nodes
    }
}
