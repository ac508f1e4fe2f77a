//! Random numbers from the seed of a cycle.

use crate::node;
use crate::types::Cycle;

impl Cycle {
    /// Returns a random number for a node, computed from the cycle's seed and the node's id. A replay of a recording
    /// gives the same number.
    pub fn random(&self, node: node::Id) -> u64 {
        // SplitMix64. The increment of the algorithm, multiplied by the node's id, gives nodes with adjacent ids
        // different states. The lines below mix the bits of the state.
        let mut mixed = self.seed.wrapping_add(u64::from(node.0).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
