//! Queueing hints: whether something that happened in the cluster can help a pod that the plugin rejected.
//!
//! Which events a plugin is asked about is what `retry_on` names. A pod for which it says [`Hint::Skip`] goes on waiting. What
//! happened to nodes and to pods on nodes a hint takes as a parameter, [`node::Change`](crate::node::Change) or
//! [`pod::Change`], with the facts that it names.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::hints::{Event, Hint};
//! use berth_guest::{ClusterEvent, EventActions};
//!
//! fn filter(pod: &pod::Labels, node: &node::Labels) -> Result<(), &'static str> {
//!     if pod.get("team") == node.get("team") { Ok(()) } else { Err("node(s) belong to another team") }
//! }
//!
//! /// Only a node that came to the pod's own team can help.
//! fn queueing_hint(_: &Event, pod: &pod::Labels, node: node::Change<'_, node::Labels>) -> Hint {
//!     let ours = |labels: &node::Labels| labels.get("team") == pod.get("team");
//!     Hint::queue_if(node.after.is_some_and(ours) && !node.before.is_some_and(ours))
//! }
//!
//! berth_guest::plugin!(
//!     name: "TeamNodes",
//!     filter: filter,
//!     queueing_hint: queueing_hint,
//!     retry_on: [ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS)],
//! );
//! # fn main() {}
//! ```

use serde::de::DeserializeOwned;

use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint::{self, Subject};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Node;
use crate::plugin::Plugin;
use crate::snapshot::Snapshot;
use crate::{EventActions, arguments, pod};

/// Something that happened in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `Node`, `Pod`, or `group/version/Kind` for others.
    pub kind: String,
    /// What happened.
    pub actions: EventActions,
    /// `metadata.namespace` of an object of another kind; else empty.
    pub namespace: String,
    /// `metadata.name` of an object of another kind; else empty.
    pub name: String,
    before: Option<String>,
    after: Option<String>,
}

/// Whether a pod is worth another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The event can't help it.
    Skip,
    /// It may be schedulable now.
    Queue,
}

/// Of an event of a node or a pod, these before and after.
#[derive(Clone, Copy)]
pub(crate) struct Happening<'a> {
    /// In rows 0 and 1.
    pub(crate) nodes: Option<&'a Snapshot>,
    pub(crate) pods: [Option<&'a pod::Facts>; 2],
}

impl Happening<'_> {
    /// Nothing happened to any.
    pub(crate) const NONE: Self = Happening { nodes: None, pods: [None; 2] };
}

impl Event {
    /// The kind without its group and version: `CSINode`.
    pub fn kind_name(&self) -> &str {
        self.kind.rsplit('/').next().unwrap_or(&self.kind)
    }

    /// An object of another kind as it was, with the fields that the plugin reads, in a struct of that shape; `None` where there
    /// was none. An error names the field.
    pub fn before<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.before.as_deref().map(arguments::fields).transpose()
    }

    /// The object as it is now, in the same way; `None` where there is none.
    pub fn after<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.after.as_deref().map(arguments::fields).transpose()
    }

    /// Takes the contract's event apart: the event, the node before and after in rows 0 and 1, and the pod's templates.
    #[inline(always)]
    pub(crate) fn taken<P: Plugin>(event: queueing_hint::Event) -> (Event, Option<Snapshot>, [Option<u32>; 2]) {
        let queueing_hint::Event { kind, actions, subject } = event;
        let [namespace, name] = [String::new(), String::new()];
        let event = Event { kind, actions, namespace, name, before: None, after: None };
        match subject {
            Subject::Node(change) => {
                let nodes = [change.before, change.after].into_iter().zip(0..);
                let nodes = nodes.filter_map(|(node, id)| Some(row(node?, id)));
                (event, Some(Snapshot::of_nodes::<P>(nodes)), [None; 2])
            }
            Subject::Pod(change) => (event, None, [change.before, change.after]),
            Subject::Object(change) => {
                let queueing_hint::ObjectChange { namespace, name, before, after } = change;
                (Event { namespace, name, before, after, ..event }, None, [None; 2])
            }
        }
    }
}

/// A node with all that was sent of it.
fn row(node: queueing_hint::Node, id: u32) -> Node {
    Node {
        id,
        name: Some(node.name),
        uid: None,
        labels: Some(node.labels),
        annotations: Some(node.annotations),
        taints: Some(node.taints),
        unschedulable: Some(node.unschedulable),
        allocatable: Some(node.allocatable),
        images: None,
        used_ports: None,
        conditions: Some(node.conditions),
        declared_features: Some(node.declared_features),
    }
}

impl Hint {
    /// [`Hint::Queue`] where the event can help.
    pub fn queue_if(can_help: bool) -> Hint {
        if can_help { Hint::Queue } else { Hint::Skip }
    }
}

impl From<Hint> for queueing_hint::Hint {
    fn from(hint: Hint) -> queueing_hint::Hint {
        match hint {
            Hint::Skip => queueing_hint::Hint::Skip,
            Hint::Queue => queueing_hint::Hint::Queue,
        }
    }
}
