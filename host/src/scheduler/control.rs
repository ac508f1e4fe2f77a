//! Messages to the scheduling thread other than the cluster's events.

use berth_admin::api::{SchedulingRequest, SchedulingState};
use berth_core::Core;
use berth_core::action::PodEvent;
use tokio::sync::oneshot;

use berth_plugin_host::Delivery;

/// A message to the scheduling thread.
pub enum Control {
    /// Begin to schedule pods: the cluster is known.
    Begin,
    /// Take over plugins from the threads that prepare them.
    Plugins(Delivery),
    /// Run a function on the core, between two steps.
    Inspect(Box<dyn FnOnce(&Core) + Send>),
    /// Write an event that is not about the scheduling of a pod.
    Emit(PodEvent),
    /// Pause the scheduling of pods, continue it, or run one scheduling cycle. The answer is the state afterwards.
    Scheduling(SchedulingRequest, oneshot::Sender<SchedulingState>),
    /// Schedule no more pods, and answer when no binding is in progress.
    Drain(oneshot::Sender<()>),
    /// End after the current step.
    Stop,
}
