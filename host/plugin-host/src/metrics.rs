//! Counters of the cost of a plugin. `berth plugin list` and the metrics read them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Counters of one plugin instance. A rebuild of the instance does not reset the counters.
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

/// The values of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of calls into the plugin, including the calls that send the cluster.
    pub calls: u64,
    /// The CPU time of the calls, estimated from a sample.
    pub cpu: Duration,
    /// The number of calls that trapped or exceeded the time or the memory limit.
    pub failures: u64,
    /// The number of rebuilds.
    pub rebuilds: u64,
    /// The bytes of the instance's linear memories when the instance was last installed, rebuilt or found too large.
    pub memory: u64,
    /// The approximate number of instructions of the calls. Counted if [`crate::LoaderOptions::counts_work`] is set,
    /// else 0.
    pub fuel: u64,
    /// The bytes of the parameters and results of the calls and of the plugin's queries. Counted if
    /// [`crate::LoaderOptions::counts_work`] is set, else 0.
    pub bytes: u64,
}

impl Counters {
    /// Reads the counters.
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

    /// Counts a call. Returns the number of earlier calls.
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
