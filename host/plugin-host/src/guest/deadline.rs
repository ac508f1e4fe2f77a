//! The deadline of a call, in CPU time and wall time.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU time that this thread has used.
pub fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The time limits of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub cpu: Duration,
    pub wall: Duration,
}

/// The call exceeded its budget. It is the error of the trap.
#[derive(Debug, thiserror::Error)]
pub(super) enum Overrun {
    #[error("ran longer than {} ms of CPU time", .0.as_millis())]
    Cpu(Duration),
    #[error("took longer than {} s", .0.as_secs())]
    Wall(Duration),
}

/// Limits one call. The time counts from the first tick (an epoch of the engine) within the call. So a call that ends
/// before its first tick reads no clock: to read the CPU time of a thread takes a system call.
#[derive(Debug)]
pub(super) struct Deadline {
    budget: Budget,
    first_tick: Option<(Duration, Instant)>,
}

impl Deadline {
    pub fn new(budget: Budget) -> Self {
        Self { budget, first_tick: None }
    }

    /// Checks the limits. Must be called at every tick during the call.
    pub fn tick(&mut self) -> Result<(), Overrun> {
        let (cpu, wall) = (thread_cpu_time(), Instant::now());
        let (cpu_start, wall_start) = *self.first_tick.get_or_insert((cpu, wall));
        if cpu.saturating_sub(cpu_start) >= self.budget.cpu {
            return Err(Overrun::Cpu(self.budget.cpu));
        }
        if wall.duration_since(wall_start) >= self.budget.wall {
            return Err(Overrun::Wall(self.budget.wall));
        }
        Ok(())
    }
}
