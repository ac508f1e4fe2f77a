//! Queueing hints: whether an event in the cluster can help a pod that the plugin rejected.
//!
//! The plugin is asked about the events that `retry_on` names. A pod for which the plugin answers [`Hint::Skip`]
//! stays where it is in the queue. To see what changed in a node or in a pod, a hint takes a parameter
//! [`node::Change`](crate::node::Change) or [`pod::Change`], with the facts that its type names.
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

/// An event in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kind of the object: `Node`, `Pod` for a pod on a node, `PendingPod`, or `group/version/Kind`.
    pub kind: String,
    /// The change of the object.
    pub actions: EventActions,
    /// `metadata.namespace` of the object. Empty for a node, a pod and a cluster-scoped object.
    pub namespace: String,
    /// `metadata.name` of the object. Empty for a node and a pod.
    pub name: String,
    before: Option<String>,
    after: Option<String>,
}

/// Whether a pod is worth another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The event can't help the pod.
    Skip,
    /// The pod may be schedulable now.
    Queue,
}

/// The node or the pod of an event, before and after.
#[derive(Clone, Copy)]
pub(crate) struct EventChange<'a> {
    /// The node before the event in row 0, and after it in row 1.
    pub(crate) nodes: Option<&'a Snapshot>,
    /// The pod before and after the event.
    pub(crate) pods: [Option<&'a pod::Facts>; 2],
}

impl EventChange<'_> {
    /// No node and no pod.
    pub(crate) const NONE: Self = EventChange { nodes: None, pods: [None; 2] };
}

impl Event {
    /// Returns the kind without its group and version: `CSINode`.
    pub fn kind_name(&self) -> &str {
        self.kind.rsplit('/').next().unwrap_or(&self.kind)
    }

    /// Reads the object before the event, for a kind other than node and pod. `T` is a struct in the shape of the
    /// object, with the fields that the plugin reads. `None` if the object is new. An error names the field.
    pub fn before<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.before.as_deref().map(arguments::fields).transpose()
    }

    /// Reads the object after the event, for a kind other than node and pod. `T` is a struct in the shape of the
    /// object, with the fields that the plugin reads. `None` if the object was deleted. An error names the field.
    pub fn after<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.after.as_deref().map(arguments::fields).transpose()
    }

    /// Splits the contract's event into the event, a snapshot with the node before the event in row 0 and the node
    /// after the event in row 1, and the ids of the pod's signatures before and after the event.
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

/// Converts the node of an event to a node of a snapshot. An event has no uid, images or used ports.
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
        capacity: Some(node.capacity),
        info: node.info,
        fields: Some(node.fields),
    }
}

impl Hint {
    /// Returns [`Hint::Queue`] if `can_help` is true, and [`Hint::Skip`] otherwise.
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
