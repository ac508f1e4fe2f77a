//! A plugin's own data about the cluster. The SDK updates it with every change.
//!
//! Most plugins decide by one pod and one node, and need no index. A plugin that depends on other nodes, or on the pods
//! on them, would have to examine all of these nodes and pods for each pod. An index counts them once, and updates the
//! counts after each change. The SDK sends every change to the index once, before it calls the plugin. The plugin's
//! functions take the index by reference.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::index::Index;
//! use berth_guest::plugin::NoArgs;
//!
//! /// The zone of each node, and the node of each pod.
//! #[derive(Default)]
//! pub struct Zones {
//!     zones: Vec<String>,
//!     pods: Vec<Option<node::Id>>,
//! }
//!
//! impl Index for Zones {
//!     type Nodes = node::Labels;
//!     type Pods = pod::Namespace;
//!     type PendingPods = ();
//!
//!     fn new(_: &NoArgs) -> Zones {
//!         Zones::default()
//!     }
//!
//!     fn node_set(&mut self, node: node::Id, labels: &node::Labels) {
//!         self.zones.resize(self.zones.len().max(node.at() + 1), String::new());
//!         self.zones[node.at()] = labels.get("zone").unwrap_or_default().into();
//!     }
//!
//!     fn pod_set(&mut self, pod: pod::Id, node: node::Id, namespace: &pod::Namespace) {
//!         self.pods.resize(self.pods.len().max(pod.at() + 1), None);
//!         self.pods[pod.at()] = (&**namespace != "kube-system").then_some(node);
//!     }
//!
//!     fn pod_removed(&mut self, pod: pod::Id) {
//!         self.pods[pod.at()] = None;
//!     }
//! }
//!
//! /// Zones with few pods first.
//! fn score(zones: &Zones, node: node::Id) -> i64 {
//!     let zone = |node: &node::Id| zones.zones.get(node.at());
//!     let in_zone = zones.pods.iter().flatten().filter(|other| zone(other) == zone(&node));
//!     -(in_zone.count() as i64)
//! }
//!
//! fn normalize(scores: &mut [i64]) {
//!     let lowest = scores.iter().copied().min().unwrap_or(0).min(-1);
//!     scores.iter_mut().for_each(|score| *score = 100 - 100 * *score / lowest);
//! }
//!
//! berth_guest::plugin!(name: "QuietZones", index: Zones, score: score, normalize: normalize);
//! # fn main() {}
//! ```
//!
//! The host may undo a change: preemption asks whether a pod would fit without some pods of a node, so the host
//! removes these pods and sets them again. After a change and its opposite, an index must answer as if neither had
//! happened.
//!
//! Functions take the index by reference. A function that caches a result stores the result in a `Cell` or `RefCell`,
//! in the index or in the result of `prepare`.

use crate::node::{self, FactSet, ResidentFacts};
use crate::objects::{Kind, Object};
use crate::plugin::NoArgs;
use crate::pod;
use crate::reads::{PodReads, Reads};

/// A plugin's own state, which the SDK updates after every change. See [the module](self).
pub trait Index<Args = NoArgs>: Sized + 'static {
    /// The facts of nodes that the index receives: a type of [`node`], or a tuple of them.
    type Nodes: FactSet;
    /// The facts of pods on nodes that the index receives: a type of [`pod`], or a tuple of them. `()`: the index
    /// receives no pods.
    type Pods: ResidentFacts;
    /// The facts of pending pods that the index receives, as for `Pods`. Pending pods are the pods of the scheduler's
    /// profiles that have no node. A change of a pending pod invalidates all cached answers of the plugin. `()`: the
    /// index receives no pending pods.
    type PendingPods: ResidentFacts;

    /// Makes the index before the first change.
    fn new(args: &Args) -> Self;

    /// Returns true if the index needs the facts of `Nodes`, `Pods` and `PendingPods` with these arguments. If false,
    /// the plugin does not declare those of these facts that no function reads. The host does not send them, and the
    /// index receives empty values.
    fn needs_facts(_args: &Args) -> bool {
        true
    }

    /// Adds a node, or replaces its facts after a change.
    fn node_set(&mut self, _node: node::Id, _facts: <Self::Nodes as FactSet>::Item<'_>) {}

    /// Removes a node. The node's pods may be removed before or after it.
    fn node_removed(&mut self, _node: node::Id) {}

    /// Adds a pod to a node, or replaces its facts after a change. The pod may come before its node.
    fn pod_set(&mut self, _pod: pod::Id, _node: node::Id, _facts: <Self::Pods as ResidentFacts>::Item<'_>) {}

    /// Removes a pod from its node.
    fn pod_removed(&mut self, _pod: pod::Id) {}

    /// Adds a pending pod, or replaces its facts after a change. Pending pods share their ids with pods on nodes.
    fn pending_pod_set(&mut self, _pod: pod::Id, _facts: <Self::PendingPods as ResidentFacts>::Item<'_>) {}

    /// Removes a pending pod: the pod is assumed on a node, where it has another id, or it is deleted.
    fn pending_pod_removed(&mut self, _pod: pod::Id) {}

    /// Returns the kinds of [objects](crate::objects) that the index receives.
    fn kinds(_args: &Args) -> Vec<Kind> {
        Vec::new()
    }

    /// Adds an object, or replaces its fields after a change.
    fn object_set(&mut self, _object: &Object<'_>) {}

    /// Removes an object. The object's fields are empty.
    fn object_removed(&mut self, _object: &Object<'_>) {}
}

/// Returns the facts that an index receives.
pub const fn reads<I: Index<Args>, Args>() -> Reads {
    Reads {
        node: <I::Nodes as FactSet>::READS,
        resident: declared(<I::Pods as ResidentFacts>::READS),
        pending: declared(<I::PendingPods as ResidentFacts>::READS),
        ..Reads::NONE
    }
}

/// Returns `None` for an index that reads no facts of the pods.
const fn declared(pods: PodReads) -> Option<PodReads> {
    if pods.is_empty() { None } else { Some(pods) }
}

/// The index of a plugin without an index.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIndex;

impl<Args> Index<Args> for NoIndex {
    type Nodes = ();
    type Pods = ();
    type PendingPods = ();

    fn new(_args: &Args) -> NoIndex {
        NoIndex
    }
}
