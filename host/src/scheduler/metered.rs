//! Plugin calls with metrics: counts and times the core's calls into the guests.

use std::time::{Duration, Instant};

use berth_core::cache::{NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::intent::Intent;
use berth_core::model::Pod;
use berth_core::plugins::{
    AskBack, ClassFilter, ClassScores, Classified, Code, Cycle, Decision, ExtensionPoints, Hint, HintEvent, Passed,
    Permission, PluginError, PluginId, PodSignatureId, PointOutcome, PostFilterResult, PreFilterResult, PreScoreResult,
    PreemptionPlan, Reserved, Status, Verdicts, WhatIf,
};
use berth_core::{Plugins, Timestamp};

use berth_admin::metrics::{Call, Meter};
use berth_plugin_host::Guests;

/// Forwards every plugin call to the guests and records it in the meter.
pub struct Metered<'a> {
    pub guests: &'a mut Guests,
    pub meter: &'a mut Meter,
}

impl Metered<'_> {
    fn ask<R>(
        &mut self,
        plugin: PluginId,
        point: ExtensionPoints,
        cycle: &Cycle<'_>,
        status: impl Fn(&R) -> &'static str,
        ask: impl FnOnce(&mut Guests) -> Result<R, PluginError>,
    ) -> Result<R, PluginError> {
        let began = Meter::is_timed(cycle.id).then(Instant::now);
        let answer = ask(self.guests);
        let status = answer.as_ref().map_or("Error", status);
        let call = Call { plugin, point, status, took: began.map(|began| began.elapsed()) };
        let guests = &*self.guests;
        self.meter.called(&call, || guests.name(plugin).unwrap_or_default().to_string());
        answer
    }

    /// Records a call without a result, which always counts as a success.
    fn tell(&mut self, plugin: PluginId, point: ExtensionPoints, cycle: &Cycle<'_>, tell: impl FnOnce(&mut Guests)) {
        // The closure always returns `Ok(())`.
        let _ = self.ask(plugin, point, cycle, success, |guests| {
            tell(guests);
            Ok(())
        });
    }
}

/// The plugin whose attempts and victims kube-scheduler counts.
const PREEMPTION: &str = "DefaultPreemption";

/// Returns the number of pods to evict, or 0 if all of them are terminating already.
fn victims(cycle: &Cycle<'_>, result: &PostFilterResult) -> usize {
    let PostFilterResult::Nominate(PreemptionPlan { evict, .. }) = result else { return 0 };
    let stays = |id: &PodId| cycle.cache.pod(*id).is_some_and(|known| !known.pod.deleting);
    if evict.iter().any(stays) { evict.len() } else { 0 }
}

/// Returns the status of a call whose results are per node. The call itself counts as a success.
fn success<R>(_: &R) -> &'static str {
    "Success"
}

impl Plugins for Metered<'_> {
    /// kube-scheduler's metrics have no such extension point.
    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        self.guests.skip(plugin, cycle)
    }

    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        let status = |held: &Option<Status>| if held.is_some() { "UnschedulableAndUnresolvable" } else { "Success" };
        self.ask(plugin, ExtensionPoints::PRE_ENQUEUE, cycle, status, |guests| guests.pre_enqueue(plugin, cycle))
    }

    /// kube-scheduler's metrics have no such extension point.
    fn sort_key(&mut self, plugin: PluginId, cycle: &Cycle<'_>, queued: Timestamp) -> Result<Box<[i64]>, PluginError> {
        self.guests.sort_key(plugin, cycle, queued)
    }

    fn pre_filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        let status = |result: &PreFilterResult| match result {
            PreFilterResult::All | PreFilterResult::Narrow(_) => "Success",
            PreFilterResult::Skip => "Skip",
            PreFilterResult::Reject(_) => "Unschedulable",
        };
        self.ask(plugin, ExtensionPoints::PRE_FILTER, cycle, status, |guests| guests.pre_filter(plugin, cycle))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        self.ask(plugin, ExtensionPoints::FILTER, cycle, success, |guests| guests.filter(plugin, cycle, nodes))
    }

    /// Counts as pre-filter, and stands for pre-filter and filter.
    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        let status = |said: &Option<Classified>| match said.as_ref().map(|said| &said.filter) {
            Some(ClassFilter::Skip) => "Skip",
            Some(ClassFilter::Reject(_)) => "Unschedulable",
            Some(ClassFilter::Verdicts(_)) | None => "Success",
        };
        self.ask(plugin, ExtensionPoints::PRE_FILTER, cycle, status, |guests| guests.classify(plugin, cycle, known))
    }

    /// Counts as score, and stands for pre-score, score and normalize.
    fn score_classes(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        self.ask(plugin, ExtensionPoints::SCORE, cycle, success, |guests| guests.score_classes(plugin, cycle, passed))
    }

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        self.ask(plugin, ExtensionPoints::FILTER, cycle, success, |guests| guests.filter_what_if(plugin, cycle, cases))
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
        let status = |result: &PostFilterResult| match result {
            PostFilterResult::Nominate(_) => "Success",
            PostFilterResult::Unschedulable { .. } => "Unschedulable",
        };
        let answer = self.ask(plugin, ExtensionPoints::POST_FILTER, cycle, status, |guests| {
            guests.post_filter(plugin, cycle, nodes, codes, leaving, ask)
        });
        if self.guests.name(plugin).is_some_and(|name| &*name == PREEMPTION) {
            self.meter.preemption_tried(answer.as_ref().map_or(0, |result| victims(cycle, result)));
        }
        answer
    }

    fn pre_score(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        let status = |result: &PreScoreResult| match result {
            PreScoreResult::Score => "Success",
            PreScoreResult::Skip => "Skip",
        };
        self.ask(plugin, ExtensionPoints::PRE_SCORE, cycle, status, |guests| guests.pre_score(plugin, cycle, nodes))
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        self.ask(plugin, ExtensionPoints::SCORE, cycle, success, |guests| guests.score(plugin, cycle, nodes))
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        self.ask(plugin, ExtensionPoints::NORMALIZE, cycle, success, |guests| {
            guests.normalize(plugin, cycle, nodes, scores)
        })
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        let status = |result: &Result<Reserved, Status>| if result.is_ok() { "Success" } else { "Unschedulable" };
        self.ask(plugin, ExtensionPoints::RESERVE, cycle, status, |guests| guests.reserve(plugin, cycle, node))
    }

    fn unreserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Vec<Intent> {
        let undo = self.ask(plugin, ExtensionPoints::UNRESERVE, cycle, success, |guests| {
            Ok(guests.unreserve(plugin, cycle, node, state, pre_bound))
        });
        // The closure always returns `Ok`.
        undo.unwrap_or_default()
    }

    fn permit(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Permission, PluginError> {
        let status = |permission: &Permission| match permission.decision {
            Decision::Approve => "Success",
            Decision::Deny(_) => "Unschedulable",
            Decision::Wait(_) => "Wait",
        };
        self.ask(plugin, ExtensionPoints::PERMIT, cycle, status, |guests| guests.permit(plugin, cycle, node, state))
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        self.ask(plugin, ExtensionPoints::PRE_BIND, cycle, success, |guests| {
            guests.pre_bind(plugin, cycle, node, state)
        })
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        let status = |intents: &Option<Vec<Intent>>| if intents.is_some() { "Success" } else { "Skip" };
        self.ask(plugin, ExtensionPoints::BIND, cycle, status, |guests| guests.bind(plugin, cycle, node, state))
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8]) {
        self.tell(plugin, ExtensionPoints::POST_BIND, cycle, |guests| guests.post_bind(plugin, cycle, node, state));
    }

    /// kube-scheduler's metrics have no such extension point.
    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        self.guests.queueing_hints(plugin, happened, pods)
    }

    fn point_begins(&mut self, point: ExtensionPoints, scheduler_name: &str) {
        self.meter.point_begins(point, scheduler_name);
    }

    fn point_ends(&mut self, outcome: PointOutcome) {
        self.meter.point_ends(outcome);
    }

    fn pre_bind_begins(&mut self, pod: &Pod) {
        self.meter.lasting_begins(ExtensionPoints::PRE_BIND, &pod.key.uid, &pod.spec.scheduler_name);
    }

    fn pre_bind_ends(&mut self, pod: &Pod, outcome: PointOutcome) {
        self.meter.lasting_ends(&pod.key.uid, outcome);
    }

    fn permit_wait_ends(&mut self, waited: Duration, outcome: PointOutcome) {
        self.meter.permit_wait_ended(waited, outcome);
    }

    fn forget_signatures(&mut self, facts: PodFacts, signatures: &[PodSignatureId]) {
        self.guests.forget_signatures(facts, signatures);
    }
}
