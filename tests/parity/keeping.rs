//! Modes of the result cache. Berth's answers must be the same in all of them.

use berth_core::Options;

/// A mode of the result cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Results are cached between questions and across changes, as in a running scheduler, and by node class where
    /// the plugin supports that.
    Kept,
    /// Nothing is cached: each plugin is asked again for each pod, without node classes.
    Anew,
    /// Results are cached, and each cached result is compared with a fresh answer.
    Checked,
}

impl Keeping {
    /// All modes, in the order of the table's columns.
    pub const ALL: [Self; 3] = [Self::Kept, Self::Anew, Self::Checked];

    /// Returns the core's options for the mode.
    pub fn options(self) -> Options {
        let every = Options::default();
        match self {
            Self::Kept => Options { verify_every: 0, ..every },
            Self::Anew => Options { result_cache_bytes: 0, verify_every: 0, ..every },
            Self::Checked => Options { verify_every: 1, ..every },
        }
    }
}
