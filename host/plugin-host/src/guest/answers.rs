//! Checks the answers of plugins and converts them to the core's types.

use berth_core::cache::Cache;
use berth_core::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, Code, MOST_CLASSES, MOST_OUTCOMES, PreFilterResult, PreScoreResult,
    Status, Verdicts,
};

use super::error::CallError;
use super::ids;
use super::shorten::shorten;
use crate::bindings::types as wit;
use crate::bindings::v0_2::exports::berth::scheduler::classes as by_class;
use crate::bindings::v0_2::exports::berth::scheduler::pre_filter::PreFilterResult as WitPreFilterResult;
use crate::bindings::v0_2::exports::berth::scheduler::pre_score::PreScoreResult as WitPreScoreResult;
use crate::contract::Export;

/// The number of reasons per status that are kept.
pub(super) const REASONS: usize = 32;
/// The limit of the total size of all reasons in an answer, in bytes.
const TEXT: usize = 1 << 20;
/// The length of the longest node name in bytes, plus one.
const NAME: usize = 254;
/// The bytes of node names that pre-filter may return beyond those of the existing nodes, because a pod may name
/// nodes that do not exist.
const NAMES: usize = 1 << 20;

/// Checks the total size of the node names in an answer of pre-filter. A name may be that of no existing node.
pub(super) fn pre_filter(answer: WitPreFilterResult, cache: &Cache) -> Result<PreFilterResult, CallError> {
    Ok(match answer {
        WitPreFilterResult::All => PreFilterResult::All,
        WitPreFilterResult::Skip => PreFilterResult::Skip,
        WitPreFilterResult::Reject(why) => PreFilterResult::Reject(status(why)),
        WitPreFilterResult::Narrow(names) => {
            let bytes: usize = names.iter().map(|name| name.len() + 1).sum();
            let most = NAMES + NAME * cache.node_count();
            if bytes > most {
                let message = format!(
                    "it returned {} node names of {bytes} bytes in total; the maximum is {most} bytes",
                    names.len()
                );
                return Err(CallError::BadAnswer(Export::PreFilter, message));
            }
            PreFilterResult::Narrow(names.into_iter().map(String::into_boxed_str).collect())
        }
    })
}

pub(super) fn pre_score(answer: WitPreScoreResult) -> PreScoreResult {
    match answer {
        WitPreScoreResult::Score => PreScoreResult::Score,
        WitPreScoreResult::Skip => PreScoreResult::Skip,
    }
}

/// Checks that there is one verdict per node, each with an existing outcome.
pub(super) fn verdicts(answer: wit::Verdicts, asked: usize) -> Result<Verdicts, CallError> {
    check_length(Export::Filter, "verdicts", answer.nodes.len(), asked, "nodes")?;
    checked_outcomes(Export::Filter, answer)
}

/// Checks that there is one class per node, that the nodes exist and are unique, and that class numbers are within the
/// limit. If the answer has verdicts, checks that each class has one, and that each verdict has an existing outcome.
pub(super) fn classified(answer: by_class::Classified, cache: &Cache) -> Result<Classified, CallError> {
    let bad = |message: String| CallError::BadAnswer(Export::Classify, message);
    check_length(Export::Classify, "classes", answer.classes.len(), answer.nodes.len(), "nodes")?;
    let filter = match answer.filter {
        by_class::ClassFilter::Skip => ClassFilter::Skip,
        by_class::ClassFilter::Reject(why) => ClassFilter::Reject(status(why)),
        by_class::ClassFilter::Verdicts(verdicts) => {
            ClassFilter::Verdicts(checked_outcomes(Export::Classify, verdicts)?)
        }
    };
    let numbers = match &filter {
        ClassFilter::Verdicts(verdicts) => verdicts.nodes.len(),
        ClassFilter::Skip | ClassFilter::Reject(_) => MOST_CLASSES as usize,
    };
    if numbers > MOST_CLASSES as usize {
        return Err(bad(format!("it returned verdicts for {numbers} classes; the maximum is {MOST_CLASSES}")));
    }
    match answer.classes.iter().find(|class| **class as usize >= numbers) {
        Some(class) if *class >= MOST_CLASSES => {
            Err(bad(format!("it returned class {class}; class numbers must be less than {MOST_CLASSES}")))
        }
        Some(class) => Err(bad(format!("it returned class {class}, but verdicts for only {numbers} classes"))),
        None => Ok(Classified {
            filter,
            scores: answer.scores,
            anew: answer.replaces_all,
            nodes: ids::nodes(cache, answer.nodes).map_err(bad)?,
            classes: answer.classes.into_iter().map(ClassId).collect(),
        }),
    }
}

/// Checks that there is one raw and one normalized score per class.
pub(super) fn class_scores(answer: by_class::ClassScores, asked: usize) -> Result<ClassScores, CallError> {
    for scores in [&answer.raw, &answer.normalized] {
        check_length(Export::ScoreClasses, "scores", scores.len(), asked, "classes")?;
    }
    Ok(ClassScores { raw: answer.raw, normalized: answer.normalized })
}

/// Checks that each verdict has an existing outcome, and that the number of outcomes and the size of their reasons are
/// within the limits.
fn checked_outcomes(export: Export, answer: wit::Verdicts) -> Result<Verdicts, CallError> {
    let bad = |message: String| Err(CallError::BadAnswer(export, message));
    let outcomes = answer.outcomes.len();
    if outcomes > MOST_OUTCOMES {
        return bad(format!("it returned {outcomes} outcomes; the maximum is {MOST_OUTCOMES}"));
    }
    if let Some(highest) = answer.nodes.iter().copied().max().filter(|highest| usize::from(*highest) > outcomes) {
        return bad(format!("a verdict refers to outcome {highest}, but it returned only {outcomes} outcomes"));
    }
    let (mut statuses, mut text) = (Vec::with_capacity(outcomes), 0);
    for outcome in answer.outcomes {
        let status = status(outcome);
        text += status.reasons.iter().map(|reason| reason.len()).sum::<usize>();
        if text > TEXT {
            return bad(format!("its outcomes have more than {TEXT} bytes of reasons"));
        }
        statuses.push(status);
    }
    Ok(Verdicts { outcomes: statuses, nodes: answer.nodes })
}

/// Checks that there is one score per node.
pub(super) fn scores(export: Export, answer: Vec<i64>, asked: usize) -> Result<Vec<i64>, CallError> {
    check_length(export, "scores", answer.len(), asked, "nodes")?;
    Ok(answer)
}

/// Checks that an answer has one entry per question.
pub(super) fn check_length(
    export: Export,
    answers: &str,
    got: usize,
    asked: usize,
    questions: &str,
) -> Result<(), CallError> {
    if got == asked {
        return Ok(());
    }
    Err(CallError::BadAnswer(export, format!("it returned {got} {answers} for {asked} {questions}")))
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

#[cfg(test)]
mod tests {
    use berth_core::cache::NodeId;

    use super::super::ids::tests::cluster;
    use super::*;

    fn classify(nodes: &[u32], classes: &[u32], verdicts: usize) -> Result<Classified, CallError> {
        let verdicts = wit::Verdicts { outcomes: Vec::new(), nodes: vec![0; verdicts] };
        let (nodes, classes) = (nodes.to_vec(), classes.to_vec());
        let filter = by_class::ClassFilter::Verdicts(verdicts);
        classified(by_class::Classified { filter, scores: true, replaces_all: true, nodes, classes }, &cluster())
    }

    #[test]
    fn classes_are_accepted_only_for_existing_nodes() {
        let answer = classify(&[0, 1], &[1, 0], 2).expect("a good answer");
        assert_eq!((answer.nodes, answer.classes), (vec![NodeId(0), NodeId(1)], vec![ClassId(1), ClassId(0)]));
        for (nodes, classes, verdicts, why) in [
            (&[0, u32::MAX][..], &[0, 0][..], 1, "it names node 4294967295, which does not exist"),
            (&[0, 0], &[0, 0], 1, "it names node 0 twice"),
            (&[0, 1], &[0], 1, "it returned 1 classes for 2 nodes"),
            (&[0], &[u32::MAX], 1, "it returned class 4294967295; class numbers must be less than 4096"),
            (&[0], &[3], 3, "it returned class 3, but verdicts for only 3 classes"),
            (&[0], &[0], 4097, "it returned verdicts for 4097 classes; the maximum is 4096"),
        ] {
            let error = classify(nodes, classes, verdicts).expect_err(why).to_string();
            assert_eq!(error, format!("broke the contract in classify: {why}"));
        }
    }

    #[test]
    fn the_total_size_of_node_names_is_limited() {
        let narrowed =
            |number, name: &str| pre_filter(WitPreFilterResult::Narrow(vec![name.into(); number]), &cluster());
        assert!(matches!(narrowed(100_000, "unknown"), Ok(PreFilterResult::Narrow(names)) if names.len() == 100_000));
        let error = narrowed(1 << 21, "").expect_err("too many").to_string();
        let message = "it returned 2097152 node names of 2097152 bytes in total; the maximum is 1049084 bytes";
        assert_eq!(error, format!("broke the contract in pre-filter: {message}"));
    }

    /// Returns the checked answer for one node, with this number of outcomes, each with this number of reasons of
    /// this length.
    fn with_outcomes(number: usize, reasons: usize, bytes: usize) -> Result<Verdicts, CallError> {
        let status = |n| wit::Status { code: wit::Code::Unschedulable, reasons: vec![format!("{n:>bytes$}"); reasons] };
        verdicts(wit::Verdicts { outcomes: (0..number).map(status).collect(), nodes: vec![1] }, 1)
    }

    #[test]
    fn outcomes_and_their_reasons_are_limited() {
        assert_eq!(with_outcomes(1000, 1, 1024).map(|answer| answer.outcomes.len()), Ok(1000));
        for (answer, why) in [
            (with_outcomes(1001, 1, 1), "it returned 1001 outcomes; the maximum is 1000"),
            (with_outcomes(1000, 2, 1000), "its outcomes have more than 1048576 bytes of reasons"),
        ] {
            assert_eq!(answer.expect_err(why).to_string(), format!("broke the contract in filter: {why}"));
        }
    }
}
