//! Simulated addresses: a pod gets the next address of a private range, and a node without an InternalIP gets an
//! address that is derived from the node's name.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;

use super::super::metadata;
use super::super::node::Node;
use super::address_of;

/// The pod range 10.64.0.0/10. Addresses repeat after four million pods.
const PODS: u32 = 0x0a40_0000;
const POD_BITS: u32 = 22;
/// The node range 172.16.0.0/12.
const NODES: u32 = 0xac10_0000;
const NODE_BITS: u32 = 20;

/// Allocates pod addresses.
#[derive(Debug)]
pub struct Addresses(AtomicU32);

impl Addresses {
    /// Returns an allocator that starts at a position derived from the time, so that addresses rarely repeat after a
    /// restart.
    pub fn from_clock(now: Timestamp) -> Self {
        let mut hasher = DefaultHasher::new();
        now.as_second().hash(&mut hasher);
        Addresses(AtomicU32::new(truncate(hasher.finish())))
    }

    /// Returns the next address.
    pub fn next(&self) -> Ipv4Addr {
        within(PODS, POD_BITS, self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns the node's InternalIP, or an address derived from the node's name if the node has no IPv4 InternalIP.
pub fn of_node(node: &Node) -> Ipv4Addr {
    let own = address_of(&node.status.addresses, "InternalIP").and_then(|text| text.parse().ok());
    own.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        metadata::name(&node.metadata).hash(&mut hasher);
        within(NODES, NODE_BITS, truncate(hasher.finish()))
    })
}

/// Returns address `number` of a range, excluding the first and the last address.
fn within(range: u32, bits: u32, number: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(range + 1 + number % ((1 << bits) - 2))
}

fn truncate(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or_default()
}
