//! Implements [`berth_core::Plugins`]: forwards the core's calls to instances. The calls that are all alike are
//! generated from the table of the contract.

use std::sync::Arc;

use berth_core::Plugins;
use berth_core::cache::{NodeId, PodId};
use berth_core::intent::Intent;
use berth_core::plugins::{
    AskBack, Candidate, ClassScores, Classified, Code, Cycle, Hint, HintEvent, Passed, Permission, PluginError,
    PluginId, PodSignatureId, PostFilterResult, PreFilterResult, PreScoreResult, QueueTimes, Reserved, Status, Undone,
    Verdicts, WhatIf,
};
use berth_core::reads::PodReads;

use super::{Guests, Resident, slot};
use crate::contract::{Export, points};
use crate::guest::{Answer, CallError, Instance};

impl Guests {
    fn ask_resident<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Resident) -> Result<R, CallError>,
    ) -> Result<R, PluginError> {
        let Some(slot) = slot(&mut self.slots, plugin) else { return Err(not_loaded(plugin)) };
        if let Some(error) = self.failures.repeated(&slot.entry.declaration.name, export, cycle) {
            return Err(error);
        }
        let answer = slot.ask(export, cycle, &mut self.feeder, &self.rebuilder, call);
        answer.inspect_err(|error| self.failures.record(export, cycle, error))
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

    /// Makes a call whose failure does not affect the pod. The error is logged.
    fn ask_or_log<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Instance) -> Result<R, CallError>,
    ) -> Option<R> {
        let result = self.ask(plugin, export, cycle, call);
        result
            .inspect_err(|error| {
                let pod = &cycle.pod.key;
                tracing::warn!(%pod, function = %export, %error, "plugin call failed; continuing without its result");
            })
            .ok()
    }
}

fn not_loaded(plugin: PluginId) -> PluginError {
    PluginError::failed(format!("number {}", plugin.0).into(), "is no longer loaded".to_owned())
}

/// Generates the methods of [`Plugins`] that call one function of an instance.
macro_rules! instance_calls {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {$($($(
        fn $method(
            &mut self,
            plugin: PluginId,
            cycle: &Cycle<'_>,
            $($parameter: $type),*
        ) -> Result<$answer, PluginError> {
            self.ask(plugin, Export::$export, cycle, |instance| instance.$method(cycle, $($parameter),*))
        }
    )?)*)*};
}

impl Plugins for Guests {
    points!(instance_calls);

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
        let name = &self.slots[at].entry.declaration.name;
        if let Some(error) = self.failures.repeated(name, Export::PostFilter, cycle) {
            return Err(error);
        }
        let (mut slot, rebuilder) = (self.slots.remove(at), self.rebuilder.clone());
        let mut feeder = std::mem::take(&mut self.feeder);
        let result = slot.ask(Export::PostFilter, cycle, &mut feeder, &rebuilder, |resident| {
            resident.instance().post_filter(
                cycle,
                nodes,
                codes,
                leaving,
                &mut OtherPlugins { others: &mut *self, ask: &mut *ask },
            )
        });
        self.feeder = feeder;
        self.slots.insert(at, slot);
        result.inspect_err(|error| self.failures.record(Export::PostFilter, cycle, error))
    }

    fn unreserve(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8], pre_bound: bool) -> Undone {
        let undo = |instance: &mut Instance| instance.unreserve(cycle, node, state, pre_bound);
        self.ask_or_log(plugin, Export::Unreserve, cycle, undo).unwrap_or_default()
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8]) {
        let _ = self.ask_or_log(plugin, Export::PostBind, cycle, |instance| instance.post_bind(cycle, node, state));
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

    fn forget_signatures(&mut self, reads: &PodReads, signatures: &[PodSignatureId]) {
        for slot in self.slots.iter_mut().filter(|slot| slot.entry.declaration.pod == *reads) {
            if let Some(resident) = slot.resident() {
                resident.forget(signatures);
            }
        }
    }
}

/// Answers a post-filter's queries through the core, which calls the other plugins and the extenders.
struct OtherPlugins<'a> {
    others: &'a mut Guests,
    ask: &'a mut dyn AskBack,
}

impl Answer for OtherPlugins<'_> {
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        self.ask.what_if(&mut *self.others, cases)
    }

    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        self.ask.extenders(candidates)
    }
}
