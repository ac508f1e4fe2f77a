//! Queueing hints: whether something that happened in the cluster can help a pod that the plugin rejected.
//!
//! Which events a plugin is asked about is what `retry_on` names. A pod for which it says [`Hint::Skip`] goes on waiting.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::hints::{Event, Hint};
//! use berth_guest::{ClusterEvent, EventActions};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Node {
//!     #[serde(default)]
//!     labels: std::collections::BTreeMap<String, String>,
//! }
//!
//! fn filter(pod: &pod::Labels, node: &node::Labels) -> Result<(), &'static str> {
//!     if pod.get("team") == node.get("team") { Ok(()) } else { Err("node(s) belong to another team") }
//! }
//!
//! /// Only a node of the pod's own team can help.
//! fn queueing_hint(event: &Event, pod: &pod::Labels) -> Result<Hint, String> {
//!     let node = event.after::<Node>()?;
//!     let team = node.as_ref().and_then(|node| node.labels.get("team")).map(String::as_str);
//!     Ok(Hint::queue_if(team == pod.get("team")))
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

use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint;
use crate::{EventActions, arguments};

/// Something that happened in the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// `Node`, `Pod`, or `group/version/Kind` for others.
    pub kind: String,
    /// What happened.
    pub actions: EventActions,
    old: Option<String>,
    new: Option<String>,
}

/// Whether a pod is worth another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The event can't help it.
    Skip,
    /// It may be schedulable now.
    Queue,
}

impl Event {
    /// An event with the object before and after, as JSON of the facts that the plugin reads.
    pub fn new_of(kind: &str, actions: EventActions, old: Option<&str>, new: Option<&str>) -> Event {
        Event { kind: kind.to_owned(), actions, old: old.map(str::to_owned), new: new.map(str::to_owned) }
    }

    /// The object as it was, with the fields that the plugin reads, in a struct of that shape; `None` where there was none. An
    /// error names the field.
    pub fn before<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.old.as_deref().map(arguments::fields).transpose()
    }

    /// The object as it is now, in the same way; `None` where there is none.
    pub fn after<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        self.new.as_deref().map(arguments::fields).transpose()
    }
}

impl Hint {
    /// [`Hint::Queue`] where the event can help.
    pub fn queue_if(can_help: bool) -> Hint {
        if can_help { Hint::Queue } else { Hint::Skip }
    }
}

impl From<queueing_hint::Event> for Event {
    fn from(event: queueing_hint::Event) -> Event {
        let queueing_hint::Event { kind, actions, old, new } = event;
        Event { kind, actions, old, new }
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
