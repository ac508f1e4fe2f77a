//! What happens to a pod between the choice of its node and its start there: reserve, permit, pre-bind, bind, post-bind, and
//! unreserve where one of them, or another plugin's, came to nothing.
//!
//! A plugin keeps nothing between these calls: what `reserve` gives as state, the host hands to all that follow, also after
//! the component was exchanged for a newer one.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::intents::{Intent, ObjectReference, quoted};
//! use berth_guest::lifecycle::{Reservation, Reserved};
//!
//! /// A pod that wants a license takes one of its node's.
//! fn reserve(pod: &pod::Annotations, node: &node::Labels) -> Result<Reservation, &'static str> {
//!     match (pod.get("example.com/license"), node.get("example.com/licenses")) {
//!         (None, _) => Ok(Reservation::default()),
//!         (Some(_), None) => Err("node(s) had no licenses"),
//!         (Some(license), Some(_)) => Ok(Reservation::of(license)),
//!     }
//! }
//!
//! /// Says so on the node before the pod is bound.
//! fn pre_bind(reserved: &Reserved) -> Vec<Intent> {
//!     if reserved.state.is_empty() {
//!         return Vec::new();
//!     }
//!     let license = String::from_utf8_lossy(&reserved.state);
//!     let patch = format!(r#"{{"metadata":{{"annotations":{{"example.com/in-use":{}}}}}}}"#, quoted(&license));
//!     vec![Intent::patch(ObjectReference::new("v1", "Node", &reserved.node_name), patch)]
//! }
//!
//! berth_guest::plugin!(name: "Licenses", reserve: reserve, pre_bind: pre_bind);
//! # fn main() {}
//! ```

use std::time::Duration;

use crate::bindings::permit::exports::berth::scheduler::permit;
use crate::bindings::reserve::exports::berth::scheduler::reserve;
use crate::intents::Intent;
use crate::verdict::{Reason, Rejection};

/// What `reserve` sets aside for a pod on its node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reservation {
    /// Handed to all calls that follow, as it is. 1 MiB at most.
    pub state: Vec<u8>,
    /// What has to be done at once; to [assume](Intent::assume) an object, mostly.
    pub intents: Vec<Intent>,
}

impl Reservation {
    /// With this state, and nothing to be done.
    pub fn of(state: impl Into<Vec<u8>>) -> Reservation {
        Reservation { state: state.into(), intents: Vec::new() }
    }
}

/// A pod's reservation, as the calls after `reserve` see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// `metadata.name` of the node that was chosen. It may be gone by now.
    pub node_name: String,
    /// The state that the plugin's own `reserve` gave; empty where it has none.
    pub state: Vec<u8>,
    /// The plugin's `pre_bind` was asked before. In `unreserve`: what it wanted may be done, all of it or in part.
    pub pre_bound: bool,
}

/// What an `unreserve` may return: nothing, or the [`Intent`]s that undo what `pre_bind` wanted: patches, creations and
/// deletions. They are done in their order, each whatever came of the one before.
pub trait IntoUndo {
    /// What has to be undone.
    fn into_undo(self) -> Vec<Intent>;
}

impl IntoUndo for () {
    fn into_undo(self) -> Vec<Intent> {
        Vec::new()
    }
}

impl IntoUndo for Vec<Intent> {
    fn into_undo(self) -> Vec<Intent> {
        self
    }
}

/// What a `reserve` may return: a [`Reservation`], or a `Result` of it or of nothing, whose error is a [`Rejection`] or just a
/// reason.
pub trait IntoReservation {
    /// The reservation, or why there can be none.
    fn into_reservation(self) -> Result<Reservation, Rejection>;
}

impl IntoReservation for Reservation {
    fn into_reservation(self) -> Result<Reservation, Rejection> {
        Ok(self)
    }
}

impl<E: Into<Rejection>> IntoReservation for Result<Reservation, E> {
    fn into_reservation(self) -> Result<Reservation, Rejection> {
        self.map_err(Into::into)
    }
}

impl<E: Into<Rejection>> IntoReservation for Result<(), E> {
    fn into_reservation(self) -> Result<Reservation, Rejection> {
        self.map(|()| Reservation::default()).map_err(Into::into)
    }
}

/// What a `permit` says: of its own pod, and of others that it made wait before.
///
/// A `permit` may also return a `Result` of it, whose error is a [`Rejection`] or just a reason and turns the pod away.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    /// Of the pod that it was asked about.
    pub decision: Decision,
    /// Waiting pods, by uid, that the plugin lets go now; others are ignored.
    pub allow: Vec<String>,
    /// Waiting pods, by uid, that it turns away.
    pub reject: Vec<String>,
}

/// What happens to a pod after `reserve`.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It may be bound, as far as this plugin is concerned.
    Approve,
    /// It is not bound, but tried again when something changes.
    Deny(Rejection),
    /// It keeps its node and waits to be let go, and is turned away when this time is over.
    Wait(Duration),
}

impl Permission {
    /// The pod may be bound.
    pub const APPROVE: Permission = Permission::of(Decision::Approve);

    /// The pod is turned away.
    pub fn deny(reason: impl Into<Reason>) -> Permission {
        Permission::of(Decision::Deny(Rejection::unschedulable(reason)))
    }

    /// The pod waits, for so long at most.
    pub const fn wait(at_most: Duration) -> Permission {
        Permission::of(Decision::Wait(at_most))
    }

    /// Lets these waiting pods go as well.
    #[must_use]
    pub fn allowing(self, uids: Vec<String>) -> Permission {
        Permission { allow: uids, ..self }
    }

    /// Turns these waiting pods away as well.
    #[must_use]
    pub fn rejecting(self, uids: Vec<String>) -> Permission {
        Permission { reject: uids, ..self }
    }

    const fn of(decision: Decision) -> Permission {
        Permission { decision, allow: Vec::new(), reject: Vec::new() }
    }
}

impl<E: Into<Rejection>> From<Result<Permission, E>> for Permission {
    fn from(result: Result<Permission, E>) -> Permission {
        result.unwrap_or_else(|rejection| Permission::of(Decision::Deny(rejection.into())))
    }
}

impl From<Reservation> for reserve::Reservation {
    fn from(Reservation { state, intents }: Reservation) -> reserve::Reservation {
        reserve::Reservation { state, intents }
    }
}

impl From<Permission> for permit::Verdict {
    fn from(Permission { decision, allow, reject }: Permission) -> permit::Verdict {
        let decision = match decision {
            Decision::Approve => permit::Decision::Approve,
            Decision::Deny(rejection) => permit::Decision::Deny(rejection.into()),
            Decision::Wait(time) => permit::Decision::Wait(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        };
        permit::Verdict { decision, allow, reject }
    }
}
