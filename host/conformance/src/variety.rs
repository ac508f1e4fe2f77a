//! Measures the variety of a plugin's answers. A plugin that always gives the same answer was hardly examined.

use berth_core::plugins::{Decision, Permission, PostFilterResult, PreFilterResult, PreScoreResult, Undone};

use super::answer::{Answer, Answers};

/// Counts of a plugin's answers. Each inspection counts one cycle for each of its pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variety {
    /// The number of pods that pre-enqueue let into the queue.
    pub enqueued: usize,
    /// The number of pods that pre-enqueue held back.
    pub held_back: usize,
    /// The lowest and the highest first element of the sort keys; `None` if sort-key was not called.
    pub sort_keys: Option<(i64, i64)>,
    /// The number of nodes that fit, added up over all pods.
    pub fits: usize,
    /// The number of nodes that the plugin rejected, added up over all pods.
    pub rejected: usize,
    /// The number of pods for which pre-filter returned skip.
    pub filter_skipped: usize,
    /// The number of pods for which post-filter nominated a node.
    pub nominated: usize,
    /// The number of pods for which post-filter found no node.
    pub not_nominated: usize,
    /// The number of pods for which pre-score returned skip.
    pub score_skipped: usize,
    /// The lowest and the highest raw or normalized score; `None` if there are no scores.
    pub scores: Option<(i64, i64)>,
    /// The number of answers of reserve that reserve, of permit that approve, and of pre-bind, bind and unreserve
    /// that change nothing.
    pub approved: usize,
    /// The number of answers of reserve that fail, of permit that deny or wait, and of pre-bind, bind and unreserve
    /// that change something.
    pub not_approved: usize,
    /// The number of calls that returned an error or an invalid answer.
    pub errors: usize,
}

impl Variety {
    pub(super) fn count(&mut self, answers: &Answers) {
        for line in &answers.0 {
            match &line.answer {
                Answer::PreEnqueue(None) => self.enqueued += 1,
                Answer::PreEnqueue(Some(_)) => self.held_back += 1,
                Answer::SortKey(key) => self.sort_keys = widened(self.sort_keys, key.first().copied().unwrap_or(0)),
                Answer::Verdict(None) => self.fits += 1,
                Answer::Verdict(Some(_)) => self.rejected += 1,
                Answer::PostFilter(PostFilterResult::Nominate(_)) => self.nominated += 1,
                Answer::PostFilter(PostFilterResult::Unschedulable { .. }) => self.not_nominated += 1,
                Answer::PreFilter(PreFilterResult::Skip) => self.filter_skipped += 1,
                Answer::PreScore(PreScoreResult::Skip) => self.score_skipped += 1,
                Answer::Score(score) => self.scores = widened(self.scores, *score),
                Answer::Reserved(Ok(_)) | Answer::Permission(Permission { decision: Decision::Approve, .. }) => {
                    self.approved += 1;
                }
                Answer::Reserved(Err(_)) | Answer::Permission(_) => self.not_approved += 1,
                Answer::Intents(intents) if intents.as_ref().is_none_or(Vec::is_empty) => self.approved += 1,
                Answer::Intents(_) => self.not_approved += 1,
                Answer::Undone(undone) if *undone == Undone::default() => self.approved += 1,
                Answer::Undone(_) => self.not_approved += 1,
                Answer::Failed(_) => self.errors += 1,
                Answer::Skip(_) | Answer::PreFilter(_) | Answer::PreScore(PreScoreResult::Score) => {}
            }
        }
    }
}

/// Returns the range, extended to include the number.
fn widened(range: Option<(i64, i64)>, number: i64) -> Option<(i64, i64)> {
    let (lowest, highest) = range.unwrap_or((number, number));
    Some((lowest.min(number), highest.max(number)))
}
