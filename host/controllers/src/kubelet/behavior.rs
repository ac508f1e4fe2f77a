//! What a pod's annotations say about its containers.

use std::time::Duration;

use super::super::metadata;
use super::super::pod::Pod;

/// The annotation with the number of seconds from the pod's binding to the start of its containers.
pub const START_SECONDS: &str = "sim.berth.dev/start-seconds";
/// The annotation with the number of seconds from the start of a container until the container is ready.
pub const READY_SECONDS: &str = "sim.berth.dev/ready-seconds";
/// The annotation with the number of seconds after which the containers exit.
pub const RUN_SECONDS: &str = "sim.berth.dev/run-seconds";
/// The annotation with the exit code of the containers. The containers fail if the code is not 0.
pub const EXIT_CODE: &str = "sim.berth.dev/exit-code";
/// The annotation with the number of restarts of a container, after which it exits no more, or with code 0.
pub const RESTARTS: &str = "sim.berth.dev/restarts";
/// The upper limit of durations in seconds (a century). A pod with a longer run time never finishes.
const LONGEST: f64 = 3.2e9;

/// The behavior of a pod's containers.
#[derive(Clone, Debug)]
pub struct Behavior {
    /// The time until the containers start. Default: 0.
    pub start: Duration,
    /// The time until a running container is ready. Default: 0.
    pub ready: Duration,
    /// The time after which a container exits; `None` if it runs until it is stopped.
    pub run: Option<Duration>,
    /// The exit code. Default: 0.
    pub code: i32,
    /// The number of restarts after which the container exits no more, or with code 0; `None` for no such number.
    pub restarts: Option<i32>,
}

impl Behavior {
    /// Reads the annotations of a pod. `job_run` is the run time of a Job's pod without an annotation. Ignores values that
    /// are no number, and durations that are not from 0 to [`LONGEST`] seconds.
    pub fn of(pod: &Pod, job_run: Duration) -> Self {
        let text = |name: &str| metadata::annotation(&pod.metadata, name);
        let seconds = |name: &str| text(name).and_then(seconds_of);
        let number = |name: &str| text(name).and_then(|text| text.trim().parse::<i32>().ok());
        let of_job = || metadata::controller(&pod.metadata).is_some_and(|owner| owner.kind == "Job");
        Behavior {
            start: seconds(START_SECONDS).unwrap_or_default(),
            ready: seconds(READY_SECONDS).unwrap_or_default(),
            run: match text(RUN_SECONDS) {
                Some(text) => seconds_of(text),
                None => of_job().then_some(job_run),
            },
            code: number(EXIT_CODE).unwrap_or(0),
            restarts: number(RESTARTS).filter(|count| *count >= 0),
        }
    }
}

/// Returns the duration that an annotation has as a number of seconds; `None` if it is no number from 0 to [`LONGEST`].
pub fn seconds_of(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| (0.0..LONGEST).contains(seconds))?;
    Duration::try_from_secs_f64(seconds).ok()
}
