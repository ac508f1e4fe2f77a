//! The engine: the scheduler's core joined with its components. The running scheduler, benchmarks and tests share it.
//!
//! - In: the cluster's events, deliveries of prepared or rebuilt plugins, and the time of each.
//! - Out: the [`Action`]s that the caller executes. A [`CallObserver`] sees each call of a plugin.
//! - Never: the engine does no I/O, reads no clock and waits for nothing. Components are compiled, filled and rebuilt on
//!   the threads of `berth-plugin-host`, which send a [`Delivery`] when they are done.
//!
//! The caller's loop:
//! 1. [`Engine::step`] for each event of the cluster, and for the event that [`Engine::accept`] returns.
//! 2. [`Engine::advance`] at least once a second, and a step for the event that it returns. Among many events,
//!    [`Engine::update_plugins`] after every few hundred.
//! 3. A step with [`Event::Cycle`] while [`Core::has_work`] is true and no other event waits.

use std::sync::Arc;

use berth_core::cache::NodeId;
use berth_core::cycle::{AnswerObserver, Failure};
use berth_core::extenders::Extenders;
use berth_core::model::Pod;
use berth_core::plugins::FailedCall;
use berth_core::profile::Profile;
use berth_core::{Action, Core, Event, Options, Timestamp};
use berth_plugin_host::{CallObserver, Delivery, Guests, Observed};

/// A core and the plugin instances that it calls.
pub struct Engine {
    core: Core,
    guests: Guests,
}

impl Engine {
    /// Creates an engine with an empty cluster and no profiles. [`Delivery::Swap`] brings profiles and their plugins.
    #[must_use]
    pub fn new(options: Options, guests: Guests) -> Self {
        Self { core: Core::new(options), guests }
    }

    /// Creates an engine from a restored core. `guests` must have the instances of the core's profiles, filled with the
    /// core's cluster.
    #[must_use]
    pub fn restored(core: Core, guests: Guests) -> Self {
        Self { core, guests }
    }

    /// Handles one event and returns the actions for the caller; see [`Core::step`]. `observer` sees each call of a
    /// plugin; pass `&mut ()` for none.
    pub fn step<O: CallObserver>(
        &mut self,
        event: Event,
        now: Timestamp,
        extenders: &mut dyn Extenders,
        observer: &mut O,
    ) -> Vec<Action> {
        self.core.step(event, now, &mut Observed { guests: &mut self.guests, observer }, extenders)
    }

    /// Accepts a delivery of the threads that prepare plugins, between two steps. A returned event must be the next
    /// step.
    #[must_use = "a returned event must be the next step"]
    pub fn accept(&mut self, delivery: Delivery, now: Timestamp) -> Option<Event> {
        self.guests.accept(delivery, now, self.core.cache())
    }

    /// Sends changes of the cluster to plugins that have not been called recently, and starts the due rebuilds of plugins
    /// that failed. Call this function once a second, and also after every few hundred events, because the cache's log
    /// keeps a limited number of changes.
    pub fn update_plugins(&mut self, now: Timestamp) {
        self.guests.tick(now, self.core.cache());
    }

    /// Does the work that is due at `now`: [`Engine::update_plugins`], and [`Event::Tick`] if the core waits for this
    /// time. A returned event must be the next step.
    #[must_use = "a returned event must be the next step"]
    pub fn advance(&mut self, now: Timestamp) -> Option<Event> {
        self.update_plugins(now);
        self.core.next_wakeup().filter(|at| *at <= now).map(|_| Event::Tick)
    }

    /// Explains a pod without scheduling it; see [`Core::explain`].
    ///
    /// # Errors
    /// Returns why the pod would not be scheduled.
    pub fn explain(
        &mut self,
        pod: &Arc<Pod>,
        now: Timestamp,
        extenders: &mut dyn Extenders,
        observer: &mut dyn AnswerObserver,
    ) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        self.core.explain(pod, now, &mut self.guests, extenders, observer)
    }

    /// Explains a pod with the plugins of another profile; see [`Core::explain_with`].
    ///
    /// # Errors
    /// Returns why the pod would not be scheduled.
    pub fn explain_with<'a>(
        &'a mut self,
        pod: &'a Arc<Pod>,
        profile: &'a Profile,
        now: Timestamp,
        extenders: &'a mut dyn Extenders,
        observer: Option<&'a mut dyn AnswerObserver>,
    ) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        self.core.explain_with(pod, profile, now, &mut self.guests, extenders, observer)
    }

    /// Begins to record the calls of plugins that fail, for [`Engine::take_failures`].
    pub fn record_failures(&mut self) {
        self.guests.record_failures();
    }

    /// Returns the calls of plugins that failed since the last call of this function, if they are recorded.
    pub fn take_failures(&mut self) -> Vec<FailedCall> {
        self.guests.take_failures()
    }

    /// Makes these calls fail in the next step, each once. Returns the calls of the step before that were not made.
    pub fn repeat_failures(&mut self, failed: Vec<FailedCall>) -> Vec<FailedCall> {
        self.guests.repeat_failures(failed)
    }

    /// Returns the core.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the core and the plugin instances, for a call of a plugin outside of a step.
    #[must_use]
    pub fn parts(&mut self) -> (&mut Core, &mut Guests) {
        (&mut self.core, &mut self.guests)
    }
}
