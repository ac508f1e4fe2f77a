//! Variants of the result cache. The invariants have to hold for each variant.

use std::time::Duration;

use berth_core::Options;
use berth_core::queue::QueueOptions;

/// Whether the queue retries a pod that waited for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// After five minutes.
    On,
    /// Never: a pod waits until an event helps it. The hints of the plugins are honest.
    Off,
}

/// Longer than any history.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// Whether results are cached and compared.
#[derive(Clone, Copy, Debug)]
pub enum Keeping {
    /// All results are cached.
    Kept,
    /// Few results are cached, and every second cycle compares them with fresh results.
    Few,
    /// No results are cached.
    Anew,
    /// All results are cached, and every cycle compares them with fresh results.
    Checked,
}

impl Keeping {
    pub const ALL: [Self; 4] = [Self::Kept, Self::Few, Self::Anew, Self::Checked];

    pub fn options(self, seed: u64, flush: Flush) -> Options {
        let (result_cache_bytes, verify_every) = match self {
            Self::Kept => (256 << 20, 0),
            Self::Few => (4 << 10, 2),
            Self::Anew => (0, 0),
            Self::Checked => (256 << 20, 1),
        };
        let mut queue = QueueOptions::default();
        if flush == Flush::Off {
            queue.flush_after = NEVER;
        }
        Options { seed, queue, result_cache_bytes, verify_every, ..Options::default() }
    }
}
