//! The cluster as the plugin keeps it: a column for each fact that it reads, a row for each node.

use std::marker::PhantomData;

use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, Node, ResidentPod, Usage};
use crate::index::Index;
use crate::labels::Texts;
use crate::node::{FactSet, ResidentFacts};
use crate::plugin::Plugin;
use crate::types::{ClusterFacts, NodeFacts};
use crate::{cluster, node, pod};

type IndexedNodes<P> = <<P as Plugin>::Index as Index<<P as Plugin>::Args>>::Nodes;
type IndexedPods<P> = <<P as Plugin>::Index as Index<<P as Plugin>::Args>>::Pods;

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

    #[inline(always)]
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

/// The columns: in which group of facts each is, in which of the node's fields it comes, and what a row makes of that.
///
/// Which facts are read is a constant once this is inlined, so that the columns of others leave no code in the component.
macro_rules! columns {
    ($($column:ident [$fact:ident] $(from $field:ident: $make:expr)?,)*) => {
        impl Snapshot {
            #[inline(always)]
            fn set_node(&mut self, node: Node, reads: NodeFacts) {
                let at = node.id as usize;
                *self.present.row(at) = true;
                $($(if reads.contains(NodeFacts::$fact)
                    && let Some(value) = node.$field
                {
                    *self.$column.row(at) = $make(value, &mut self.texts);
                })?)*
            }

            /// The columns of pods are left alone: a node's pods may go after it.
            #[inline(always)]
            fn remove_node(&mut self, at: usize, reads: NodeFacts) {
                self.present.clear(at);
                $(if reads.contains(NodeFacts::$fact) {
                    self.$column.clear(at);
                })*
            }
        }
    };
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
}

impl Snapshot {
    /// Nodes that are none of the cluster's, in the rows of their ids.
    pub(crate) fn of_nodes<P: Plugin>(nodes: impl IntoIterator<Item = Node>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        nodes.into_iter().for_each(|node| snapshot.set_node(node, P::READS.node));
        snapshot
    }

    /// Takes in a change of what the plugin reads, and tells its index.
    #[inline(always)]
    pub(crate) fn apply<P: Plugin>(&mut self, change: Change, index: Option<&mut P::Index>) {
        let images = P::READS.cluster.contains(ClusterFacts::IMAGES);
        match change {
            Change::Node(node) => {
                let id = node.id;
                self.set_node(node, P::READS.node);
                if let Some(index) = index {
                    index.node_set(node::Id(id), <IndexedNodes<P> as FactSet>::of(self, id as usize));
                }
            }
            Change::NodeRemoved(id) => {
                self.remove_node(id as usize, P::READS.node);
                if let Some(index) = index {
                    index.node_removed(node::Id(id));
                }
            }
            Change::Usage(usage) if P::READS.node.contains(NodeFacts::USAGE) => self.set_usage(usage),
            Change::ResidentPod(pod) if P::READS.node.contains(NodeFacts::PODS) => self.set_pod::<P>(pod, index),
            Change::ResidentPodRemoved(id) if P::READS.node.contains(NodeFacts::PODS) => {
                self.residents.remove(id);
                if let Some(index) = index {
                    index.pod_removed(pod::Id(id));
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
                // There is none, as `lift` leaves them out; forgetting it spares the component the code to free it.
                std::mem::forget(unread);
            }
            _unread => (),
        }
    }

    /// A pod is kept only where a function reads pods: an index keeps of them what it wants.
    #[inline(always)]
    fn set_pod<P: Plugin>(&mut self, resident: ResidentPod, index: Option<&mut P::Index>) {
        let facts = pod::Facts::new(resident.pod, P::READS.resident, &mut self.texts);
        if let Some(index) = index {
            let told = <IndexedPods<P> as ResidentFacts>::of(&facts);
            index.pod_set(pod::Id(resident.id), node::Id(resident.node), told);
        }
        if const { P::DECLARED.functions().node.contains(NodeFacts::PODS) } {
            self.residents.set(resident.id, resident.node, facts);
        } else {
            facts.free(P::READS.resident);
        }
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
