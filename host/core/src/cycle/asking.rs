//! Asks plugins, through the result cache.

use super::SchedulingCycle;
use super::feasible::Feasible;
use crate::cache::NodeId;
use crate::plugins::{
    Cycle, ExtensionPoints, MOST_OUTCOMES, PluginError, Plugins, PodSignatureId, PreFilterResult, PreScoreResult,
    Scope, Status, Verdicts, WhatIf,
};
use crate::profile::ProfilePlugin;
use crate::results::{FactNodeSignatures, PluginResults};

/// The place of an answer in the result cache.
struct Cached<R> {
    /// The scope that the plugin declares for the answer.
    scope: Scope,
    of: fn(&mut PluginResults) -> &mut Option<R>,
}

impl SchedulingCycle<'_> {
    /// Returns the pod signature for this plugin. The signature is looked up once in a cycle for each set of fields.
    pub(super) fn signature_for(&mut self, plugin: &ProfilePlugin) -> PodSignatureId {
        let known = &self.lookups.signatures;
        if let Some((.., signature)) = known.iter().find(|(known, ..)| *known == plugin.id) {
            return *signature;
        }
        let set = self.results.pod_signatures.set_of(&plugin.declaration.pod);
        let signature = match known.iter().find(|(_, known, _)| *known == set) {
            Some((.., signature)) => *signature,
            None => self.results.pod_signatures.in_set(set, self.pod, self.number),
        };
        self.lookups.signatures.push((plugin.id, set, signature));
        signature
    }

    /// Returns the cached results of the plugin about the pod. Results that depend on the cluster may be stale.
    pub(super) fn results_of(&mut self, plugin: &ProfilePlugin) -> &mut PluginResults {
        let signature = self.signature_for(plugin);
        self.results.of(plugin.id, signature, self.number)
    }

    /// Returns the current results of the plugin about the pod, and the node signatures in the facts that the plugin
    /// reads.
    pub(super) fn current(&mut self, plugin: &ProfilePlugin) -> (&mut PluginResults, &FactNodeSignatures) {
        let signature = self.signature_for(plugin);
        self.results.current(plugin, signature, self.number, self.cache)
    }

    /// Returns whether the plugin's answers of this scope are cached.
    pub(super) fn keeps(&self, plugin: &ProfilePlugin, scope: Scope) -> bool {
        self.results.is_enabled() && scope == Scope::Node && !self.results.is_distrusted(plugin.id)
    }

    /// Returns whether the plugin skips the pod.
    pub(super) fn skips(&mut self, plugin: &ProfilePlugin) -> bool {
        if !plugin.declaration.points.contains(ExtensionPoints::SKIP) || self.results.is_distrusted(plugin.id) {
            return false;
        }
        let signature = self.signature_for(plugin);
        let cycle = self.about(plugin, signature);
        self.results.skips(plugin, &cycle, self.plugins)
    }

    pub(super) fn pre_filter(&mut self, plugin: &ProfilePlugin) -> Result<PreFilterResult, PluginError> {
        let known = match self.skips(plugin) {
            true => Some(PreFilterResult::Skip),
            false => self.by_class(plugin)?.map(|answer| answer.pre_filter()),
        };
        let cached = Cached { scope: plugin.declaration.filter_scope, of: |results| &mut results.pre_filter };
        self.asked_once(plugin, known, cached, "pre-filter answer", |cycle| {
            let (plugins, cycle) = cycle.call(plugin);
            plugins.pre_filter(plugin.id, &cycle)
        })
    }

    pub(super) fn pre_score(
        &mut self,
        plugin: &ProfilePlugin,
        feasible: &Feasible<'_>,
    ) -> Result<PreScoreResult, PluginError> {
        let known = match self.skips(plugin) {
            true => Some(PreScoreResult::Skip),
            false => self.by_class(plugin)?.map(|answer| answer.pre_score()),
        };
        let cached = Cached { scope: plugin.declaration.score_scope, of: |results| &mut results.pre_score };
        self.asked_once(plugin, known, cached, "pre-score answer", |cycle| cycle.fresh_pre_score(plugin, feasible))
    }

    /// Returns the plugin's answer to a call that a cycle makes at most once. `known` is the answer that follows from
    /// the plugin's answer to skip or classify. With `known`, the call is only made in a cycle that verifies, to
    /// compare the answers. Without `known`, an answer of scope node is cached.
    fn asked_once<R: Clone + PartialEq>(
        &mut self,
        plugin: &ProfilePlugin,
        known: Option<R>,
        cached: Cached<R>,
        kind: &str,
        ask: impl FnOnce(&mut Self) -> Result<R, PluginError>,
    ) -> Result<R, PluginError> {
        if let Some(known) = known {
            if !self.verify {
                return Ok(known);
            }
            let fresh = ask(self)?;
            if fresh != known {
                self.distrust_about(plugin, kind);
            }
            return Ok(fresh);
        }
        if !self.keeps(plugin, cached.scope) {
            return ask(self);
        }
        if let Some(answer) = (cached.of)(self.results_of(plugin)) {
            return Ok(answer.clone());
        }
        let answer = ask(self)?;
        *(cached.of)(self.results_of(plugin)) = Some(answer.clone());
        Ok(answer)
    }

    /// Asks the plugin for pre-score. A plugin of scope node gets no nodes, because its answer must not depend on them.
    fn fresh_pre_score(
        &mut self,
        plugin: &ProfilePlugin,
        feasible: &Feasible<'_>,
    ) -> Result<PreScoreResult, PluginError> {
        let by_signature = plugin.declaration.score_scope == Scope::Node;
        let nodes = if by_signature { &[] } else { self.listed(&feasible.nodes)? };
        let (plugins, cycle) = self.call(plugin);
        plugins.pre_score(plugin.id, &cycle, nodes)
    }

    /// Returns a verdict for each of `nodes`.
    pub(super) fn filter(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let known = match self.by_class(plugin)? {
            Some(answer) => self.verdicts_by_class(plugin, &answer, nodes)?,
            None if self.keeps(plugin, plugin.declaration.filter_scope) => self.cached_verdicts(plugin, nodes)?,
            None => return self.fresh_verdicts(plugin, nodes),
        };
        if !self.verify {
            return Ok(known);
        }
        let fresh = self.fresh_verdicts(plugin, nodes)?;
        self.distrust(plugin, nodes, "verdict", |at| verdict(&known, *at) != verdict(&fresh, *at));
        Ok(fresh)
    }

    /// Returns the verdicts on these nodes. Asks the plugin only about nodes without a cached verdict.
    fn cached_verdicts(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let (mut results, mut node_signatures) = self.current(plugin);
        let mut missing = results.verdicts.missing(node_signatures, nodes);
        while !missing.is_empty() {
            let fresh = self.fresh_verdicts(plugin, &missing)?;
            (results, node_signatures) = self.current(plugin);
            // If the plugin gave too many different reasons, all cached verdicts are dropped and the other nodes are
            // asked about again. This happens at most once, because two answers together stay below the limit.
            let dropped = results.set_verdicts(node_signatures, &missing, &fresh);
            missing = if dropped { results.verdicts.missing(node_signatures, nodes) } else { Vec::new() };
        }
        Ok(results.verdicts(node_signatures, nodes))
    }

    /// Returns a raw score for each of `nodes`.
    pub(super) fn score(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        if !self.keeps(plugin, plugin.declaration.score_scope) {
            return self.fresh_scores(plugin, nodes);
        }
        let (mut results, mut node_signatures) = self.current(plugin);
        let missing = results.scores.missing(node_signatures, nodes);
        if !missing.is_empty() {
            let fresh = self.fresh_scores(plugin, &missing)?;
            (results, node_signatures) = self.current(plugin);
            results.scores.set(node_signatures, &missing, fresh);
        }
        let score = |node: &NodeId| results.scores.get(node_signatures, *node).unwrap_or_default();
        let scores: Vec<i64> = nodes.iter().map(score).collect();
        if !self.verify {
            return Ok(scores);
        }
        let fresh = self.fresh_scores(plugin, nodes)?;
        self.distrust(plugin, nodes, "score", |at| scores[*at] != fresh[*at]);
        Ok(fresh)
    }

    pub(super) fn normalize(
        &mut self,
        plugin: &ProfilePlugin,
        nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        let (plugins, cycle) = self.call(plugin);
        let normalized = plugins.normalize(plugin.id, &cycle, nodes, scores)?;
        right_length(plugin, "normalize", normalized.len(), nodes.len(), "nodes")?;
        Ok(normalized)
    }

    fn fresh_verdicts(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let (plugins, cycle) = self.call(plugin);
        let verdicts = plugins.filter(plugin.id, &cycle, nodes)?;
        check_number(plugin, "filter", &verdicts)?;
        checked(plugin, verdicts, nodes.len())
    }

    pub(super) fn fresh_verdicts_if(
        &mut self,
        plugin: &ProfilePlugin,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        let (plugins, cycle) = self.call(plugin);
        let verdicts = plugins.filter_what_if(plugin.id, &cycle, cases)?;
        checked(plugin, verdicts, cases.len())
    }

    fn fresh_scores(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        let (plugins, cycle) = self.call(plugin);
        let scores = plugins.score(plugin.id, &cycle, nodes)?;
        right_length(plugin, "score", scores.len(), nodes.len(), "nodes")?;
        Ok(scores)
    }

    /// Returns the plugins and the argument [`Cycle`] of a call to the plugin, as two separate borrows of `self`.
    pub(super) fn call(&mut self, plugin: &ProfilePlugin) -> (&mut dyn Plugins, Cycle<'_>) {
        let signature = self.signature_for(plugin);
        let cycle = self.about(plugin, signature);
        (&mut *self.plugins, cycle)
    }
}

impl<'a> SchedulingCycle<'a> {
    /// Returns the argument [`Cycle`] of a call to the plugin.
    pub(super) fn about(&self, plugin: &ProfilePlugin, signature: PodSignatureId) -> Cycle<'a> {
        Cycle {
            id: self.number,
            time: self.time,
            seed: plugin_seed(self.seed, self.number, &plugin.declaration.name),
            signature,
            pod: self.pod,
            cache: self.cache,
        }
    }
}

/// Returns the rejection at this index of `verdicts.nodes`, or `None` if the pod fits.
pub(super) fn verdict(verdicts: &Verdicts, at: usize) -> Option<&Status> {
    verdicts.outcomes.get(usize::from(verdicts.nodes[at]).checked_sub(1)?)
}

/// Checks that there is a verdict for each node, and that each verdict names an existing outcome.
fn checked(plugin: &ProfilePlugin, verdicts: Verdicts, asked: usize) -> Result<Verdicts, PluginError> {
    right_length(plugin, "filter", verdicts.nodes.len(), asked, "nodes")?;
    check_outcomes(plugin, &verdicts)?;
    Ok(verdicts)
}

/// Checks that one answer has no more different outcomes than the contract allows.
pub(super) fn check_number(plugin: &ProfilePlugin, call: &str, verdicts: &Verdicts) -> Result<(), PluginError> {
    let outcomes = verdicts.outcomes.len();
    if outcomes <= MOST_OUTCOMES {
        return Ok(());
    }
    let message = format!("{call} gave {outcomes} different outcomes, where {MOST_OUTCOMES} are the most");
    Err(plugin.failed(message))
}

/// Checks that each verdict names an existing outcome.
pub(super) fn check_outcomes(plugin: &ProfilePlugin, verdicts: &Verdicts) -> Result<(), PluginError> {
    match verdicts.nodes.iter().find(|answer| usize::from(**answer) > verdicts.outcomes.len()) {
        Some(answer) => Err(plugin.failed(format!("filter named outcome {answer} of {}", verdicts.outcomes.len()))),
        None => Ok(()),
    }
}

pub(super) fn right_length(
    plugin: &ProfilePlugin,
    call: &str,
    got: usize,
    wanted: usize,
    what: &str,
) -> Result<(), PluginError> {
    if got == wanted {
        return Ok(());
    }
    Err(plugin.failed(format!("{call} gave {got} answers about {wanted} {what}")))
}

/// Returns the seed for one cycle and plugin: the finalizer of SplitMix64 over the numbers and the FNV-1a hash of the
/// plugin's name. The name and not the id, so that the same plugin gets the same seed in a replay, where it may have
/// another id.
#[must_use]
pub fn plugin_seed(seed: u64, cycle: u64, plugin: &str) -> u64 {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let plugin = plugin.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    let mut z = seed ^ cycle.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ plugin;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
