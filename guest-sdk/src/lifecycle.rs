//! The steps after a node is chosen: reserve, permit, pre-bind, bind and post-bind. If this plugin or another one
//! fails in one of these steps, unreserve.
//!
//! A plugin must not keep state between these calls. The host keeps the state that `reserve` returns and passes it to
//! all later calls, even if the component was replaced by a newer version in between.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::intents::{Intent, ObjectReference, quoted};
//! use berth_guest::lifecycle::{Reservation, Reserved};
//!
//! /// Reserves the license that the pod's annotation names, if the node has licenses.
//! fn reserve(pod: &pod::Annotations, node: &node::Labels) -> Result<Reservation, &'static str> {
//!     match (pod.get("example.com/license"), node.get("example.com/licenses")) {
//!         (None, _) => Ok(Reservation::default()),
//!         (Some(_), None) => Err("node(s) had no licenses"),
//!         (Some(license), Some(_)) => Ok(Reservation::of(license)),
//!     }
//! }
//!
//! /// Writes the reserved license to an annotation of the node before the pod is bound.
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
use crate::post_filter::PostFilter;
pub use crate::types::PodActions;
use crate::verdict::{Reason, Rejection};

/// The answer of `reserve`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reservation {
    /// The state that the host passes unchanged to all later calls for this reservation. At most 1 MiB.
    pub state: Vec<u8>,
    /// Intents to execute at once: only [`Intent::assume`] is allowed here.
    pub intents: Vec<Intent>,
}

impl Reservation {
    /// Makes a reservation with this state and without intents.
    pub fn of(state: impl Into<Vec<u8>>) -> Reservation {
        Reservation { state: state.into(), intents: Vec::new() }
    }
}

/// A pod's reservation, as the calls after `reserve` see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// `metadata.name` of the chosen node. The node may be deleted by now.
    pub node_name: String,
    /// The state that this plugin's `reserve` returned; empty if the plugin has no `reserve`.
    pub state: Vec<u8>,
    /// True if this plugin's `pre_bind` was called before. In `unreserve`, true means that the intents of `pre_bind`
    /// may have been executed, all of them or some.
    pub pre_bound: bool,
}

/// The answer of `unreserve`. A function may also return nothing, or the intents alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undone {
    /// The intents that undo the intents of `pre_bind`. Allowed are patches, creations and deletions. The host executes
    /// them in order and continues after a failure.
    pub intents: Vec<Intent>,
    /// What happens to other pods.
    pub pods: PodActions,
}

impl From<()> for Undone {
    fn from((): ()) -> Undone {
        Undone::default()
    }
}

impl From<Vec<Intent>> for Undone {
    fn from(intents: Vec<Intent>) -> Undone {
        Undone { intents, ..Undone::default() }
    }
}

/// The return type of a `reserve`: a [`Reservation`], a `Result` of it, or a `Result` of `()`. The error is a
/// [`Rejection`] or a plain reason.
pub trait IntoReservation {
    /// Returns the reservation, or the rejection of the node.
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

/// The answer of a `permit`: the decision about the pod, and about other pods that this plugin made wait before.
///
/// A `permit` may also return a `Result` of a `Permission`. The error is a [`Rejection`] or a plain reason, and denies
/// the pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    /// The decision about the pod of this call.
    pub decision: Decision,
    /// What happens to other pods.
    pub pods: PodActions,
}

/// The decision about a pod after `reserve`.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// This plugin lets the pod be bound.
    Approve,
    /// The pod is not bound. The scheduler retries it after an event that may help it.
    Deny(Rejection),
    /// The pod keeps its node and waits until the plugin approves the pod. The pod is denied if the plugin has not
    /// approved it when this time is over.
    Wait(Duration),
}

impl Permission {
    /// Approves the pod: this plugin lets the pod be bound.
    pub const APPROVE: Permission = Permission::of(Decision::Approve);

    /// Denies the pod.
    pub fn deny(reason: impl Into<Reason>) -> Permission {
        Permission::of(Decision::Deny(Rejection::unschedulable(reason)))
    }

    /// Makes the pod wait for approval, at most this long.
    pub const fn wait(at_most: Duration) -> Permission {
        Permission::of(Decision::Wait(at_most))
    }

    const fn of(decision: Decision) -> Permission {
        Permission { decision, pods: PodActions { approve: Vec::new(), reject: Vec::new(), activate: Vec::new() } }
    }
}

/// Gives an answer the functions that act on other pods.
macro_rules! pod_actions {
    ($($answer:ty: $pods:ident,)*) => { $(
        impl $answer {
            /// Also approves these pods, by uid. The host ignores pods that do not wait in permit.
            #[must_use]
            pub fn approving<U: Into<String>>(mut self, uids: impl IntoIterator<Item = U>) -> Self {
                self.$pods.approve.extend(uids.into_iter().map(Into::into));
                self
            }

            /// Also rejects this pod, by uid, with the reason for the pod's message. The host ignores a pod that does
            /// not wait in permit.
            #[must_use]
            pub fn rejecting(mut self, uid: impl Into<String>, reason: impl Into<String>) -> Self {
                self.$pods.reject.push((uid.into(), reason.into()));
                self
            }

            /// Also moves these pending pods, by uid, to the active queue without their backoff.
            #[must_use]
            pub fn activating<U: Into<String>>(mut self, uids: impl IntoIterator<Item = U>) -> Self {
                self.$pods.activate.extend(uids.into_iter().map(Into::into));
                self
            }
        }
    )* };
}

pod_actions! {
    Permission: pods,
    Undone: pods,
    PostFilter: pods,
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

impl From<Undone> for reserve::Undone {
    fn from(Undone { intents, pods }: Undone) -> reserve::Undone {
        reserve::Undone { intents, pods }
    }
}

impl From<Permission> for permit::Verdict {
    fn from(Permission { decision, pods }: Permission) -> permit::Verdict {
        let decision = match decision {
            Decision::Approve => permit::Decision::Approve,
            Decision::Deny(rejection) => permit::Decision::Deny(rejection.into()),
            Decision::Wait(time) => permit::Decision::Wait(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        };
        permit::Verdict { decision, pods }
    }
}
