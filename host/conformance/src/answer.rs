//! An answer of a plugin at one extension point, which can be compared and displayed.

use std::fmt;

use berth_core::intent::Intent;
use berth_core::plugins::{Permission, PostFilterResult, PreFilterResult, PreScoreResult, Reserved, Status, Undone};

use berth_plugin_host::CallError;
use berth_plugin_host::Export;
use berth_plugin_host::asking::{BindingAnswers, Filtered, Scored};

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer of skip.
    Skip(bool),
    /// The answer of pre-enqueue: the reason to hold the pod back, or `None`.
    PreEnqueue(Option<Status>),
    /// The answer of sort-key.
    SortKey(Box<[i64]>),
    /// The answer of pre-filter.
    PreFilter(PreFilterResult),
    /// The answer of filter for a node: the status, or `None` if the pod fits.
    Verdict(Option<Status>),
    /// The answer of post-filter.
    PostFilter(PostFilterResult),
    /// The answer of pre-score.
    PreScore(PreScoreResult),
    /// The answer of score or normalize for a node.
    Score(i64),
    /// The answer of reserve: the reserved data, or the status of the failure.
    Reserved(Result<Reserved, Status>),
    /// The answer of permit.
    Permission(Permission),
    /// The answer of unreserve.
    Undone(Undone),
    /// The answer of pre-bind or bind: the intents. `None` if the plugin leaves the binding to others.
    Intents(Option<Vec<Intent>>),
    /// The call failed.
    Failed(CallError),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skip(true) => f.write_str("skip"),
            Self::Skip(false) => f.write_str("don't skip"),
            Self::PreEnqueue(None) => f.write_str("enqueue"),
            Self::SortKey(key) => write!(f, "{key:?}"),
            Self::PreFilter(PreFilterResult::All) => f.write_str("all nodes"),
            Self::PreFilter(PreFilterResult::Skip) | Self::PreScore(PreScoreResult::Skip) => f.write_str("skip"),
            Self::PreFilter(PreFilterResult::Narrow(names)) => write!(f, "only the nodes [{}]", names.join(" ")),
            Self::PreFilter(PreFilterResult::Reject(status))
            | Self::Verdict(Some(status))
            | Self::Reserved(Err(status))
            | Self::PreEnqueue(Some(status)) => {
                write!(f, "{:?} ({})", status.code, status.reasons.join(", "))
            }
            Self::Verdict(None) => f.write_str("fits"),
            Self::PostFilter(PostFilterResult::Nominate(plan)) => {
                let pods: Vec<u32> = plan.evict.iter().map(|pod| pod.0).collect();
                write!(f, "nominate node id {}, evict pod ids {pods:?} ({})", plan.node.0, plan.reason)?;
                if plan.pods.is_empty() { Ok(()) } else { write!(f, ", {:?}", plan.pods) }
            }
            Self::PostFilter(PostFilterResult::Unschedulable { reasons, clear, intents, pods }) => {
                let cleared = if *clear { ", clear the nomination" } else { "" };
                write!(f, "unschedulable ({}){cleared}", reasons.join(", "))?;
                if !intents.is_empty() {
                    write!(f, ", {intents:?}")?;
                }
                if pods.is_empty() { Ok(()) } else { write!(f, ", {pods:?}") }
            }
            Self::PreScore(PreScoreResult::Score) => f.write_str("score the nodes"),
            Self::Score(score) => score.fmt(f),
            Self::Reserved(Ok(reserved)) => {
                write!(f, "{} bytes reserved, {:?}", reserved.state.len(), reserved.intents)
            }
            Self::Permission(permission) => write!(f, "{permission:?}"),
            Self::Undone(Undone { intents, pods }) => {
                write!(f, "{intents:?}")?;
                if pods.is_empty() { Ok(()) } else { write!(f, ", {pods:?}") }
            }
            Self::Intents(None) => f.write_str("leave the binding to other plugins"),
            Self::Intents(Some(intents)) => write!(f, "{intents:?}"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// An answer with its extension point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub export: Export,
    /// The index of the node among the nodes in question; `None` at an extension point that is called once per cycle.
    pub at: Option<usize>,
    pub answer: Answer,
}

/// All answers of a plugin in a cycle, in order. A new extension point must add its answers here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers(pub Vec<Line>);

impl Answers {
    pub fn add_filtered(&mut self, filtered: Filtered) {
        self.add(Export::PreFilter, Answer::PreFilter(filtered.pre_filter));
        self.add_each(Export::Filter, filtered.rejected.into_iter().map(Answer::Verdict));
    }

    pub fn add_scored(&mut self, scored: Option<Scored>) {
        match scored {
            None => self.add(Export::PreScore, Answer::PreScore(PreScoreResult::Skip)),
            Some(scored) => {
                self.add(Export::PreScore, Answer::PreScore(PreScoreResult::Score));
                self.add_each(Export::Score, scored.raw.into_iter().map(Answer::Score));
                self.add_each(Export::Normalize, scored.normalized.into_iter().map(Answer::Score));
            }
        }
    }

    pub fn add_binding_answers(&mut self, answers: BindingAnswers) {
        self.add(Export::Reserve, Answer::Reserved(answers.reserved));
        self.add(Export::Permit, Answer::Permission(answers.permission));
        self.add(Export::PreBind, Answer::Intents(Some(answers.pre_bind)));
        self.add(Export::Bind, Answer::Intents(answers.bind));
        self.add(Export::Unreserve, Answer::Undone(answers.undone));
    }

    pub fn add(&mut self, export: Export, answer: Answer) {
        self.0.push(Line { export, at: None, answer });
    }

    fn add_each(&mut self, export: Export, answers: impl Iterator<Item = Answer>) {
        self.0.extend(answers.enumerate().map(|(at, answer)| Line { export, at: Some(at), answer }));
    }

    /// Returns the answer at an extension point that is called once per cycle.
    pub fn of(&self, export: Export) -> Option<&Answer> {
        self.0.iter().find(|line| line.export == export && line.at.is_none()).map(|line| &line.answer)
    }

    /// Returns the first pair of answers at the same index that differ. Ignores answers that only one side has.
    pub fn first_difference<'a>(&'a self, other: &'a Self) -> Option<(&'a Line, &'a Line)> {
        self.0.iter().zip(&other.0).find(|(here, there)| here != there)
    }
}
