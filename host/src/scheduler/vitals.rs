//! Signs of life, for probes: written by the scheduler, read from any thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How the scheduler is.
#[derive(Debug)]
pub struct Vitals {
    began: Instant,
    /// When the core's thread was last seen between two steps, in milliseconds since `began`; 0 before it started.
    beat: AtomicU64,
    informers_synced: AtomicBool,
    plugins_loaded: AtomicBool,
    stopping: AtomicBool,
}

impl Default for Vitals {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            beat: AtomicU64::new(0),
            informers_synced: AtomicBool::new(false),
            plugins_loaded: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        }
    }
}

impl Vitals {
    /// How long ago the core's thread was last seen between two steps; `None` before it started.
    #[must_use]
    pub fn since_beat(&self) -> Option<Duration> {
        match self.beat.load(Relaxed) {
            0 => None,
            beat => Some(self.began.elapsed().saturating_sub(Duration::from_millis(beat))),
        }
    }

    /// Whether all that was in the cluster at the start is known.
    #[must_use]
    pub fn informers_synced(&self) -> bool {
        self.informers_synced.load(Relaxed)
    }

    /// Whether the first set of plugins serves.
    #[must_use]
    pub fn plugins_loaded(&self) -> bool {
        self.plugins_loaded.load(Relaxed)
    }

    /// Whether the end has begun: no more pods are taken.
    #[must_use]
    pub fn stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    /// The core's thread lives.
    pub fn beat(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.beat.store(now.max(1), Relaxed);
    }

    /// The informers are synced.
    pub fn set_informers_synced(&self) {
        self.informers_synced.store(true, Relaxed);
    }

    /// The first plugins serve.
    pub fn set_plugins_loaded(&self) {
        self.plugins_loaded.store(true, Relaxed);
    }

    /// The end begins.
    pub fn set_stopping(&self) {
        self.stopping.store(true, Relaxed);
    }
}
