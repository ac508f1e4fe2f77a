//! A view of a scheduler that another part runs and stops.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use berth_capture::files::OwnFiles;
use berth_core::action::PodEvent;
use berth_core::extenders::Extender;
use berth_core::{Core, Timestamp};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::clock::now_of;
use super::control::Control;
use berth_admin::SchedulerView;
use berth_admin::api::{SchedulingRequest, SchedulingState};
use berth_admin::metrics::Metrics;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::{AssembleError, ComponentSet, Loader, PluginStatus};

/// A view of a scheduler. The view does not keep the scheduler running.
#[derive(Clone)]
pub struct Observer {
    pub(super) control: UnboundedSender<Control>,
    pub(super) loader: Arc<Loader>,
    pub(super) extenders: Arc<[Extender]>,
    pub(super) clock: Arc<dyn berth_clock::Clock>,
    pub(super) capture: Option<Arc<OwnFiles>>,
    pub(super) metrics: Arc<Metrics>,
}

impl Observer {
    /// Runs `look` on the core, between two steps, and returns its result.
    ///
    /// # Errors
    /// The scheduler has ended.
    pub async fn inspect<T: Send + 'static>(&self, look: impl FnOnce(&Core) -> T + Send + 'static) -> Result<T> {
        self.ask(|answer| Control::Inspect(Box::new(move |core| drop(answer.send(look(core)))))).await
    }

    /// Pauses the scheduling of pods, continues it, or runs one scheduling cycle. Returns the state afterwards.
    ///
    /// # Errors
    /// The scheduler has ended.
    pub async fn scheduling(&self, request: SchedulingRequest) -> Result<SchedulingState> {
        self.ask(|answer| Control::Scheduling(request, answer)).await
    }

    /// Sends a message to the scheduling thread, and returns the answer.
    async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Control) -> Result<T> {
        let ended = || anyhow!("the core's thread has ended");
        let (answer, answered) = oneshot::channel();
        self.control.send(message(answer)).map_err(|_| ended())?;
        answered.await.map_err(|_| ended())
    }

    /// Returns the time of the scheduler's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        now_of(&*self.clock)
    }

    /// Replaces the desired profiles; see [`Loader::set_profiles`].
    pub fn set_profiles(&self, specs: Vec<ProfileSpec>) {
        self.loader.set_profiles(specs);
    }

    /// Returns the reason that the desired profiles are not in service, or `None` if they are.
    #[must_use]
    pub fn refused_profiles(&self) -> Option<AssembleError> {
        self.loader.refused_profiles()
    }

    /// Replaces the instances of a plugin by new ones; see [`Loader::reload`].
    ///
    /// # Errors
    /// The plugin was not reloaded, with the reason.
    pub async fn reload(&self, plugin: &str) -> Result<(), String> {
        self.loader.reload(plugin).await.unwrap_or_else(|_| Err("the loader's thread has ended".to_owned()))
    }

    /// Returns the components that are loaded now; see [`Loader::components`].
    #[must_use]
    pub fn components(&self) -> ComponentSet {
        self.loader.components()
    }

    /// Returns the profiles that serve; see [`Loader::serving_profiles`].
    #[must_use]
    pub fn serving_profiles(&self) -> Vec<ProfileSpec> {
        self.loader.serving_profiles()
    }

    /// Returns the files of the capture; `None` if the scheduler writes no capture to a directory.
    #[must_use]
    pub fn capture(&self) -> Option<&OwnFiles> {
        self.capture.as_deref()
    }

    /// Returns the time that all scheduling cycles took so far.
    #[must_use]
    pub fn cycle_time(&self) -> Duration {
        self.metrics.cycle_time()
    }

    /// Returns the extenders of the scheduler.
    #[must_use]
    pub fn extenders(&self) -> &[Extender] {
        &self.extenders
    }
}

impl SchedulerView for Observer {
    fn look_at_core(&self, look: Box<dyn FnOnce(&Core) + Send>) {
        // Sending fails only if the scheduler has ended. Then `look` is dropped.
        let _ = self.control.send(Control::Inspect(look));
    }

    fn emit(&self, event: PodEvent) {
        let _ = self.control.send(Control::Emit(event));
    }

    fn plugins(&self) -> Vec<PluginStatus> {
        self.loader.status()
    }
}
