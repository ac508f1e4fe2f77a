//! The cycle of a call: its id, its time, and random numbers from its seed.

use crate::bindings::base::berth::scheduler::facts;
use crate::node;
use crate::param::{Param, PodParam, Scene};
use crate::plugin::Plugin;
use crate::reads::Reads;

/// One attempt to schedule one pod. A plugin has no other source of randomness. The time is a parameter of its own,
/// [`Time`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// The id of the attempt. Each attempt has a higher id than the one before.
    pub id: u64,
    /// A random number, different for every cycle and plugin. A replayed recording has the recorded seed.
    pub seed: u64,
}

/// The time of the call, in milliseconds since 1970. The calls of one scheduling cycle have the same time.
///
/// The host caches no answers of a plugin that reads the time.
///
/// ```
/// use berth_guest::prelude::*;
///
/// /// Pods older than an hour go to any node, newer pods to spot nodes only.
/// fn filter(time: &Time, pod: &pod::CreationTime, node: &node::Labels) -> Result<(), &'static str> {
///     let is_new = time.0 / 1000 - pod.0 < 3600;
///     if is_new && !node.contains_key("spot") { Err("node(s) were no spot nodes") } else { Ok(()) }
/// }
///
/// berth_guest::plugin!(name: "SpotFirst", filter: filter);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

/// The inputs of every call in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempt {
    /// The cycle.
    pub cycle: Cycle,
    /// The time of the call.
    pub time: Time,
    /// The id of the pod's signature.
    pub signature: u32,
}

impl From<facts::Cycle> for Attempt {
    fn from(facts::Cycle { id, time, seed, signature }: facts::Cycle) -> Attempt {
        Attempt { cycle: Cycle { id, seed }, time: Time(time), signature }
    }
}

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

impl<P: Plugin> Param<P> for &Cycle {
    type Item<'a> = &'a Cycle;
    const READS: Reads = Reads { cycle: true, ..Reads::NONE };

    fn of<'a>(scene: &Scene<'a, P>) -> &'a Cycle {
        &scene.attempt.cycle
    }
}

impl<P: Plugin> PodParam<P> for &Cycle {}

impl<P: Plugin> Param<P> for &Time {
    type Item<'a> = &'a Time;
    const READS: Reads = Reads { time: true, ..Reads::NONE };

    fn of<'a>(scene: &Scene<'a, P>) -> &'a Time {
        &scene.attempt.time
    }
}

impl<P: Plugin> PodParam<P> for &Time {}
