//! What a plugin said at one extension point, in a form that can be compared and read.

use std::fmt;

use berth_core::intent::Intent;
use berth_core::plugins::{Permission, PostFilterResult, PreFilterResult, PreScoreResult, Reserved, Status};

use crate::asking::{Filtered, Scored, Settled};
use crate::guest::{CallError, Export};

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Of skip.
    Skip(bool),
    /// Of pre-enqueue: why the pod is held back, or that it is not.
    PreEnqueue(Option<Status>),
    /// Of sort-key.
    SortKey(Box<[i64]>),
    /// Of pre-filter.
    PreFilter(PreFilterResult),
    /// Of filter about a node: why not, or that it fits.
    Verdict(Option<Status>),
    /// Of post-filter.
    PostFilter(PostFilterResult),
    /// Of pre-score.
    PreScore(PreScoreResult),
    /// Of score or normalize about a node.
    Score(i64),
    /// Of reserve: what is reserved, or why nothing can be.
    Reserved(Result<Reserved, Status>),
    /// Of permit.
    Permission(Permission),
    /// Of pre-bind, bind and unreserve: what is to be done; `None` where the bind is left to others.
    Intents(Option<Vec<Intent>>),
    /// The call gave none.
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
            Self::PostFilter(PostFilterResult::Nominate(room)) => {
                let pods: Vec<u32> = room.evict.iter().map(|pod| pod.0).collect();
                write!(f, "room on the node of id {} without the pods of ids {pods:?} ({})", room.node.0, room.reason)
            }
            Self::PostFilter(PostFilterResult::Unschedulable { reasons, clear, intents }) => {
                let promised = if *clear { ", and none is promised any more" } else { "" };
                write!(f, "no room ({}){promised}", reasons.join(", "))?;
                if intents.is_empty() { Ok(()) } else { write!(f, ", and {intents:?}") }
            }
            Self::PreScore(PreScoreResult::Score) => f.write_str("score the nodes"),
            Self::Score(score) => score.fmt(f),
            Self::Reserved(Ok(reserved)) => {
                write!(f, "{} bytes reserved, and {:?}", reserved.state.len(), reserved.intents)
            }
            Self::Permission(permission) => write!(f, "{permission:?}"),
            Self::Intents(None) => f.write_str("left to others"),
            Self::Intents(Some(intents)) => write!(f, "{intents:?}"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// An answer, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub export: Export,
    /// The node's place among those asked about.
    pub at: Option<usize>,
    pub answer: Answer,
}

/// All that a plugin says in a cycle, in its order. An extension point that joins the cycle adds its lines here.
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

    pub fn add_settled(&mut self, settled: Settled) {
        self.add(Export::Reserve, Answer::Reserved(settled.reserved));
        self.add(Export::Permit, Answer::Permission(settled.permission));
        self.add(Export::PreBind, Answer::Intents(Some(settled.pre_bind)));
        self.add(Export::Bind, Answer::Intents(settled.bind));
        self.add(Export::Unreserve, Answer::Intents(Some(settled.undo)));
    }

    pub fn add(&mut self, export: Export, answer: Answer) {
        self.0.push(Line { export, at: None, answer });
    }

    fn add_each(&mut self, export: Export, answers: impl Iterator<Item = Answer>) {
        self.0.extend(answers.enumerate().map(|(at, answer)| Line { export, at: Some(at), answer }));
    }

    /// The answer at an extension point that is asked once a cycle.
    pub fn of(&self, export: Export) -> Option<&Answer> {
        self.0.iter().find(|line| line.export == export && line.at.is_none()).map(|line| &line.answer)
    }

    /// The first answer that differs, here and there.
    pub fn first_difference<'a>(&'a self, other: &'a Self) -> Option<(&'a Line, &'a Line)> {
        self.0.iter().zip(&other.0).find(|(here, there)| here != there)
    }
}
