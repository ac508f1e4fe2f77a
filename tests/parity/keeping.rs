//! What Berth does with its plugins' answers: whatever that is, it has to say the same.

use berth_core::Options;

/// Whether answers are kept, and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// From one question to the next, and across changes, as in a scheduler that runs; where the plugin can, by classes of nodes.
    Kept,
    /// None: each is asked for anew, node by node.
    Anew,
    /// Kept, and each compared with what is said anew.
    Checked,
}

impl Keeping {
    /// All of them, in the order of the table's columns.
    pub const ALL: [Self; 3] = [Self::Kept, Self::Anew, Self::Checked];

    /// The core's options for it.
    pub fn options(self) -> Options {
        let every = Options::default();
        match self {
            Self::Kept => Options { verify_every: 0, ..every },
            Self::Anew => Options { kept_answers_bytes: 0, verify_every: 0, ..every },
            Self::Checked => Options { verify_every: 1, ..every },
        }
    }
}
