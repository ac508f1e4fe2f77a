//! How different a plugin's answers were: one that always says the same was hardly examined.

use berth_core::plugins::{PreFilterResult, PreScoreResult};

use super::answer::{Answer, Answers};

/// What a plugin said in all cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variety {
    /// Nodes that fit.
    pub fits: usize,
    /// Nodes that it rejected.
    pub rejected: usize,
    /// Pods for which there was nothing to filter.
    pub filter_skipped: usize,
    /// Pods for which there was nothing to score.
    pub score_skipped: usize,
    /// The lowest and the highest score.
    pub scores: Option<(i64, i64)>,
    /// Calls that ended with an error of its own.
    pub errors: usize,
}

impl Variety {
    pub(super) fn count(&mut self, answers: &Answers) {
        for line in &answers.0 {
            match &line.answer {
                Answer::Verdict(None) => self.fits += 1,
                Answer::Verdict(Some(_)) => self.rejected += 1,
                Answer::PreFilter(PreFilterResult::Skip) => self.filter_skipped += 1,
                Answer::PreScore(PreScoreResult::Skip) => self.score_skipped += 1,
                Answer::Score(score) => {
                    let (lowest, highest) = self.scores.unwrap_or((*score, *score));
                    self.scores = Some((lowest.min(*score), highest.max(*score)));
                }
                Answer::Failed(_) => self.errors += 1,
                Answer::PreFilter(_) | Answer::PreScore(PreScoreResult::Score) => {}
            }
        }
    }
}
