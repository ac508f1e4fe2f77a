//! A plugin's own state of the cluster, kept up to date by changes.
//!
//! Most plugins decide by one pod and one node, and need none. One that decides by other nodes or by the pods that run on them
//! would have to look at all of those for every pod; with an index it looks at what it has counted. The index is told of every
//! change once, before the plugin is asked; functions take it by reference.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::index::Index;
//! use berth_guest::plugin::NoArgs;
//!
//! /// How many pods there are, and in which zone each is.
//! #[derive(Default)]
//! pub struct Zones {
//!     zones: Vec<String>,
//!     pods: Vec<Option<node::Id>>,
//! }
//!
//! impl Index for Zones {
//!     type Nodes = node::Labels;
//!     type Pods = pod::Namespace;
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
//! A change may be taken back: while the host asks what would be if some pods of a node were not there, they are removed and set
//! again. An index that has seen a change and its opposite must answer as if neither had been.
//!
//! What functions find out and want to keep goes behind a `Cell` or `RefCell`, in the index or in what `prepare` makes.

use crate::node::{self, FactSet, ResidentFacts};
use crate::objects::{Kind, Object};
use crate::plugin::NoArgs;
use crate::pod;
use crate::reads::Reads;
use crate::types::NodeFacts;

/// State that is told of every change. See [the module](self).
pub trait Index<Args = NoArgs>: Sized + 'static {
    /// The facts of nodes to be told of: a type of [`node`], or a tuple of them.
    type Nodes: FactSet;
    /// The facts of the pods on nodes to be told of: a type of [`pod`], or a tuple of them. `()`: no pods at all.
    type Pods: ResidentFacts;

    /// Before the first change.
    fn new(args: &Args) -> Self;

    /// Whether, with these arguments, it has to be told of nodes and pods. Where not, the facts of `Nodes` and `Pods` that no
    /// function reads are not declared, and so not sent: it sees them empty.
    fn is_told(_args: &Args) -> bool {
        true
    }

    /// A node is new, or one of its facts changed.
    fn node_set(&mut self, _node: node::Id, _facts: <Self::Nodes as FactSet>::Item<'_>) {}

    /// A node is gone. Its pods may be told of as gone before or after.
    fn node_removed(&mut self, _node: node::Id) {}

    /// A pod came to a node, or changed there. It may be told of before its node is.
    fn pod_set(&mut self, _pod: pod::Id, _node: node::Id, _facts: <Self::Pods as ResidentFacts>::Item<'_>) {}

    /// A pod left its node.
    fn pod_removed(&mut self, _pod: pod::Id) {}

    /// The kinds of [objects](crate::objects) to be told of.
    fn kinds(_args: &Args) -> Vec<Kind> {
        Vec::new()
    }

    /// An object is new, or one of its fields changed.
    fn object_set(&mut self, _object: &Object<'_>) {}

    /// An object is gone; its fields are told no more.
    fn object_removed(&mut self, _object: &Object<'_>) {}
}

/// What an index is told of.
pub const fn reads<I: Index<Args>, Args>() -> Reads {
    let nodes = Reads::node(<I::Nodes as FactSet>::FACTS);
    let pods = <I::Pods as ResidentFacts>::FACTS;
    if pods.is_empty() { nodes } else { nodes.and(Reads { resident: pods, ..Reads::node(NodeFacts::PODS) }) }
}

/// That of a plugin without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIndex;

impl<Args> Index<Args> for NoIndex {
    type Nodes = ();
    type Pods = ();

    fn new(_args: &Args) -> NoIndex {
        NoIndex
    }
}
