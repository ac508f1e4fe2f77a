//! Resource limits of plugins.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::USUAL_NODES;

/// Limits of every plugin instance and every call. Deadlines count CPU time of the calling thread, so that a busy
/// machine makes no call fail. [`Limits::call`] and [`Limits::memory`] apply to [`USUAL_NODES`] nodes; a larger
/// cluster gets a multiple of them ([`Limits::times`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of any call that [`Limits::apply`] and [`Limits::startup`] do not limit, such as filter or score.
    /// Default: 100 ms. Counting starts at the engine's first tick within the call, so that a call may last one tick
    /// (10 ms) longer.
    pub call: Duration,
    /// CPU time of one `apply`, which carries at most 512 changes of a kind. Default: 1 s.
    pub apply: Duration,
    /// CPU time of each of instantiation, `describe`, `configure` and `kinds`. Default: 2 s.
    pub startup: Duration,
    /// Wall time of any call, to limit what CPU time does not count. Default: 60 s.
    pub wall: Duration,
    /// Bytes of linear memory of one instance, as the sum over its memories. Default: 256 MiB. A Python guest that
    /// keeps the labels of 5,000 nodes takes about 40 MiB, a Rust guest 5 MiB.
    pub memory: usize,
    /// The percentage of [`Limits::memory`] beyond which an instance is rebuilt beside the old one, if its memory
    /// also is more than twice its size after it was filled. Linear memory never shrinks. Default: 75.
    pub recycle_percent: usize,
    /// Elements of one table. Default: 100,000.
    pub table_elements: usize,
    /// The largest number of core instances, of memories and of tables of one component, for each of the three.
    /// Default: 64.
    pub items: usize,
    /// The number of lines that a guest may log in one call. Default: 32.
    pub log_lines: u32,
    /// The largest size of a component file in bytes. Default: 64 MiB.
    pub file_size: u64,
    /// The largest number of components in the plugins directory. Default: 1,000.
    pub files: usize,
    /// The number of nodes with which a new component is tested before it is used. Default: 1,000.
    pub trial_nodes: usize,
    /// The limits that replace these limits for individual plugins, by plugin name. Empty by default.
    pub of_plugins: BTreeMap<Box<str>, Arc<Limits>>,
}

impl Limits {
    /// Returns the limits of the plugin with this name.
    #[must_use]
    pub fn of<'a>(self: &'a Arc<Self>, plugin: &str) -> &'a Arc<Self> {
        self.of_plugins.get(plugin).unwrap_or(self)
    }

    /// Returns the factor for limits that apply to [`USUAL_NODES`] nodes, in a cluster of `nodes` nodes. At least 1.
    #[must_use]
    pub fn times(nodes: usize) -> u32 {
        u32::try_from(nodes.div_ceil(USUAL_NODES)).unwrap_or(u32::MAX).max(1)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(100),
            apply: Duration::from_secs(1),
            startup: Duration::from_secs(2),
            wall: Duration::from_secs(60),
            memory: 256 << 20,
            recycle_percent: 75,
            table_elements: 100_000,
            items: 64,
            log_lines: 32,
            file_size: 64 << 20,
            files: 1_000,
            trial_nodes: 1_000,
            of_plugins: BTreeMap::new(),
        }
    }
}
