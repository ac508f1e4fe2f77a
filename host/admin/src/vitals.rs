//! Vital signs of the scheduler for probes. The scheduler writes them, any thread reads them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Vital signs of the scheduler.
#[derive(Debug)]
pub struct Vitals {
    began: Instant,
    /// The time at which the scheduling thread was last seen between two steps, in milliseconds since `began`; 0
    /// before the scheduling thread started.
    beat: AtomicU64,
    informers_synced: AtomicBool,
    /// The reason that the first set of plugins is not in service yet, or `None` if the set is in service.
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
    /// Returns the time since the scheduling thread was last seen between two steps, or `None` before the
    /// scheduling thread started.
    #[must_use]
    pub fn since_beat(&self) -> Option<Duration> {
        match self.beat.load(Relaxed) {
            0 => None,
            beat => Some(self.began.elapsed().saturating_sub(Duration::from_millis(beat))),
        }
    }

    /// Returns whether the informers know all objects that were in the cluster at the start.
    #[must_use]
    pub fn informers_synced(&self) -> bool {
        self.informers_synced.load(Relaxed)
    }

    /// Returns the reason that the first set of plugins is not in service yet, or `None` if the set is in service.
    #[must_use]
    pub fn plugins_missing(&self) -> Option<String> {
        self.plugins_missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether the shutdown has begun: the scheduler takes no more pods.
    #[must_use]
    pub fn stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    /// Records that the scheduling thread is between two steps now.
    pub fn beat(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.beat.store(now.max(1), Relaxed);
    }

    /// Records that the informers are synced.
    pub fn set_informers_synced(&self) {
        self.informers_synced.store(true, Relaxed);
    }

    /// Records that the first set of plugins is in service (`None`), or the reason that the set is not in
    /// service.
    pub fn set_plugins_missing(&self, why: Option<String>) {
        *self.plugins_missing.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Records that the shutdown has begun.
    pub fn set_stopping(&self) {
        self.stopping.store(true, Relaxed);
    }
}
