//! What the core's thread is told, apart from the cluster's events.

use berth_core::Core;

use crate::wasm::Delivery;

/// A message to the core's thread.
pub enum Control {
    /// The cluster is known: pods may be placed from now on.
    Begin,
    /// Plugins, from the threads that prepare them.
    Plugins(Delivery),
    /// Look at the core, between two steps.
    Inspect(Box<dyn FnOnce(&Core) + Send>),
    /// End after the step under way.
    Stop,
}
