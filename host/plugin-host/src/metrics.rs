//! Counters of the cost of a plugin. `berth plugin list` and the metrics read them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The number of buckets for each doubling of a duration.
const PER_DOUBLING: usize = 4;

/// The number of buckets for durations of calls. The last is for calls of at least 6.4 seconds.
const BUCKETS: usize = 100;

/// The duration below which all calls share the first bucket, as a power of 2 in nanoseconds.
const SHORTEST: u32 = 8;

/// Counters of one plugin instance. A rebuild of the instance does not reset the counters.
#[derive(Debug)]
pub struct Counters {
    calls: AtomicU64,
    /// The number of sampled calls by CPU time; see [`bucket`].
    sampled: [AtomicU64; BUCKETS],
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
    /// The CPU time that 99 of 100 sampled calls do not exceed, rounded up by at most a quarter; zero without a sample.
    pub p99: Duration,
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

impl Default for Counters {
    fn default() -> Self {
        Self {
            calls: AtomicU64::default(),
            sampled: std::array::from_fn(|_| AtomicU64::default()),
            cpu_nanos: AtomicU64::default(),
            failures: AtomicU64::default(),
            rebuilds: AtomicU64::default(),
            memory: AtomicU64::default(),
            fuel: AtomicU64::default(),
            bytes: AtomicU64::default(),
        }
    }
}

impl Counters {
    /// Reads the counters.
    #[must_use]
    pub fn read(&self) -> Usage {
        Usage {
            calls: self.calls.load(Relaxed),
            cpu: Duration::from_nanos(self.cpu_nanos.load(Relaxed)),
            p99: self.p99(),
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

    /// Adds a sampled call that stands for `calls` calls.
    pub(super) fn add_sample(&self, time: Duration, calls: u64) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.cpu_nanos.fetch_add(nanos.saturating_mul(calls), Relaxed);
        self.sampled[bucket(nanos)].fetch_add(1, Relaxed);
    }

    fn p99(&self) -> Duration {
        let counts = self.sampled.each_ref().map(|count| count.load(Relaxed));
        let rank = (counts.iter().sum::<u64>() * 99).div_ceil(100);
        let mut below = 0;
        let reached = counts.iter().position(|count| {
            below += count;
            below >= rank
        });
        match reached {
            Some(bucket) if rank > 0 => Duration::from_nanos(end_of(bucket)),
            _ => Duration::ZERO,
        }
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

/// Returns the bucket of a duration: the place of its highest bit, and the next two bits.
fn bucket(nanos: u64) -> usize {
    let doublings = nanos.max(1).ilog2();
    if doublings < SHORTEST {
        return 0;
    }
    let quarter = (nanos >> (doublings - 2)) as usize % PER_DOUBLING;
    ((doublings - SHORTEST) as usize * PER_DOUBLING + quarter + 1).min(BUCKETS - 1)
}

/// Returns the shortest duration in nanoseconds that is longer than those of the bucket.
fn end_of(bucket: usize) -> u64 {
    let (doublings, quarter) = (bucket / PER_DOUBLING, bucket % PER_DOUBLING);
    ((PER_DOUBLING + quarter) as u64) << (SHORTEST as usize + doublings - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_at_most_a_quarter_longer_than_its_durations() {
        for nanos in (0..10_000).chain((14..31).flat_map(|power| [(1 << power) - 1, 1 << power, (5 << power) / 4])) {
            let end = end_of(bucket(nanos));
            assert!(nanos < end && end <= (nanos + nanos / 4 + 1).max(1 << SHORTEST), "{nanos}: {end}");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn one_call_in_a_hundred_may_exceed_the_percentile() {
        let counters = Counters::default();
        assert_eq!(counters.read().p99, Duration::ZERO);
        (0..99).for_each(|_| counters.add_sample(Duration::from_micros(1), 16));
        counters.add_sample(Duration::from_millis(5), 16);
        let usage = counters.read();
        assert!(usage.p99 >= Duration::from_micros(1) && usage.p99 < Duration::from_micros(2), "{usage:?}");
        assert_eq!(usage.cpu, 16 * (Duration::from_micros(99) + Duration::from_millis(5)));
        (0..10).for_each(|_| counters.add_sample(Duration::from_millis(5), 16));
        assert!(counters.read().p99 >= Duration::from_millis(5));
    }
}
