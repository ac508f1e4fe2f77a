//! Wraps the guests and counts what the core asks them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use berth_core::cache::{NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::intent::Intent;
use berth_core::plugins::{
    AskBack, ClassScores, Classified, Code, Cycle, Hint, HintEvent, Passed, Permission, PluginError, PluginId,
    PodSignatureId, PostFilterResult, PreFilterResult, PreScoreResult, Reserved, Status, Verdicts, WhatIf,
};
use berth_core::{Plugins, Timestamp};
use berth_plugin_host::{Guests, Usage};
use rustix::time::{ClockId, clock_gettime};

/// The number of calls from the core, by plugin name.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// The number of nodes in all filter and score questions.
    pub nodes: BTreeMap<Arc<str>, u64>,
    /// The CPU time of the plugin's answers, including the calls that bring its component up to date. Empty unless
    /// [`super::Setup::times_questions`] is set: reading the clock costs about as much as a call that does nothing.
    pub time: BTreeMap<Arc<str>, Duration>,
    /// The number of calls into the component, of any kind.
    pub calls: BTreeMap<Arc<str>, u64>,
    /// The approximate number of instructions of these calls, where [`super::Setup::counts_work`] is set.
    pub fuel: BTreeMap<Arc<str>, u64>,
    /// The number of bytes of their arguments and results, where [`super::Setup::counts_work`] is set.
    pub bytes: BTreeMap<Arc<str>, u64>,
    /// The values of the components' counters at the start of this count.
    before: BTreeMap<Arc<str>, Usage>,
}

impl Questions {
    /// Returns the number of nodes, for all plugins together.
    #[must_use]
    pub fn all_nodes(&self) -> u64 {
        self.nodes.values().sum()
    }

    /// Returns the number of calls into all components.
    #[must_use]
    pub fn all_calls(&self) -> u64 {
        self.calls.values().sum()
    }

    /// Returns the number of instructions in all components.
    #[must_use]
    pub fn all_fuel(&self) -> u64 {
        self.fuel.values().sum()
    }

    /// Returns the number of bytes into and out of all components.
    #[must_use]
    pub fn all_bytes(&self) -> u64 {
        self.bytes.values().sum()
    }

    /// Completes this count with the components' counters as of now. The count `next` starts from the same values.
    pub(super) fn count_up_to(&mut self, now: BTreeMap<Arc<str>, Usage>, next: &mut Self) {
        let since = |counter: fn(&Usage) -> u64| {
            let before = |name| self.before.get(name).map(counter).unwrap_or_default();
            now.iter().map(|(name, usage)| (Arc::clone(name), counter(usage).saturating_sub(before(name)))).collect()
        };
        let [calls, fuel, bytes] = [since(|usage| usage.calls), since(|usage| usage.fuel), since(|usage| usage.bytes)];
        (self.calls, self.fuel, self.bytes) = (calls, fuel, bytes);
        next.before = now;
    }
}

/// Passes every question on to the guests, and counts it.
pub(super) struct Counted<'a> {
    pub guests: &'a mut Guests,
    pub questions: &'a mut Questions,
    /// Whether to measure CPU time.
    pub times: bool,
}

/// Returns the CPU time of this thread so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

impl Counted<'_> {
    fn nodes(&mut self, plugin: PluginId, nodes: usize) {
        let name = self.guests.name(plugin).unwrap_or_default();
        *self.questions.nodes.entry(name).or_default() += nodes as u64;
    }

    fn timed<R>(&mut self, plugin: PluginId, ask: impl FnOnce(&mut Guests) -> R) -> R {
        if !self.times {
            return ask(self.guests);
        }
        let began = cpu_time();
        let answer = ask(self.guests);
        let took = cpu_time().saturating_sub(began);
        let name = self.guests.name(plugin).unwrap_or_default();
        *self.questions.time.entry(name).or_default() += took;
        answer
    }
}

impl Plugins for Counted<'_> {
    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        self.timed(plugin, |guests| guests.skip(plugin, cycle))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        self.nodes(plugin, nodes.len());
        self.timed(plugin, |guests| guests.filter(plugin, cycle, nodes))
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        self.nodes(plugin, nodes.len());
        self.timed(plugin, |guests| guests.score(plugin, cycle, nodes))
    }

    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        self.timed(plugin, |guests| guests.classify(plugin, cycle, known))
    }

    fn score_classes(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        self.timed(plugin, |guests| guests.score_classes(plugin, cycle, passed))
    }

    fn pre_score(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        self.timed(plugin, |guests| guests.pre_score(plugin, cycle, nodes))
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        self.timed(plugin, |guests| guests.normalize(plugin, cycle, nodes, scores))
    }

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        self.nodes(plugin, cases.len());
        self.timed(plugin, |guests| guests.filter_what_if(plugin, cycle, cases))
    }

    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        self.guests.pre_enqueue(plugin, cycle)
    }

    fn sort_key(&mut self, plugin: PluginId, cycle: &Cycle<'_>, queued: Timestamp) -> Result<Box<[i64]>, PluginError> {
        self.guests.sort_key(plugin, cycle, queued)
    }

    fn pre_filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        self.timed(plugin, |guests| guests.pre_filter(plugin, cycle))
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
        self.guests.post_filter(plugin, cycle, nodes, codes, leaving, ask)
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        self.timed(plugin, |guests| guests.reserve(plugin, cycle, node))
    }

    fn unreserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Vec<Intent> {
        self.guests.unreserve(plugin, cycle, node, state, pre_bound)
    }

    fn permit(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Permission, PluginError> {
        self.timed(plugin, |guests| guests.permit(plugin, cycle, node, state))
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        self.timed(plugin, |guests| guests.pre_bind(plugin, cycle, node, state))
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        self.timed(plugin, |guests| guests.bind(plugin, cycle, node, state))
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, node: &str, state: &[u8]) {
        self.guests.post_bind(plugin, cycle, node, state);
    }

    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        self.guests.queueing_hints(plugin, happened, pods)
    }

    fn forget_signatures(&mut self, facts: PodFacts, signatures: &[PodSignatureId]) {
        self.guests.forget_signatures(facts, signatures);
    }
}
