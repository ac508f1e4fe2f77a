//! Modes of the result cache. Berth's answers must be the same in all modes.

use berth_core::Options;

/// A mode of the result cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Results are cached between questions and across changes, and by node class where the plugin supports that, as in
    /// a running scheduler. No cached result is verified.
    Cached,
    /// Nothing is cached: each plugin is asked again for each pod, without node classes.
    Uncached,
    /// Results are cached, and each cached result is compared with a fresh answer.
    Verified,
}

impl CacheMode {
    /// All modes, in the order of the last columns of `Parity::table`.
    pub const ALL: [Self; 3] = [Self::Cached, Self::Uncached, Self::Verified];

    /// Returns the core's options for the mode.
    pub fn options(self) -> Options {
        let every = Options::default();
        match self {
            Self::Cached => Options { verify_every: 0, ..every },
            Self::Uncached => Options { result_cache_bytes: 0, verify_every: 0, ..every },
            Self::Verified => Options { verify_every: 1, ..every },
        }
    }
}
