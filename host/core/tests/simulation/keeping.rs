//! What is done with plugins' answers: whatever that is, the same has to hold.

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

/// Whether answers are kept, and checked.
#[derive(Clone, Copy, Debug)]
pub enum Keeping {
    /// As they were said.
    Kept,
    /// A few at a time, and compared now and then with what is said anew.
    Few,
    /// Each is asked for anew.
    Anew,
    /// Each is compared with what is said anew.
    Checked,
}

impl Keeping {
    pub const ALL: [Self; 4] = [Self::Kept, Self::Few, Self::Anew, Self::Checked];

    pub fn options(self, seed: u64, flush: Flush) -> Options {
        let (kept_answers_bytes, verify_every) = match self {
            Self::Kept => (256 << 20, 0),
            Self::Few => (4 << 10, 2),
            Self::Anew => (0, 0),
            Self::Checked => (256 << 20, 1),
        };
        let mut queue = QueueOptions::default();
        if flush == Flush::Off {
            queue.flush_after = NEVER;
        }
        Options { seed, queue, kept_answers_bytes, verify_every }
    }
}
