//! What the core's thread is told, apart from the cluster's events.

use berth_core::Core;
use berth_core::action::PodEvent;
use tokio::sync::oneshot;

use berth_plugin_host::Delivery;

/// A message to the core's thread.
pub enum Control {
    /// The cluster is known: pods may be placed from now on.
    Begin,
    /// Plugins, from the threads that prepare them.
    Plugins(Delivery),
    /// Look at the core, between two steps.
    Inspect(Box<dyn FnOnce(&Core) + Send>),
    /// Write an event that is not about a pod's placing.
    Emit(PodEvent),
    /// Place no more pods, and answer when no binding is under way.
    Drain(oneshot::Sender<()>),
    /// End after the step under way.
    Stop,
}
