//! Guests' answers, checked and turned into the core's.

use berth_core::cache::NodeId;
use berth_core::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, Code, PreFilterResult, PreScoreResult, Status, Verdicts,
};

use super::call::Export;
use super::error::CallError;
use crate::wasm::bindings::berth::scheduler::types as wit;
use crate::wasm::bindings::exports::berth::scheduler::classes as by_class;
use crate::wasm::bindings::exports::berth::scheduler::pre_filter::PreFilterResult as WitPreFilterResult;
use crate::wasm::bindings::exports::berth::scheduler::pre_score::PreScoreResult as WitPreScoreResult;

/// Reasons of one outcome that are kept.
pub(super) const REASONS: usize = 32;
/// Bytes that are kept of a guest's words where they go into messages.
const WORDS: usize = 1024;

/// A guest's words, of a length that fits a message.
pub(crate) fn shorten(mut words: String) -> String {
    words.truncate(words.floor_char_boundary(WORDS));
    words
}

pub(super) fn pre_filter(answer: WitPreFilterResult) -> PreFilterResult {
    match answer {
        WitPreFilterResult::All => PreFilterResult::All,
        WitPreFilterResult::Skip => PreFilterResult::Skip,
        WitPreFilterResult::Narrow(names) => {
            PreFilterResult::Narrow(names.into_iter().map(String::into_boxed_str).collect())
        }
        WitPreFilterResult::Reject(why) => PreFilterResult::Reject(status(why)),
    }
}

pub(super) fn pre_score(answer: WitPreScoreResult) -> PreScoreResult {
    match answer {
        WitPreScoreResult::Score => PreScoreResult::Score,
        WitPreScoreResult::Skip => PreScoreResult::Skip,
    }
}

/// As many as nodes were asked about, each naming an outcome that is there.
pub(super) fn verdicts(answer: wit::Verdicts, asked: usize) -> Result<Verdicts, CallError> {
    of_length(Export::Filter, "verdicts", answer.nodes.len(), asked, "nodes")?;
    named(Export::Filter, answer)
}

/// A class for each node, and verdicts naming outcomes that are there.
pub(super) fn classified(answer: by_class::Classified) -> Result<Classified, CallError> {
    of_length(Export::Classify, "classes", answer.classes.len(), answer.nodes.len(), "nodes")?;
    Ok(Classified {
        filter: match answer.filter {
            by_class::ClassFilter::Skip => ClassFilter::Skip,
            by_class::ClassFilter::Reject(why) => ClassFilter::Reject(status(why)),
            by_class::ClassFilter::Verdicts(verdicts) => ClassFilter::Verdicts(named(Export::Classify, verdicts)?),
        },
        scores: answer.scores,
        anew: answer.anew,
        nodes: answer.nodes.into_iter().map(NodeId).collect(),
        classes: answer.classes.into_iter().map(ClassId).collect(),
    })
}

/// As many of both as classes were asked about.
pub(super) fn class_scores(answer: by_class::ClassScores, asked: usize) -> Result<ClassScores, CallError> {
    for given in [&answer.raw, &answer.normalized] {
        of_length(Export::ScoreClasses, "scores", given.len(), asked, "classes")?;
    }
    Ok(ClassScores { raw: answer.raw, normalized: answer.normalized })
}

/// Each names an outcome that is there.
fn named(export: Export, answer: wit::Verdicts) -> Result<Verdicts, CallError> {
    let outcomes = answer.outcomes.len();
    match answer.nodes.iter().max() {
        Some(&highest) if usize::from(highest) > outcomes => Err(CallError::BadAnswer(
            export,
            format!("a verdict names outcome {highest} where it gave {outcomes} outcomes"),
        )),
        _ => Ok(Verdicts { outcomes: answer.outcomes.into_iter().map(status).collect(), nodes: answer.nodes }),
    }
}

/// As many as nodes were asked about.
pub(super) fn scores(export: Export, answer: Vec<i64>, asked: usize) -> Result<Vec<i64>, CallError> {
    of_length(export, "scores", answer.len(), asked, "nodes")?;
    Ok(answer)
}

/// An answer runs parallel to what was asked about.
pub(super) fn of_length(export: Export, what: &str, got: usize, asked: usize, about: &str) -> Result<(), CallError> {
    if got == asked {
        return Ok(());
    }
    Err(CallError::BadAnswer(export, format!("it gave {got} {what} for {asked} {about}")))
}

pub(super) fn status(status: wit::Status) -> Status {
    Status {
        code: match status.code {
            wit::Code::Unschedulable => Code::Unschedulable,
            wit::Code::UnschedulableAndUnresolvable => Code::UnschedulableAndUnresolvable,
            wit::Code::Error => Code::Error,
            wit::Code::Pending => Code::Pending,
        },
        reasons: status.reasons.into_iter().take(REASONS).map(|reason| shorten(reason).into()).collect(),
    }
}
