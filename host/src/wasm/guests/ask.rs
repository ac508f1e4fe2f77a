//! The core's questions.

use berth_core::cache::NodeId;
use berth_core::facts::PodFacts;
use berth_core::plugins::{
    Cycle, PluginError, PluginId, PreFilterResult, PreScoreResult, Status, TemplateId, Verdicts, WhatIf,
};
use berth_core::{Plugins, Timestamp};

use super::{Guests, Resident, slot};
use crate::wasm::guest::{CallError, Export, Instance};

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
            None => {
                Err(PluginError::failed(format!("number {}", plugin.0).into(), "is not loaded any more".to_owned()))
            }
        }
    }

    /// Most questions are one call of the instance.
    fn ask<R>(
        &mut self,
        plugin: PluginId,
        export: Export,
        cycle: &Cycle<'_>,
        call: impl FnOnce(&mut Instance) -> Result<R, CallError>,
    ) -> Result<R, PluginError> {
        self.ask_resident(plugin, export, cycle, |resident| call(resident.instance()))
    }
}

impl Plugins for Guests {
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

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        self.ask_resident(plugin, Export::FilterWhatIf, cycle, |resident| resident.filter_what_if(cycle, cases))
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

    fn forget_templates(&mut self, facts: PodFacts, templates: &[TemplateId]) {
        for slot in self.slots.iter_mut().filter(|slot| slot.entry.declaration.pod_facts == facts) {
            if let Some(resident) = slot.resident() {
                resident.forget(templates);
            }
        }
    }
}
