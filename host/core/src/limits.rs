//! How much a plugin may take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::USUAL_NODES;

/// Bounds on every instance and every call. Deadlines are CPU time of the calling thread, so that a busy machine trips
/// nobody. What grows with the cluster ([`Limits::call`] and [`Limits::memory`]) is for [`USUAL_NODES`], and as much again for each so
/// many more that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of a call in a scheduling cycle: pre-filter, filter, post-filter, pre-score, score, normalize, hold-template. Default:
    /// 100 ms. It is counted from the engine's first tick within the call, so one may last a tick (10 ms) longer.
    pub call: Duration,
    /// CPU time of one `apply`, which carries at most 512 changes of a kind. Default: 1 s.
    pub apply: Duration,
    /// CPU time of instantiating, `describe` and `configure`, each. Default: 2 s.
    pub startup: Duration,
    /// Wall time of any call, for what CPU time can't see. Default: 60 s.
    pub wall: Duration,
    /// Bytes of linear memory of one instance, all its memories together. Default: 256 MiB: a Python guest that keeps
    /// the labels of 5,000 nodes takes some 40 MiB, a Rust one 5.
    pub memory: usize,
    /// An instance whose memory has grown beyond this part of [`Limits::memory`], in percent, and to more than twice of
    /// what it had when it was filled, is made anew beside the old one: linear memory never shrinks. Default: 75.
    pub recycle_percent: usize,
    /// Elements of one table. Default: 100,000.
    pub table_elements: usize,
    /// Core instances, memories and tables of one component, each. Default: 64.
    pub items: usize,
    /// Lines that a guest may log in one call. Default: 32.
    pub log_lines: u32,
    /// Bytes of a component's file. Default: 64 MiB.
    pub file_size: u64,
    /// Components in the plugins directory. Default: 1,000.
    pub files: usize,
    /// Nodes that a new component is tried on before it serves. Default: 1,000.
    pub trial_nodes: usize,
    /// What single plugins may take instead, by name.
    pub of_plugins: BTreeMap<Box<str>, Arc<Limits>>,
}

impl Limits {
    /// What the plugin of this name may take.
    #[must_use]
    pub fn of<'a>(self: &'a Arc<Self>, plugin: &str) -> &'a Arc<Self> {
        self.of_plugins.get(plugin).unwrap_or(self)
    }

    /// How many times what is meant for [`USUAL_NODES`] may be taken in a cluster of so many.
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
