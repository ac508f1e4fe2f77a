//! The component's answers, counted by kind where the host accepts them. All other plugins must answer without a
//! failure.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use berth_core::cache::{NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::intent::Intent;
use berth_core::model::Pod;
use berth_core::plugins::{
    AskBack, ClassFilter, ClassScores, Classified, Code, Cycle, Decision, Hint, HintEvent, Passed, Permission,
    PluginError, PluginId, PodSignatureId, PostFilterResult, PreFilterResult, PreScoreResult, Reserved, Status,
    Verdicts, WhatIf,
};
use berth_core::{Plugins, Timestamp};
use berth_plugin_host::Guests;

use crate::component::{HOSTILE, OPEN};

/// All kinds of answers of the component.
const KINDS: &[&str] = &[
    "skip: no",
    "skip: yes",
    "pre-enqueue: no",
    "pre-enqueue: yes",
    "pre-filter: all",
    "pre-filter: narrow",
    "pre-filter: reject",
    "pre-filter: skip",
    "filter: all fit",
    "filter: some are rejected",
    "classify: no answer",
    "classify: reject",
    "classify: skip",
    "classify: verdicts",
    "score-classes",
    "filter-what-if",
    "post-filter: nominate",
    "post-filter: unschedulable",
    "pre-score: score",
    "pre-score: skip",
    "score",
    "normalize",
    "reserve: no",
    "reserve: yes",
    "reserve: yes, and assume",
    "unreserve",
    "unreserve, and change",
    "permit: allow others",
    "permit: approve",
    "permit: deny",
    "permit: reject others",
    "permit: wait",
    "pre-bind",
    "pre-bind: create",
    "pre-bind: delete",
    "pre-bind: evict",
    "pre-bind: patch",
    "pre-bind: wait",
    "bind: leave it to others",
    "bind: done",
    "bind: to be done",
    "hint: queue",
    "hint: skip",
];

/// The number of accepted answers by kind, and the number of failures.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    accepted: BTreeMap<&'static str, u64>,
    /// The number of failed calls: refused answers, traps, and calls that exceeded a limit.
    failed: u64,
    /// The number of plugin sets that were refused at load time.
    refused: u64,
}

impl Counts {
    /// Adds the counts of another seed.
    pub fn add(&mut self, other: Self) {
        for (kind, times) in other.accepted {
            *self.accepted.entry(kind).or_default() += times;
        }
        self.failed += other.failed;
        self.refused += other.refused;
    }

    /// Returns the counts for a seed whose plugins were refused at load time.
    pub fn refused() -> Self {
        Self { refused: 1, ..Self::default() }
    }

    /// Returns the kinds of answers of which none was accepted.
    pub fn never_accepted(&self) -> Vec<&'static str> {
        KINDS.iter().copied().filter(|kind| !self.accepted.contains_key(kind)).collect()
    }

    fn count(&mut self, kind: &'static str) {
        *self.accepted.entry(kind).or_default() += 1;
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (kind, times) in &self.accepted {
            writeln!(f, "{times:>10}  {kind}")?;
        }
        writeln!(f, "{:>10}  failed calls", self.failed)?;
        write!(f, "{:>10}  refused when loaded", self.refused)
    }
}

/// The answers of the plugins so far.
#[derive(Default)]
pub struct Heard {
    pub counts: Counts,
    /// Violations: failures that name the wrong plugin or no plugin.
    pub faults: Vec<String>,
    /// Whether the component could not be asked because a new instance of it is being made.
    pub is_made_anew: bool,
}

impl Heard {
    fn error(&mut self, asked: &str, about: &Pod, error: &PluginError) {
        // In the open profile, DefaultPreemption may report that the component's filter contradicts itself.
        if asked != &*error.plugin || *about.spec.scheduler_name != *OPEN && asked != HOSTILE {
            self.faults
                .push(format!("{asked} was asked about {}, and {} failed: {}", about.key, error.plugin, error.message));
        }
        if asked != HOSTILE {
            return;
        }
        if error.down {
            self.is_made_anew |= !error.message.contains("rests");
        } else {
            self.counts.failed += 1;
        }
    }

    fn intents(&mut self, intents: &[Intent]) {
        for intent in intents {
            self.counts.count(match intent {
                Intent::Patch(_) => "pre-bind: patch",
                Intent::WaitUntil(_) => "pre-bind: wait",
                Intent::Evict(..) => "pre-bind: evict",
                Intent::Create(..) => "pre-bind: create",
                Intent::Delete(_) => "pre-bind: delete",
                Intent::Assume(_) => return self.faults.push("pre-bind assumed an object".to_owned()),
            });
        }
    }
}

/// Passes every question on to the guests, and records the answers.
pub struct Listening<'a> {
    pub guests: &'a mut Guests,
    pub heard: &'a mut Heard,
}

impl Listening<'_> {
    /// Asks a plugin. Counts the answer if the plugin is the hostile component.
    fn hear<R>(
        &mut self,
        plugin: PluginId,
        about: &Pod,
        ask: impl FnOnce(&mut Guests) -> Result<R, PluginError>,
        count: impl FnOnce(&mut Heard, &R),
    ) -> Result<R, PluginError> {
        let name = self.guests.name(plugin).unwrap_or_default();
        let answer = ask(self.guests);
        match &answer {
            Ok(answer) if &*name == HOSTILE => count(self.heard, answer),
            Ok(_) => {}
            Err(error) => self.heard.error(&name, about, error),
        }
        answer
    }

    /// Asks a plugin as `hear` does, where each answer is of exactly one kind.
    fn hear_kind<R>(
        &mut self,
        plugin: PluginId,
        about: &Pod,
        ask: impl FnOnce(&mut Guests) -> Result<R, PluginError>,
        kind: impl FnOnce(&R) -> &'static str,
    ) -> Result<R, PluginError> {
        self.hear(plugin, about, ask, |heard, answer| heard.counts.count(kind(answer)))
    }
}

impl Plugins for Listening<'_> {
    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        let kind = |skips: &bool| if *skips { "skip: yes" } else { "skip: no" };
        self.hear_kind(plugin, cycle.pod, |guests| guests.skip(plugin, cycle), kind)
    }

    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        let kind = |status: &Option<Status>| if status.is_some() { "pre-enqueue: no" } else { "pre-enqueue: yes" };
        self.hear_kind(plugin, cycle.pod, |guests| guests.pre_enqueue(plugin, cycle), kind)
    }

    fn sort_key(&mut self, plugin: PluginId, cycle: &Cycle<'_>, queued: Timestamp) -> Result<Box<[i64]>, PluginError> {
        self.hear_kind(plugin, cycle.pod, |guests| guests.sort_key(plugin, cycle, queued), |_| "sort-key")
    }

    fn pre_filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        let kind = |result: &PreFilterResult| match result {
            PreFilterResult::All => "pre-filter: all",
            PreFilterResult::Skip => "pre-filter: skip",
            PreFilterResult::Narrow(_) => "pre-filter: narrow",
            PreFilterResult::Reject(_) => "pre-filter: reject",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.pre_filter(plugin, cycle), kind)
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let kind = |verdicts: &Verdicts| match verdicts.nodes.iter().all(|outcome| *outcome == 0) {
            true => "filter: all fit",
            false => "filter: some are rejected",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.filter(plugin, cycle, nodes), kind)
    }

    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        let kind = |classified: &Option<Classified>| match classified.as_ref().map(|classified| &classified.filter) {
            None => "classify: no answer",
            Some(ClassFilter::Skip) => "classify: skip",
            Some(ClassFilter::Reject(_)) => "classify: reject",
            Some(ClassFilter::Verdicts(_)) => "classify: verdicts",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.classify(plugin, cycle, known), kind)
    }

    fn score_classes(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        self.hear_kind(plugin, cycle.pod, |guests| guests.score_classes(plugin, cycle, passed), |_| "score-classes")
    }

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        self.hear_kind(plugin, cycle.pod, |guests| guests.filter_what_if(plugin, cycle, cases), |_| "filter-what-if")
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
        let kind = |result: &PostFilterResult| match result {
            PostFilterResult::Nominate(_) => "post-filter: nominate",
            PostFilterResult::Unschedulable { .. } => "post-filter: unschedulable",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.post_filter(plugin, cycle, nodes, codes, leaving, ask), kind)
    }

    fn pre_score(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        let kind = |result: &PreScoreResult| match result {
            PreScoreResult::Score => "pre-score: score",
            PreScoreResult::Skip => "pre-score: skip",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.pre_score(plugin, cycle, nodes), kind)
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        self.hear_kind(plugin, cycle.pod, |guests| guests.score(plugin, cycle, nodes), |_| "score")
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        self.hear_kind(plugin, cycle.pod, |guests| guests.normalize(plugin, cycle, nodes, scores), |_| "normalize")
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        let kind = |answer: &Result<Reserved, Status>| match answer {
            Ok(reserved) if reserved.intents.is_empty() => "reserve: yes",
            Ok(_) => "reserve: yes, and assume",
            Err(_) => "reserve: no",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.reserve(plugin, cycle, node), kind)
    }

    fn unreserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Vec<Intent> {
        let intents = self.guests.unreserve(plugin, cycle, node, state, pre_bound);
        if self.guests.name(plugin).as_deref() == Some(HOSTILE) {
            self.heard.counts.count(if intents.is_empty() { "unreserve" } else { "unreserve, and change" });
        }
        intents
    }

    fn permit(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Permission, PluginError> {
        let count = |heard: &mut Heard, permission: &Permission| {
            heard.counts.count(match permission.decision {
                Decision::Approve => "permit: approve",
                Decision::Deny(_) => "permit: deny",
                Decision::Wait(_) => "permit: wait",
            });
            if !permission.allow.is_empty() {
                heard.counts.count("permit: allow others");
            }
            if !permission.reject.is_empty() {
                heard.counts.count("permit: reject others");
            }
        };
        self.hear(plugin, cycle.pod, |guests| guests.permit(plugin, cycle, node, state), count)
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        let count = |heard: &mut Heard, intents: &Vec<Intent>| {
            heard.counts.count("pre-bind");
            heard.intents(intents);
        };
        self.hear(plugin, cycle.pod, |guests| guests.pre_bind(plugin, cycle, node, state), count)
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        let kind = |answer: &Option<Vec<Intent>>| match answer {
            None => "bind: leave it to others",
            Some(intents) if intents.is_empty() => "bind: done",
            Some(_) => "bind: to be done",
        };
        self.hear_kind(plugin, cycle.pod, |guests| guests.bind(plugin, cycle, node, state), kind)
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
        let Some(first) = pods.first() else { return Ok(Vec::new()) };
        let count = |heard: &mut Heard, hints: &Vec<Hint>| {
            for hint in hints {
                heard.counts.count(if *hint == Hint::Queue { "hint: queue" } else { "hint: skip" });
            }
        };
        self.hear(plugin, first.pod, |guests| guests.queueing_hints(plugin, happened, pods), count)
    }

    fn forget_signatures(&mut self, facts: PodFacts, signatures: &[PodSignatureId]) {
        self.guests.forget_signatures(facts, signatures);
    }
}

/// Returns whether this is the name of the hostile component.
pub fn is_hostile(plugin: &Arc<str>) -> bool {
    &**plugin == HOSTILE
}
