//! The options of the controllers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;

/// Options of the simulated kubelets and controllers.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of concurrent writes, not counting the requests for leases. Default: 32.
    pub concurrency: usize,
    /// The run time of a Job's pod without the annotation `sim.berth.dev/run-seconds`. Default: 1 second.
    pub job_run: Duration,
    /// The maximum number of lease renewals per second. Default: 200. Kubelets renew every ten seconds. With more
    /// than ten times this number of nodes, renewals are further apart and leases last correspondingly longer.
    pub lease_rate: u32,
    /// The controllers that run, by their [`NAMES`](crate::NAMES); `None` for all.
    pub only: Option<BTreeSet<String>>,
    /// The clock of the controllers. Timestamps, run times, grace periods, backoffs and lease renewals use this clock.
    /// The delays between attempts to watch the API server use real time, because these delays concern the network.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            concurrency: 32,
            job_run: Duration::from_secs(1),
            lease_rate: 200,
            only: None,
            clock: berth_clock::real(),
        }
    }
}
