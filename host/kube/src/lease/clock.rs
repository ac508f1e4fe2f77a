//! The clock of an election. On Linux, the clock continues while the machine is suspended.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

use super::election::Moment;

/// A function that returns the current time. Tests replace it, to give candidates different clocks.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// Returns the clock of this machine.
#[must_use]
pub fn system() -> Clock {
    Arc::new(|| Moment { own: since_boot(), wall: Timestamp::now() })
}

/// On Linux, `CLOCK_MONOTONIC` stops while the machine is suspended, but the Lease continues to age for the other
/// candidates.
#[cfg(target_os = "linux")]
const COUNTS_SUSPENDED_TIME: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const COUNTS_SUSPENDED_TIME: ClockId = ClockId::Monotonic;

fn since_boot() -> Duration {
    let now = clock_gettime(COUNTS_SUSPENDED_TIME);
    let seconds = Duration::from_secs(u64::try_from(now.tv_sec).unwrap_or_default());
    seconds + Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or_default())
}
