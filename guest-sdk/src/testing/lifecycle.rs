//! The extension points after the choice of a node, in the test host. Each function calls one extension point in a new
//! cycle. `state` is the state that `reserve` returned; the test passes it to each later call.

use super::host::identity;
use super::{Host, PodBuilder};
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved, Undone};
use crate::plugin::Plugin;
use crate::types::Status;

impl<P: Plugin> Host<P> {
    /// Runs `reserve` for the pod on this node. Returns the code and the reasons if the plugin rejects the node.
    pub fn reserve(&mut self, pod: &PodBuilder, node: &str) -> Result<Reservation, Status> {
        let (cycle, node) = (self.next_cycle(pod), self.id(node));
        let reserved =
            self.guest.reserve(&cycle, &identity(pod), node).unwrap_or_else(|message| panic!("reserve: {message}"));
        reserved.map_err(Into::into)
    }

    /// Runs `unreserve` as Berth does if the attempt fails after `pre_bind`. Returns the intents that undo
    /// the reservation, and what happens to other pods.
    pub fn unreserve(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Undone {
        let cycle = self.next_cycle(pod);
        self.guest.unreserve(&cycle, &identity(pod), &Reserved { pre_bound: true, ..reserved(node, state) })
    }

    /// Runs `permit`. Returns whether the pod is approved, denied or waits, and what happens to
    /// other pods.
    pub fn permit(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Permission {
        let cycle = self.next_cycle(pod);
        self.guest
            .permit(&cycle, &identity(pod), &reserved(node, state))
            .unwrap_or_else(|message| panic!("permit: {message}"))
    }

    /// Runs `pre_bind`. Returns the intents to execute before the pod is bound.
    pub fn pre_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Vec<Intent> {
        let cycle = self.next_cycle(pod);
        self.guest
            .pre_bind(&cycle, &identity(pod), &reserved(node, state))
            .unwrap_or_else(|message| panic!("pre-bind: {message}"))
    }

    /// Runs `bind`. Returns the intents that bind the pod; `None` if the plugin leaves the pod to other bind plugins.
    pub fn bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Option<Vec<Intent>> {
        let cycle = self.next_cycle(pod);
        self.guest
            .bind(&cycle, &identity(pod), &reserved(node, state))
            .unwrap_or_else(|message| panic!("bind: {message}"))
    }

    /// Runs `post_bind`.
    pub fn post_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) {
        let cycle = self.next_cycle(pod);
        self.guest.post_bind(&cycle, &identity(pod), &reserved(node, state));
    }
}

fn reserved(node: &str, state: &[u8]) -> Reserved {
    Reserved { node_name: node.to_owned(), state: state.to_vec(), pre_bound: false }
}
