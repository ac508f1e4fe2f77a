//! Implements [`berth_core::Plugins`]: forwards the core's calls to instances.

use std::sync::Arc;

use berth_core::cache::{NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::intent::Intent;
use berth_core::plugins::{
    AskBack, Candidate, ClassScores, Classified, Code, Cycle, Hint, HintEvent, Passed, Permission, PluginError,
    PluginId, PodSignatureId, PostFilterResult, PreFilterResult, PreScoreResult, Reserved, Status, Verdicts, WhatIf,
};
use berth_core::{Plugins, Timestamp};

use super::{Guests, Resident, slot};
use crate::guest::{Answer, CallError, Export, Instance};

impl Guests {
    fn ask_resident<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Resident) -> Result<R, CallError>,
    ) -> Result<R, PluginError> {
        match slot(&mut self.slots, plugin) {
            Some(slot) => slot.ask(export, cycle, &mut self.feeder, &self.rebuilder, call),
            None => Err(not_loaded(plugin)),
        }
    }

    /// Calls one function of the instance.
    fn ask<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Instance) -> Result<R, CallError>,
    ) -> Result<R, PluginError> {
        self.ask_resident(plugin, export, cycle, |resident| call(resident.instance()))
    }

    /// Makes a call whose failure can't change the result. The error is logged.
    fn tell<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Instance) -> Result<R, CallError>,
    ) -> Option<R> {
        let told = self.ask(plugin, export, cycle, call);
        told.inspect_err(|error| tracing::warn!("pod {}: could not tell {export}: {error}", cycle.pod.key)).ok()
    }
}

fn not_loaded(plugin: PluginId) -> PluginError {
    PluginError::failed(format!("number {}", plugin.0).into(), "is not loaded any more".to_owned())
}

impl Plugins for Guests {
    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        self.ask(plugin, Export::Skip, cycle, |instance| instance.skip(cycle))
    }

    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        self.ask(plugin, Export::PreEnqueue, cycle, |instance| instance.pre_enqueue(cycle))
    }

    fn sort_key(&mut self, plugin: PluginId, cycle: &Cycle<'_>, queued: Timestamp) -> Result<Box<[i64]>, PluginError> {
        self.ask(plugin, Export::SortKey, cycle, |instance| instance.sort_key(cycle, queued))
    }

    fn pre_filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        self.ask(plugin, Export::PreFilter, cycle, |instance| instance.pre_filter(cycle))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        self.ask(plugin, Export::Filter, cycle, |instance| instance.filter(cycle, nodes))
    }

    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        self.ask(plugin, Export::Classify, cycle, |instance| instance.classify(cycle, known))
    }

    fn score_classes(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        self.ask(plugin, Export::ScoreClasses, cycle, |instance| instance.score_classes(cycle, passed))
    }

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        self.ask_resident(plugin, Export::FilterWhatIf, cycle, |resident| resident.filter_what_if(cycle, cases))
    }

    /// Takes the plugin's slot out during the call, because its what-if queries go to the other plugins.
    fn post_filter(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        leaving: &[PodId],
        ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        let Ok(at) = self.slots.binary_search_by_key(&plugin, |slot| slot.id) else { return Err(not_loaded(plugin)) };
        let (mut slot, rebuilder) = (self.slots.remove(at), self.rebuilder.clone());
        let mut feeder = std::mem::take(&mut self.feeder);
        let result = slot.ask(Export::PostFilter, cycle, &mut feeder, &rebuilder, |resident| {
            resident.instance().post_filter(
                cycle,
                nodes,
                codes,
                leaving,
                &mut ByOthers { others: &mut *self, ask: &mut *ask },
            )
        });
        self.feeder = feeder;
        self.slots.insert(at, slot);
        result
    }

    fn pre_score(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        self.ask(plugin, Export::PreScore, cycle, |instance| instance.pre_score(cycle, nodes))
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        self.ask(plugin, Export::Score, cycle, |instance| instance.score(cycle, nodes))
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        self.ask(plugin, Export::Normalize, cycle, |instance| instance.normalize(cycle, nodes, scores))
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        self.ask(plugin, Export::Reserve, cycle, |instance| instance.reserve(cycle, node))
    }

    fn unreserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Vec<Intent> {
        let undo = |instance: &mut Instance| instance.unreserve(cycle, node, state, pre_bound);
        self.tell(plugin, Export::Unreserve, cycle, undo).unwrap_or_default()
    }

    fn permit(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Permission, PluginError> {
        self.ask(plugin, Export::Permit, cycle, |instance| instance.permit(cycle, node, state))
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        self.ask(plugin, Export::PreBind, cycle, |instance| instance.pre_bind(cycle, node, state))
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        self.ask(plugin, Export::Bind, cycle, |instance| instance.bind(cycle, node, state))
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8]) {
        let _ = self.tell(plugin, Export::PostBind, cycle, |instance| instance.post_bind(cycle, node, state));
    }

    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        let Some(first) = pods.first() else { return Ok(Vec::new()) };
        self.ask_resident(plugin, Export::Hints, first, |resident| {
            for pod in pods {
                resident.hold(pod.signature, pod.pod)?;
            }
            for (template, pod) in happened.pods() {
                resident.hold(template, pod)?;
            }
            let declaration = Arc::clone(resident.declaration());
            resident.instance().hints(happened, pods, &declaration)
        })
    }

    fn forget_signatures(&mut self, facts: PodFacts, signatures: &[PodSignatureId]) {
        for slot in self.slots.iter_mut().filter(|slot| slot.entry.declaration.pod_facts == facts) {
            if let Some(resident) = slot.resident() {
                resident.forget(signatures);
            }
        }
    }
}

/// Answers a post-filter's queries. What-if queries go to all other plugins.
struct ByOthers<'a> {
    others: &'a mut Guests,
    ask: &'a mut dyn AskBack,
}

impl Answer for ByOthers<'_> {
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        self.ask.what_if(&mut *self.others, cases)
    }

    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        self.ask.extenders(candidates)
    }
}
