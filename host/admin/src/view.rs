//! The interface through which this crate accesses the scheduler.

use anyhow::{Result, anyhow};
use berth_core::Core;
use berth_core::action::PodEvent;
use berth_plugin_host::PluginStatus;
use tokio::sync::oneshot;

/// A running scheduler, as far as metrics, dumps and events need it.
pub trait SchedulerView: Send + Sync {
    /// Runs `look` on the scheduling thread, between two steps of the core. Drops `look` if the scheduler has ended.
    fn look_at_core(&self, look: Box<dyn FnOnce(&Core) + Send>);

    /// Writes an event that is not about the scheduling of a pod. The event is lost if the scheduler ends before the
    /// event is sent.
    fn emit(&self, event: PodEvent);

    /// Returns all components and instances, by name.
    fn plugins(&self) -> Vec<PluginStatus>;
}

/// Returns what `look` reads of the core.
///
/// # Errors
/// The scheduler has ended.
pub(crate) async fn inspect<T: Send + 'static>(
    scheduler: &dyn SchedulerView,
    look: impl FnOnce(&Core) -> T + Send + 'static,
) -> Result<T> {
    let (answer, answered) = oneshot::channel();
    scheduler.look_at_core(Box::new(move |core| drop(answer.send(look(core)))));
    answered.await.map_err(|_| anyhow!("the scheduling thread has ended"))
}
