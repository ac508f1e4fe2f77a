//! The component's answers, counted by kind where the host accepts them. All other plugins must answer without a
//! failure.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use berth_core::intent::Intent;
use berth_core::model::Pod;
use berth_core::plugins::{
    ClassFilter, Decision, Hint, Permission, PluginError, PodActions, PostFilterResult, PreFilterResult, PreScoreResult,
};
use berth_plugin_host::{CallObserver, Export, Guests, PluginAnswer, PluginCall};

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
    "filter of a hypothetical node",
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
    "permit: activate others",
    "permit: approve",
    "permit: approve others",
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
}

impl Heard {
    fn error(&mut self, asked: &str, about: &Pod, error: &PluginError) {
        // In the open profile, DefaultPreemption may report that the component's filter contradicts itself.
        if asked != &*error.plugin || *about.spec.scheduler_name != *OPEN && asked != HOSTILE {
            self.faults
                .push(format!("{asked} was asked about {}, and {} failed: {}", about.key, error.plugin, error.message));
        }
        if asked == HOSTILE && !error.down {
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

impl CallObserver for Heard {
    type Started = ();

    fn started(&mut self, _: &PluginCall<'_>) {}

    /// Counts the answer if the plugin is the hostile component.
    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        (): (),
        answer: Result<PluginAnswer<'_>, &PluginError>,
    ) {
        let name = guests.name(call.plugin).unwrap_or_default();
        match answer {
            Ok(answer) if &*name == HOSTILE => self.count(call.export, answer),
            Ok(_) => {}
            Err(error) => self.error(&name, call.cycle.pod, error),
        }
    }
}

impl Heard {
    fn count(&mut self, export: Export, answer: PluginAnswer<'_>) {
        match answer {
            PluginAnswer::Permit(permission) => self.permission(permission),
            PluginAnswer::PreBind(intents) => {
                self.counts.count("pre-bind");
                self.intents(intents);
            }
            PluginAnswer::Hints(hints) => {
                for hint in hints {
                    self.counts.count(if *hint == Hint::Queue { "hint: queue" } else { "hint: skip" });
                }
            }
            // The host ignores the outcome of post-bind, so the end of the call is not counted as an accepted answer.
            PluginAnswer::PostBind => {}
            answer => self.counts.count(kind(export, answer)),
        }
    }

    fn permission(&mut self, permission: &Permission) {
        self.counts.count(match permission.decision {
            Decision::Approve => "permit: approve",
            Decision::Deny(_) => "permit: deny",
            Decision::Wait(_) => "permit: wait",
        });
        let PodActions { approve, reject, activate } = &permission.pods;
        for (named, kind) in [
            (approve.len(), "permit: approve others"),
            (reject.len(), "permit: reject others"),
            (activate.len(), "permit: activate others"),
        ] {
            if named > 0 {
                self.counts.count(kind);
            }
        }
    }
}

/// Returns the kind of an answer that is of exactly one kind. Answers without kinds have the name of the function.
fn kind(export: Export, answer: PluginAnswer<'_>) -> &'static str {
    match answer {
        PluginAnswer::Skip(false) => "skip: no",
        PluginAnswer::Skip(true) => "skip: yes",
        PluginAnswer::PreEnqueue(Some(_)) => "pre-enqueue: no",
        PluginAnswer::PreEnqueue(None) => "pre-enqueue: yes",
        PluginAnswer::PreFilter(PreFilterResult::All) => "pre-filter: all",
        PluginAnswer::PreFilter(PreFilterResult::Skip) => "pre-filter: skip",
        PluginAnswer::PreFilter(PreFilterResult::Narrow(_)) => "pre-filter: narrow",
        PluginAnswer::PreFilter(PreFilterResult::Reject(_)) => "pre-filter: reject",
        PluginAnswer::Filter(verdicts) if verdicts.nodes.iter().all(|outcome| *outcome == 0) => "filter: all fit",
        PluginAnswer::Filter(_) => "filter: some are rejected",
        PluginAnswer::Classify(classified) => match classified.as_ref().map(|classified| &classified.filter) {
            None => "classify: no answer",
            Some(ClassFilter::Skip) => "classify: skip",
            Some(ClassFilter::Reject(_)) => "classify: reject",
            Some(ClassFilter::Verdicts(_)) => "classify: verdicts",
        },
        PluginAnswer::PostFilter(PostFilterResult::Nominate(_)) => "post-filter: nominate",
        PluginAnswer::PostFilter(PostFilterResult::Unschedulable { .. }) => "post-filter: unschedulable",
        PluginAnswer::PreScore(PreScoreResult::Score) => "pre-score: score",
        PluginAnswer::PreScore(PreScoreResult::Skip) => "pre-score: skip",
        PluginAnswer::Reserve(Ok(reserved)) if reserved.intents.is_empty() => "reserve: yes",
        PluginAnswer::Reserve(Ok(_)) => "reserve: yes, and assume",
        PluginAnswer::Reserve(Err(_)) => "reserve: no",
        PluginAnswer::Unreserve([]) => "unreserve",
        PluginAnswer::Unreserve(_) => "unreserve, and change",
        PluginAnswer::Bind(None) => "bind: leave it to others",
        PluginAnswer::Bind(Some(intents)) if intents.is_empty() => "bind: done",
        PluginAnswer::Bind(Some(_)) => "bind: to be done",
        _ => export.name(),
    }
}

/// Returns true if this is the name of the hostile component.
pub fn is_hostile(plugin: &Arc<str>) -> bool {
    &**plugin == HOSTILE
}
