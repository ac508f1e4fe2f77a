//! How different a plugin's answers were: one that always says the same was hardly examined.

use berth_core::plugins::{Decision, Permission, PostFilterResult, PreFilterResult, PreScoreResult};

use super::answer::{Answer, Answers};

/// What a plugin said in all cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variety {
    /// Pods that it let into the queue.
    pub enqueued: usize,
    /// Pods that it held back.
    pub held_back: usize,
    /// The lowest and the highest of what sort keys begin with.
    pub sort_keys: Option<(i64, i64)>,
    /// Nodes that fit.
    pub fits: usize,
    /// Nodes that it rejected.
    pub rejected: usize,
    /// Pods for which there was nothing to filter.
    pub filter_skipped: usize,
    /// Pods for which room could be made.
    pub rooms: usize,
    /// Pods for which none could.
    pub no_rooms: usize,
    /// Pods for which there was nothing to score.
    pub score_skipped: usize,
    /// The lowest and the highest score.
    pub scores: Option<(i64, i64)>,
    /// Pods for which it reserved, which it permitted, or for which nothing was to be done.
    pub let_go: usize,
    /// Pods for which it could not reserve, that it made wait or turned away, or for which something was to be done.
    pub held_up: usize,
    /// Calls that ended with an error of its own.
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
                Answer::PostFilter(PostFilterResult::Nominate(_)) => self.rooms += 1,
                Answer::PostFilter(PostFilterResult::Unschedulable { .. }) => self.no_rooms += 1,
                Answer::PreFilter(PreFilterResult::Skip) => self.filter_skipped += 1,
                Answer::PreScore(PreScoreResult::Skip) => self.score_skipped += 1,
                Answer::Score(score) => self.scores = widened(self.scores, *score),
                Answer::Reserved(Ok(_)) | Answer::Permission(Permission { decision: Decision::Approve, .. }) => {
                    self.let_go += 1;
                }
                Answer::Reserved(Err(_)) | Answer::Permission(_) => self.held_up += 1,
                Answer::Intents(intents) if intents.as_ref().is_none_or(Vec::is_empty) => self.let_go += 1,
                Answer::Intents(_) => self.held_up += 1,
                Answer::Failed(_) => self.errors += 1,
                Answer::Skip(_) | Answer::PreFilter(_) | Answer::PreScore(PreScoreResult::Score) => {}
            }
        }
    }
}

/// The range with this number in it.
fn widened(range: Option<(i64, i64)>, number: i64) -> Option<(i64, i64)> {
    let (lowest, highest) = range.unwrap_or((number, number));
    Some((lowest.min(number), highest.max(number)))
}
