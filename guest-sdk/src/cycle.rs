//! What a call may know beyond facts: the cycle's time and a seed.

use crate::node;
use crate::types::Cycle;

impl Cycle {
    /// A random number for a node, another in every cycle; the same when a recording is replayed.
    pub fn random(&self, node: node::Id) -> u64 {
        // SplitMix64: its increment, so that neighbouring nodes start far apart, and its mixing.
        let mut mixed = self.seed.wrapping_add(u64::from(node.0).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
