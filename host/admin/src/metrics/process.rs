//! Metrics of the process, under the names of Prometheus' own client libraries, which common dashboards use.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rustix::time::{ClockId, clock_gettime};

use super::add;

/// The time of the first call of [`started`], which is at the start of the process.
static STARTED: OnceLock<SystemTime> = OnceLock::new();

/// Returns the start time of the process, and remembers it at the first call.
pub(super) fn started() -> SystemTime {
    *STARTED.get_or_init(SystemTime::now)
}

/// Adds the metrics of the process. A metric that this system does not provide is left out.
pub(super) fn add_to(registry: &mut Registry) {
    let cpu: Counter<f64, AtomicU64> =
        add(registry, "process_cpu_seconds", "CPU time of the process, user and system", Counter::default());
    cpu.inc_by(cpu_time().as_secs_f64());
    let start: Gauge<f64, AtomicU64> = add(
        registry,
        "process_start_time_seconds",
        "Start time of the process, in seconds since 1970",
        Gauge::default(),
    );
    start.set(started().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Resident memory of the process", resident_memory()),
        ("process_open_fds", "Open file descriptors", open_files()),
    ] {
        if let Some(value) = value {
            add(registry, name, help, Gauge::<i64>::default()).set(value);
        }
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let whole = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or_default());
    whole + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or_default())
}

/// Reads the resident memory from `/proc`, which states it in kilobytes.
fn resident_memory() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<i64>().ok()?.checked_mul(1024)
}

fn open_files() -> Option<i64> {
    // Reading the directory opens one file descriptor itself.
    i64::try_from(std::fs::read_dir("/proc/self/fd").ok()?.count()).ok()?.checked_sub(1)
}
