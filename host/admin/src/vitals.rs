//! Signs of life, for probes: written by the scheduler, read from any thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How the scheduler is.
#[derive(Debug)]
pub struct Vitals {
    began: Instant,
    /// When the core's thread was last seen between two steps, in milliseconds since `began`; 0 before it started.
    beat: AtomicU64,
    informers_synced: AtomicBool,
    /// Why the first set of plugins does not serve yet.
    plugins_missing: Mutex<Option<String>>,
    stopping: AtomicBool,
}

impl Default for Vitals {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            beat: AtomicU64::new(0),
            informers_synced: AtomicBool::new(false),
            plugins_missing: Mutex::new(Some("the first plugins are still being loaded".to_owned())),
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

    /// Why the first set of plugins does not serve yet; `None` once one does.
    #[must_use]
    pub fn plugins_missing(&self) -> Option<String> {
        self.plugins_missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

    /// The first plugins serve, or don't, for this reason.
    pub fn set_plugins_missing(&self, why: Option<String>) {
        *self.plugins_missing.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// The end begins.
    pub fn set_stopping(&self) {
        self.stopping.store(true, Relaxed);
    }
}
