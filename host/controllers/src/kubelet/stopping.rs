//! When the containers of a pod that is being deleted have stopped.
//!
//! A kubelet runs the preStop hooks, sends SIGTERM to the containers, and waits for them. At the end of the grace period it
//! kills them. The simulated containers stop at SIGTERM, or as many seconds later as an annotation says.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::super::metadata;
use super::super::pod::Pod;
use super::behavior::seconds_of;

/// The annotation with the number of seconds that the pod's containers take to stop after SIGTERM.
pub const STOP_SECONDS: &str = "sim.berth.dev/stop-seconds";

/// Returns the time until all containers of a pod that is being deleted have stopped.
pub fn left(pod: &Pod, now: Timestamp) -> Duration {
    let meta = &pod.metadata;
    let Some(kill) = meta.deletion_timestamp.as_ref().map(|time| time.0) else { return Duration::ZERO };
    let grace = SignedDuration::from_secs(meta.deletion_grace_period_seconds.unwrap_or_default());
    let sidecars = pod.spec.init_containers.iter().filter(|container| container.is_sidecar());
    let hooks = pod.spec.containers.iter().chain(sidecars).filter_map(|container| container.pre_stop).max();
    let stop = metadata::annotation(meta, STOP_SECONDS).and_then(seconds_of).unwrap_or_default();
    let takes = hooks.unwrap_or_default().saturating_add(stop);
    // A pod that never started has nothing to stop.
    let takes = if pod.phase() == "Running" { takes } else { Duration::ZERO };
    let takes = SignedDuration::try_from(takes).unwrap_or(SignedDuration::MAX).min(grace);
    let stopped = now.duration_since(kill).saturating_add(grace).max(SignedDuration::ZERO);
    Duration::try_from(takes.saturating_sub(stopped)).unwrap_or_default()
}
