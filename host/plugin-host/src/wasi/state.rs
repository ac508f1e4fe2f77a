//! The state behind WASI's answers. Each cycle sets the clock and the seed of the random numbers.

use berth_core::plugins::Cycle;

use super::output::{Line, Stream};

/// The part of an instance's state that WASI's functions use.
#[derive(Debug, Default)]
pub(crate) struct WasiState {
    /// The time since 1970. It is 0 before the first cycle.
    nanoseconds: u64,
    random: u64,
    lines: [Line; 2],
}

impl WasiState {
    /// Begins a call for this cycle. The clocks of a plugin that does not get the time stay at 0.
    pub fn begin(&mut self, cycle: &Cycle<'_>, gets_time: bool) {
        if gets_time {
            // The time for the plugin never goes back, although the core's wall clock can.
            self.nanoseconds = self.nanoseconds.max(cycle.time.0.saturating_mul(1_000_000));
        }
        self.random = cycle.seed;
    }

    /// Returns the cycle's time. It advances by a nanosecond per call, because some languages measure durations and
    /// divide by them.
    pub(super) fn nanoseconds(&mut self) -> u64 {
        self.nanoseconds += 1;
        self.nanoseconds
    }

    /// Returns the next random number from the cycle's seed (SplitMix64).
    pub(super) fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Appends bytes, and calls `print` with each complete line.
    pub fn output(&mut self, stream: Stream, bytes: &[u8], print: impl FnMut(&str)) {
        self.lines[stream as usize].take(bytes, print);
    }
}
