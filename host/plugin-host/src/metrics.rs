//! What a plugin has cost so far, as plain counters: read by `berth plugin list` and by metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Counters of one plugin instance. They outlive its rebuilds.
#[derive(Debug, Default)]
pub struct Counters {
    calls: AtomicU64,
    cpu_nanos: AtomicU64,
    failures: AtomicU64,
    rebuilds: AtomicU64,
    memory: AtomicU64,
    fuel: AtomicU64,
    bytes: AtomicU64,
}

/// The counters at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls into the guest, those that feed it included.
    pub calls: u64,
    /// CPU time in it, from a sample of its calls.
    pub cpu: Duration,
    /// Calls that trapped, took too long, or wanted too much memory.
    pub failures: u64,
    /// How often it was made anew.
    pub rebuilds: u64,
    /// Bytes of its linear memories.
    pub memory: u64,
    /// Instructions that its calls took, about; counted where [`crate::LoaderOptions::counts_work`] asks for it, else 0.
    pub fuel: u64,
    /// Bytes of its calls' arguments and answers, and of what it asks back; counted as `fuel` is.
    pub bytes: u64,
}

impl Counters {
    /// Reads them.
    #[must_use]
    pub fn read(&self) -> Usage {
        Usage {
            calls: self.calls.load(Relaxed),
            cpu: Duration::from_nanos(self.cpu_nanos.load(Relaxed)),
            failures: self.failures.load(Relaxed),
            rebuilds: self.rebuilds.load(Relaxed),
            memory: self.memory.load(Relaxed),
            fuel: self.fuel.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    /// How many calls came before this one.
    pub(super) fn count_call(&self) -> u64 {
        self.calls.fetch_add(1, Relaxed)
    }

    pub(super) fn add_cpu(&self, time: Duration) {
        self.cpu_nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn count_failure(&self) {
        self.failures.fetch_add(1, Relaxed);
    }

    pub(super) fn count_rebuild(&self) {
        self.rebuilds.fetch_add(1, Relaxed);
    }

    pub(super) fn set_memory(&self, bytes: usize) {
        self.memory.store(bytes as u64, Relaxed);
    }

    pub(super) fn add_fuel(&self, fuel: u64) {
        self.fuel.fetch_add(fuel, Relaxed);
    }

    pub(super) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }
}
