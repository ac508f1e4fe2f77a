//! The extension points after the choice of a node, in the test host. Each function calls one extension point in a new
//! cycle. `state` is the state that `reserve` returned; the test passes it to each later call.

use super::{Host, PodBuilder};
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved};
use crate::plugin::Plugin;
use crate::types::Status;

impl<P: Plugin> Host<P> {
    /// Runs `reserve` for the pod on this node. Returns the code and the reasons if the plugin rejects the node.
    pub fn reserve(&mut self, pod: &PodBuilder, node: &str) -> Result<Reservation, Status> {
        let (cycle, node) = (self.next_cycle(pod), self.id(node));
        let reserved = self.guest.reserve(&cycle, node).unwrap_or_else(|message| panic!("reserve: {message}"));
        reserved.map_err(Into::into)
    }

    /// Runs `unreserve` as Berth does if the attempt fails after `pre_bind`. Returns the intents that undo the
    /// reservation.
    pub fn unreserve(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Vec<Intent> {
        let cycle = self.next_cycle(pod);
        self.guest.unreserve(&cycle, &Reserved { pre_bound: true, ..reserved(node, state) })
    }

    /// Runs `permit`. Returns whether the pod is approved, denied or waits, and the uids of waiting pods to allow or
    /// reject.
    pub fn permit(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Permission {
        let cycle = self.next_cycle(pod);
        self.guest.permit(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("permit: {message}"))
    }

    /// Runs `pre_bind`. Returns the intents to execute before the pod is bound.
    pub fn pre_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Vec<Intent> {
        let cycle = self.next_cycle(pod);
        self.guest.pre_bind(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("pre-bind: {message}"))
    }

    /// Runs `bind`. Returns the intents that bind the pod; `None` if the plugin leaves the pod to other bind plugins.
    pub fn bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Option<Vec<Intent>> {
        let cycle = self.next_cycle(pod);
        self.guest.bind(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("bind: {message}"))
    }

    /// Runs `post_bind`.
    pub fn post_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) {
        let cycle = self.next_cycle(pod);
        self.guest.post_bind(&cycle, &reserved(node, state));
    }
}

fn reserved(node: &str, state: &[u8]) -> Reserved {
    Reserved { node_name: node.to_owned(), state: state.to_vec(), pre_bound: false }
}
