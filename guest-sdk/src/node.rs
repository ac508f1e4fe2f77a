//! Facts of a node. A function that takes `&node::Taints` reads the node's taints, and is asked again when the taints
//! change.
//!
//! ```
//! use berth_guest::prelude::*;
//!
//! /// Nodes with much free memory first.
//! fn score(allocatable: &node::Allocatable, usage: &node::Usage) -> i64 {
//!     (allocatable.memory - usage.memory) / (1 << 20)
//! }
//! # let _ = score;
//! ```

use std::marker::PhantomData;

use crate::cluster::ImageId;
use crate::fact::{list_fact, text_fact, value_fact};
use crate::labels;
use crate::param::{Param, PodParam, Scene};
use crate::plugin::Plugin;
use crate::pod::{self, ResidentFact};
use crate::reads::{NodeReads, PodReads, Reads};
use crate::resources::{self, Resource};
use crate::snapshot::Snapshot;
use crate::types::{self, NodeFacts, NodeInfo, Resources, Scalar};

text_fact! {
    /// `metadata.name`.
    Name,
    /// `metadata.uid`.
    Uid,
}

value_fact! {
    /// `spec.unschedulable`.
    Unschedulable(bool),
}

list_fact! {
    /// `spec.taints`, in the spec's order.
    Taints(types::Taint),
    /// The host ports that the node's pods use.
    UsedPorts(types::HostPort),
    /// `status.conditions`.
    Conditions(types::Condition),
    /// `status.declaredFeatures`.
    DeclaredFeatures(String),
}

labels::fact! {
    /// `metadata.labels`.
    Labels,
    /// `metadata.annotations`.
    Annotations,
}

/// The id of a node, valid while the node exists. Ids are small numbers without large gaps, so an
/// [index](crate::index) may keep facts of nodes in arrays. [`Cycle::random`](crate::Cycle::random) takes an id too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

impl Id {
    /// Returns the id as an array index.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl<P: Plugin> Param<P> for Id {
    type Item<'a> = Id;
    /// Two nodes with the same facts have different ids, so answers that depend on the id are not cached by facts.
    const READS: Reads = Reads::NODES;

    fn of<'a>(scene: &Scene<'a, P>) -> Id {
        // Fits: the id came as a `u32`.
        Id(scene.node as u32)
    }
}

/// The nodes of a call. In a pre-score and a normalize: all nodes that passed the filters. In `filter`, `score`,
/// `filter_nodes` and `score_nodes`: the nodes that the host asks about in this call. In a post-filter: all nodes.
/// Empty in every other function.
#[derive(Clone, Copy, Debug)]
pub struct Ids<'a>(pub(crate) &'a [u32]);

impl<'a> Ids<'a> {
    /// Returns the ids, in the order of the answers.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Id> + use<'a> {
        self.0.iter().map(|&id| Id(id))
    }

    /// Returns the number of nodes.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl<P: Plugin> Param<P> for Ids<'_> {
    type Item<'a> = Ids<'a>;
    const READS: Reads = Reads::NODES;

    fn of<'a>(scene: &Scene<'a, P>) -> Ids<'a> {
        Ids(scene.nodes)
    }
}

impl<P: Plugin> PodParam<P> for Ids<'_> {}

/// `status.allocatable`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocatable(pub Resources);

impl std::ops::Deref for Allocatable {
    type Target = Resources;

    fn deref(&self) -> &Resources {
        &self.0
    }
}

/// `status.capacity`: all resources of the node, also those that are kept from pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capacity(pub Resources);

impl std::ops::Deref for Capacity {
    type Target = Resources;

    fn deref(&self) -> &Resources {
        &self.0
    }
}

/// `status.nodeInfo`: operating system, architecture and versions.
///
/// ```
/// use berth_guest::prelude::*;
///
/// fn filter(info: &node::Info) -> Result<(), &'static str> {
///     if info.architecture == "amd64" { Ok(()) } else { Err("node(s) had another architecture") }
/// }
/// # let _ = filter;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info(pub NodeInfo);

impl std::ops::Deref for Info {
    type Target = NodeInfo;

    fn deref(&self) -> &NodeInfo {
        &self.0
    }
}

/// The requests of the node's pods, assumed pods included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// The sum of the cpu requests, in millicores.
    pub milli_cpu: i64,
    /// The sum of the memory requests, in bytes.
    pub memory: i64,
    /// The sum of the ephemeral-storage requests, in bytes.
    pub ephemeral_storage: i64,
    /// The number of pods.
    pub pods: i64,
    /// The sum of the cpu requests, in millicores. A container without a cpu request counts as 100 millicores.
    pub non_zero_milli_cpu: i64,
    /// The sum of the memory requests, in bytes. A container without a memory request counts as 200 MiB
    /// (209715200 bytes).
    pub non_zero_memory: i64,
    pub(crate) scalars: Vec<Scalar>,
}

impl Usage {
    /// Returns the requested amount of a scalar resource (an extended resource, hugepages or the like); 0 if no pod
    /// requests it.
    pub fn scalar(&self, name: &str) -> i64 {
        resources::scalar(&self.scalars, name)
    }

    /// Returns the requested amount of a resource.
    #[inline]
    pub fn get(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.milli_cpu,
            Resource::Memory => self.memory,
            Resource::EphemeralStorage => self.ephemeral_storage,
            Resource::Scalar(name) => self.scalar(name),
        }
    }

    /// Returns the requested amount of a resource, with a default for each container without a cpu or memory request,
    /// so that pods without requests count. NodeResourcesFit scores by this.
    #[inline]
    pub fn get_non_zero(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.non_zero_milli_cpu,
            Resource::Memory => self.non_zero_memory,
            other => self.get(other),
        }
    }

    pub(crate) fn set_scalar(&mut self, name: String, quantity: i64) {
        match self.scalars.iter_mut().find(|known| known.name == name) {
            Some(known) => known.quantity = quantity,
            None => self.scalars.push(Scalar { name, quantity }),
        }
    }
}

/// [`Allocatable`] minus [`Usage`]: this parameter replaces both. Negative if the pods request more than is
/// allocatable. Taken by value: `free: node::Free`.
///
/// ```
/// use berth_guest::prelude::*;
///
/// fn filter(pod: &pod::Requests, free: node::Free) -> Result<(), &'static str> {
///     if free.memory < 2 * pod.fit.memory { Err("node(s) had no memory to spare") } else { Ok(()) }
/// }
/// # let _ = filter;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Free {
    /// Free cpu, in millicores.
    pub milli_cpu: i64,
    /// Free memory, in bytes.
    pub memory: i64,
    /// Free ephemeral storage, in bytes.
    pub ephemeral_storage: i64,
    /// The number of pods that may still be added.
    pub pods: i64,
}

impl<P: Plugin> Param<P> for Free {
    type Item<'a> = Free;
    const READS: Reads = <&Allocatable as Param<P>>::READS.and(<&Usage as Param<P>>::READS);

    #[inline(always)]
    fn of<'a>(scene: &Scene<'a, P>) -> Free {
        let (allocatable, usage) = (<&Allocatable as Param<P>>::of(scene), <&Usage as Param<P>>::of(scene));
        Free {
            milli_cpu: allocatable.milli_cpu - usage.milli_cpu,
            memory: allocatable.memory - usage.memory,
            ephemeral_storage: allocatable.ephemeral_storage - usage.ephemeral_storage,
            pods: allocatable.pods - usage.pods,
        }
    }
}

/// The images that the node has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Images(pub(crate) Box<[u32]>);

impl Images {
    /// Returns true if the node has the image. [`cluster::Images`](crate::cluster::Images) finds the image's id by
    /// name.
    pub fn contains(&self, image: ImageId) -> bool {
        self.0.binary_search(&image.0).is_ok()
    }

    pub(crate) fn new(mut ids: Vec<u32>) -> Images {
        ids.sort_unstable();
        Images(ids.into())
    }
}

macro_rules! params {
    ($($fact:ident [$flags:expr] $column:ident,)*) => { $(
        impl<P: Plugin> Param<P> for &$fact {
            type Item<'a> = &'a $fact;
            const READS: Reads = Reads::node(NodeReads::of($flags));

            #[inline(always)]
            fn of<'a>(scene: &Scene<'a, P>) -> &'a $fact {
                scene.snapshot.$column.get(scene.node)
            }
        }

        impl Fact for $fact {
            const READS: NodeReads = NodeReads::of($flags);

            #[inline(always)]
            fn of(snapshot: &Snapshot, node: usize) -> &$fact {
                snapshot.$column.get(node)
            }
        }
    )* };
}

params! {
    Name [NodeFacts::NAME] names,
    Uid [NodeFacts::NAME] uids,
    Labels [NodeFacts::LABELS] labels,
    Annotations [NodeFacts::ANNOTATIONS] annotations,
    Taints [NodeFacts::TAINTS] taints,
    Unschedulable [NodeFacts::UNSCHEDULABLE] unschedulable,
    Allocatable [NodeFacts::ALLOCATABLE] allocatable,
    Usage [NodeFacts::USAGE] usage,
    Images [NodeFacts::IMAGES] images,
    UsedPorts [NodeFacts::USED_PORTS] used_ports,
    Conditions [NodeFacts::CONDITIONS] conditions,
    DeclaredFeatures [NodeFacts::DECLARED_FEATURES] declared_features,
    Capacity [NodeFacts::CAPACITY] capacity,
    Info [NodeFacts::INFO] info,
}

/// A fact of a node that an [index](crate::index) can receive.
pub trait Fact: 'static {
    /// What the host sends for the fact.
    const READS: NodeReads;
    /// Returns this fact of a node.
    fn of(snapshot: &Snapshot, node: usize) -> &Self;
}

/// A fact of a node, a tuple of facts, or `()` for none.
pub trait FactSet: 'static {
    /// References to the facts.
    type Item<'a>;
    /// What the host sends for the facts.
    const READS: NodeReads;
    /// Returns these facts of a node.
    fn of(snapshot: &Snapshot, node: usize) -> Self::Item<'_>;
}

impl<F: Fact> FactSet for F {
    type Item<'a> = &'a F;
    const READS: NodeReads = F::READS;

    fn of(snapshot: &Snapshot, node: usize) -> &F {
        F::of(snapshot, node)
    }
}

/// The pods on the node, assumed pods included, with the facts that the type names: `node::Pods<pod::Labels>`, or
/// several facts in a tuple.
///
/// ```
/// use berth_guest::prelude::*;
///
/// /// Nodes with few pods of the same namespace first.
/// fn score(pod: &pod::Namespace, residents: node::Pods<'_, pod::Namespace>) -> i64 {
///     100 - residents.iter().filter(|resident| *resident == pod).count() as i64
/// }
/// # let _ = score;
/// ```
pub struct Pods<'a, F> {
    pub(crate) ids: &'a [u32],
    pub(crate) all: &'a [Option<pod::Facts>],
    pub(crate) facts: PhantomData<F>,
}

impl<'a, F: ResidentFacts> Pods<'a, F> {
    /// Returns the facts of each pod.
    pub fn iter(&self) -> impl Iterator<Item = F::Item<'a>> {
        let all = self.all;
        self.ids.iter().filter_map(move |&id| all.get(id as usize)?.as_ref()).map(F::of)
    }
}

/// For a [queueing hint](crate::hints): the node that the event is about, with the facts that the type names. Both
/// fields are `None` if the event is about another kind of object. An event does not have [`Uid`], [`Usage`],
/// [`Images`] and [`UsedPorts`], so these facts are empty.
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::hints::{Event, Hint};
///
/// /// Only a node with more allocatable cpu than before can help.
/// fn queueing_hint(_: &Event, node: node::Change<'_, node::Allocatable>) -> Hint {
///     let cpu = |node: Option<&node::Allocatable>| node.map_or(0, |node| node.milli_cpu);
///     Hint::queue_if(cpu(node.after) > cpu(node.before))
/// }
/// # let _ = queueing_hint;
/// ```
pub struct Change<'a, F: FactSet> {
    /// The node before the event; `None` if the node is new.
    pub before: Option<F::Item<'a>>,
    /// The node after the event; `None` if the node was deleted.
    pub after: Option<F::Item<'a>>,
}

impl<P: Plugin, F: FactSet> Param<P> for Change<'_, F> {
    type Item<'a> = Change<'a, F>;
    const READS: Reads = Reads::node(F::READS);

    fn of<'a>(scene: &Scene<'a, P>) -> Change<'a, F> {
        let nodes = scene.event_change.nodes;
        let row = |row| nodes.filter(|nodes| *nodes.present.get(row)).map(|nodes| F::of(nodes, row));
        Change { before: row(0), after: row(1) }
    }
}

impl<P: Plugin, F: FactSet> PodParam<P> for Change<'_, F> {}

/// A fact of a pod, a tuple of facts, or `()` for none.
pub trait ResidentFacts: 'static {
    /// References to the facts.
    type Item<'a>;
    /// What the host sends for the facts.
    const READS: PodReads;
    /// Returns these facts of a pod.
    fn of(pod: &pod::Facts) -> Self::Item<'_>;
}

impl<F: ResidentFact> ResidentFacts for F {
    type Item<'a> = &'a F;
    const READS: PodReads = F::READS;

    fn of(pod: &pod::Facts) -> &F {
        F::of(pod)
    }
}

macro_rules! tuples {
    ($($fact:ident)*) => {
        impl<$($fact: Fact),*> FactSet for ($($fact,)*) {
            type Item<'a> = ($(&'a $fact,)*);
            const READS: NodeReads = NodeReads::NONE$(.and($fact::READS))*;

            #[allow(clippy::unused_unit, reason = "of no facts")]
            fn of(_snapshot: &Snapshot, _node: usize) -> Self::Item<'_> {
                ($($fact::of(_snapshot, _node),)*)
            }
        }

        impl<$($fact: ResidentFact),*> ResidentFacts for ($($fact,)*) {
            type Item<'a> = ($(&'a $fact,)*);
            const READS: PodReads = PodReads::NONE$(.and($fact::READS))*;

            #[allow(clippy::unused_unit, reason = "of no facts")]
            fn of(_pod: &pod::Facts) -> Self::Item<'_> {
                ($($fact::of(_pod),)*)
            }
        }
    };
}

tuples!();
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E G);
tuples!(A B C D E G H);

impl<P: Plugin, F: ResidentFacts> Param<P> for Pods<'_, F> {
    type Item<'a> = Pods<'a, F>;
    const READS: Reads = Reads::resident(F::READS);

    fn of<'a>(scene: &Scene<'a, P>) -> Pods<'a, F> {
        scene.snapshot.residents.on_node(scene.node)
    }
}
