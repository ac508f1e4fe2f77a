//! What is done with plugins' answers: whatever that is, the same has to hold.

use berth_core::Options;

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

    pub fn options(self, seed: u64) -> Options {
        let (kept_answers_bytes, verify_every) = match self {
            Self::Kept => (256 << 20, 0),
            Self::Few => (4 << 10, 2),
            Self::Anew => (0, 0),
            Self::Checked => (256 << 20, 1),
        };
        Options { seed, kept_answers_bytes, verify_every, ..Options::default() }
    }
}
