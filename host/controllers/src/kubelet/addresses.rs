//! Made-up addresses: pods get the next of a large private range, a node without an address one from its name.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;

use super::super::metadata;
use super::super::node::Node;
use super::address_of;

/// 10.64.0.0/10: four million pods until an address is given a second time.
const PODS: u32 = 0x0a40_0000;
const POD_BITS: u32 = 22;
/// 172.16.0.0/12 for nodes.
const NODES: u32 = 0xac10_0000;
const NODE_BITS: u32 = 20;

/// Gives out pod addresses.
#[derive(Debug)]
pub struct Addresses(AtomicU32);

impl Addresses {
    /// Starts somewhere in the range by the clock, so that a restart seldom repeats addresses that are in use.
    pub fn from_clock(now: Timestamp) -> Self {
        let mut hasher = DefaultHasher::new();
        now.as_second().hash(&mut hasher);
        Addresses(AtomicU32::new(truncate(hasher.finish())))
    }

    /// The next address.
    pub fn next(&self) -> Ipv4Addr {
        within(PODS, POD_BITS, self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// The node's InternalIP if it has one, else one made from its name.
pub fn of_node(node: &Node) -> Ipv4Addr {
    let own = address_of(&node.status.addresses, "InternalIP").and_then(|text| text.parse().ok());
    own.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        metadata::name(&node.metadata).hash(&mut hasher);
        within(NODES, NODE_BITS, truncate(hasher.finish()))
    })
}

/// Address number `number` of a range, without its first and last.
fn within(range: u32, bits: u32, number: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(range + 1 + number % ((1 << bits) - 2))
}

fn truncate(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or_default()
}
