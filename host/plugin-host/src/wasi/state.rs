//! What the answers depend on: the cycle, and nothing else.

use berth_core::plugins::Cycle;

use super::output::{Line, Stream};

/// The part of an instance's state that WASI's functions see.
#[derive(Debug, Default)]
pub(crate) struct WasiState {
    /// Since 1970. Before the first cycle, it is 1970.
    nanoseconds: u64,
    random: u64,
    lines: [Line; 2],
}

impl WasiState {
    /// A call for this cycle begins.
    pub fn begin(&mut self, cycle: &Cycle<'_>) {
        // Never back: the core's clock is the wall's.
        self.nanoseconds = self.nanoseconds.max(cycle.time.0.saturating_mul(1_000_000));
        self.random = cycle.seed;
    }

    /// The cycle's time, a nanosecond later each time it is looked at: languages measure with it and divide by what they
    /// find.
    pub(super) fn nanoseconds(&mut self) -> u64 {
        self.nanoseconds += 1;
        self.nanoseconds
    }

    /// The next number of the cycle's seed (SplitMix64).
    pub(super) fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Takes what was written, and calls `print` with each line that it completes.
    pub fn output(&mut self, stream: Stream, bytes: &[u8], print: impl FnMut(&str)) {
        self.lines[stream as usize].take(bytes, print);
    }
}
