//! What can be chosen about the controllers.

use std::time::Duration;

/// How the controllers behave.
#[derive(Clone, Debug)]
pub struct Options {
    /// Requests that may be on their way at once, besides those for leases.
    pub concurrency: usize,
    /// When a deleted pod goes.
    pub deletion: Deletion,
    /// How long a Job's pod runs if `sim.berth.dev/run-seconds` doesn't say.
    pub job_run: Duration,
    /// Lease renewals a second at most. Kubelets renew every ten seconds; with more nodes than ten times this, the
    /// renewals are that much further apart, and the leases last that much longer.
    pub lease_rate: u32,
}

/// When a pod that is being deleted goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// As soon as the deletion is seen: its containers stop at once.
    AtOnce,
    /// When its grace is over: its containers never stop by themselves.
    AfterGrace,
}

impl Default for Options {
    fn default() -> Self {
        Options { concurrency: 32, deletion: Deletion::AtOnce, job_run: Duration::from_secs(1), lease_rate: 200 }
    }
}
