//! Plugin calls with an observer, for metrics and tests.

use std::time::Duration;

use berth_core::Plugins;
use berth_core::cache::{NodeId, PodId};
use berth_core::intent::Intent;
use berth_core::model::Pod;
use berth_core::plugins::{
    AskBack, ClassScores, Classified, Code, Cycle, ExtensionPoints, Hint, HintEvent, Passed, Permission, PluginError,
    PluginId, PodSignatureId, PointOutcome, PostFilterResult, PreFilterResult, PreScoreResult, QueueTimes, Reserved,
    Status, Undone, Verdicts, WhatIf,
};
use berth_core::reads::PodReads;

use super::Guests;
use crate::contract::{Export, points};

/// A call of the core into a plugin.
#[derive(Clone, Copy, Debug)]
pub struct PluginCall<'a> {
    /// The plugin instance.
    pub plugin: PluginId,
    /// The function.
    pub export: Export,
    /// The cycle, with the pod. A call of hints is about several pods; this is the cycle of the first pod.
    pub cycle: &'a Cycle<'a>,
}

/// Receives each call of the core into a plugin, before and after it. The queries of a post-filter to other plugins
/// are not reported.
pub trait CallObserver {
    /// The data that the observer needs from the start of a call at its end, for example the time.
    type Started;

    /// Called before the plugin is called.
    fn started(&mut self, call: &PluginCall<'_>) -> Self::Started;

    /// Called with the plugin's answer or the error. [`Guests::name`] returns the plugin's name.
    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        started: Self::Started,
        answer: Result<PluginAnswer<'_>, &PluginError>,
    );

    /// See [`Plugins::point_begins`].
    fn point_begins(&mut self, _point: ExtensionPoints, _scheduler_name: &str) {}

    /// See [`Plugins::point_ends`].
    fn point_ends(&mut self, _outcome: PointOutcome) {}

    /// See [`Plugins::pre_bind_begins`].
    fn pre_bind_begins(&mut self, _pod: &Pod) {}

    /// See [`Plugins::pre_bind_ends`].
    fn pre_bind_ends(&mut self, _pod: &Pod, _outcome: PointOutcome) {}

    /// See [`Plugins::permit_wait_ends`].
    fn permit_wait_ends(&mut self, _waited: Duration, _outcome: PointOutcome) {}
}

/// Observes nothing.
impl CallObserver for () {
    type Started = ();

    fn started(&mut self, _: &PluginCall<'_>) {}

    fn ended(&mut self, _: &Guests, _: &PluginCall<'_>, (): (), _: Result<PluginAnswer<'_>, &PluginError>) {}
}

/// Forwards every call to the guests, and reports it to an observer.
pub struct Observed<'a, O> {
    /// The guests.
    pub guests: &'a mut Guests,
    /// The observer.
    pub observer: &'a mut O,
}

impl<O: CallObserver> Observed<'_, O> {
    fn observe<R>(
        &mut self,
        call: PluginCall<'_>,
        ask: impl FnOnce(&mut Guests) -> Result<R, PluginError>,
        answer_of: impl FnOnce(&R) -> PluginAnswer<'_>,
    ) -> Result<R, PluginError> {
        let started = self.observer.started(&call);
        let answer = ask(self.guests);
        self.observer.ended(self.guests, &call, started, answer.as_ref().map(answer_of));
        answer
    }

    /// Makes a call whose failure the guests log and do not return.
    fn observe_infallible<R>(
        &mut self,
        call: PluginCall<'_>,
        ask: impl FnOnce(&mut Guests) -> R,
        answer_of: impl FnOnce(&R) -> PluginAnswer<'_>,
    ) -> R {
        let started = self.observer.started(&call);
        let answer = ask(self.guests);
        self.observer.ended(self.guests, &call, started, Ok(answer_of(&answer)));
        answer
    }
}

/// Generates [`PluginAnswer`] from the table of the contract.
macro_rules! answers {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {
        /// The answer of a plugin to a call of the core.
        #[derive(Clone, Copy, Debug)]
        pub enum PluginAnswer<'a> {
            /// The answer of `filter` about hypothetical nodes.
            FilterWhatIf(&'a Verdicts),
            /// The answer of `post-filter`.
            PostFilter(&'a PostFilterResult),
            /// The answer of `unreserve`. Empty also after a failure, which the guests log.
            Unreserve(&'a [Intent]),
            /// The end of `post-bind`, which has no answer.
            PostBind,
            /// The answer of `queueing-hint`.
            Hints(&'a [Hint]),
            $($($(
                #[doc = concat!("The answer of [`Plugins::", stringify!($method), "`].")]
                $export(&'a $answer),
            )?)*)*
        }
    };
}

points!(answers);

/// Generates the methods of [`Plugins`] whose answer is an entry of the contract's table.
macro_rules! observed_calls {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {$($($(
        fn $method(
            &mut self,
            plugin: PluginId,
            cycle: &Cycle<'_>,
            $($parameter: $type),*
        ) -> Result<$answer, PluginError> {
            let call = PluginCall { plugin, export: Export::$export, cycle };
            let ask = |guests: &mut Guests| guests.$method(plugin, cycle, $($parameter),*);
            self.observe(call, ask, |answer| PluginAnswer::$export(answer))
        }
    )?)*)*};
}

impl<O: CallObserver> Plugins for Observed<'_, O> {
    points!(observed_calls);

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        let call = PluginCall { plugin, export: Export::FilterWhatIf, cycle };
        self.observe(call, |guests| guests.filter_what_if(plugin, cycle, cases), |all| PluginAnswer::FilterWhatIf(all))
    }

    fn post_filter(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        leaving: &[PodId],
        ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        let call = PluginCall { plugin, export: Export::PostFilter, cycle };
        let post_filter = |guests: &mut Guests| guests.post_filter(plugin, cycle, nodes, codes, leaving, ask);
        self.observe(call, post_filter, |result| PluginAnswer::PostFilter(result))
    }

    fn unreserve(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8], pre_bound: bool) -> Undone {
        let call = PluginCall { plugin, export: Export::Unreserve, cycle };
        let unreserve = |guests: &mut Guests| guests.unreserve(plugin, cycle, node, state, pre_bound);
        self.observe_infallible(call, unreserve, |undone| PluginAnswer::Unreserve(&undone.intents))
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8]) {
        let call = PluginCall { plugin, export: Export::PostBind, cycle };
        self.observe_infallible(
            call,
            |guests| guests.post_bind(plugin, cycle, node, state),
            |()| PluginAnswer::PostBind,
        );
    }

    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        let Some(cycle) = pods.first() else { return Ok(Vec::new()) };
        let call = PluginCall { plugin, export: Export::Hints, cycle };
        self.observe(call, |guests| guests.queueing_hints(plugin, happened, pods), |hints| PluginAnswer::Hints(hints))
    }

    fn point_begins(&mut self, point: ExtensionPoints, scheduler_name: &str) {
        self.observer.point_begins(point, scheduler_name);
    }

    fn point_ends(&mut self, outcome: PointOutcome) {
        self.observer.point_ends(outcome);
    }

    fn pre_bind_begins(&mut self, pod: &Pod) {
        self.observer.pre_bind_begins(pod);
    }

    fn pre_bind_ends(&mut self, pod: &Pod, outcome: PointOutcome) {
        self.observer.pre_bind_ends(pod, outcome);
    }

    fn permit_wait_ends(&mut self, waited: Duration, outcome: PointOutcome) {
        self.observer.permit_wait_ends(waited, outcome);
    }

    fn forget_signatures(&mut self, reads: &PodReads, signatures: &[PodSignatureId]) {
        self.guests.forget_signatures(reads, signatures);
    }
}
