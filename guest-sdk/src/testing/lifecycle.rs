//! The steps after a node is chosen, in the host for tests. The test makes each call by itself, with the state that
//! `reserve` returned.

use super::{Host, PodBuilder};
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved};
use crate::plugin::Plugin;
use crate::types::Status;

impl<P: Plugin> Host<P> {
    /// Reserves for the pod on this node. Returns code and reasons if the plugin rejects.
    pub fn reserve(&mut self, pod: &PodBuilder, node: &str) -> Result<Reservation, Status> {
        let (cycle, node) = (self.next_cycle(pod), self.id(node));
        let reserved = self.guest.reserve(&cycle, node).unwrap_or_else(|message| panic!("reserve: {message}"));
        reserved.map_err(Into::into)
    }

    /// Ends the reservation after `pre_bind` was called. Returns the intents that undo the reservation.
    pub fn unreserve(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Vec<Intent> {
        let cycle = self.next_cycle(pod);
        self.guest.unreserve(&cycle, &Reserved { pre_bound: true, ..reserved(node, state) })
    }

    /// Returns whether the pod may be bound.
    pub fn permit(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Permission {
        let cycle = self.next_cycle(pod);
        self.guest.permit(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("permit: {message}"))
    }

    /// Returns the intents to execute before the bind.
    pub fn pre_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Vec<Intent> {
        let cycle = self.next_cycle(pod);
        self.guest.pre_bind(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("pre-bind: {message}"))
    }

    /// Returns the intents that bind the pod; `None` if the plugin leaves the pod to other bind plugins.
    pub fn bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) -> Option<Vec<Intent>> {
        let cycle = self.next_cycle(pod);
        self.guest.bind(&cycle, &reserved(node, state)).unwrap_or_else(|message| panic!("bind: {message}"))
    }

    /// Runs the post-bind.
    pub fn post_bind(&mut self, pod: &PodBuilder, node: &str, state: &[u8]) {
        let cycle = self.next_cycle(pod);
        self.guest.post_bind(&cycle, &reserved(node, state));
    }
}

fn reserved(node: &str, state: &[u8]) -> Reserved {
    Reserved { node_name: node.to_owned(), state: state.to_vec(), pre_bound: false }
}
