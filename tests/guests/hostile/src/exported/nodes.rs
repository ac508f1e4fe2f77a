//! The calls about nodes: filters, scores and classes.

use super::{classified, refuse_sometimes};
use crate::berth::scheduler::types::Verdicts;
use crate::draw::Draw;
use crate::exports::berth::scheduler::classes::{ClassFilter, ClassScores, Classified};
use crate::exports::berth::scheduler::pre_filter::PreFilterResult;
use crate::exports::berth::scheduler::pre_score::PreScoreResult;
use crate::exports::berth::scheduler::{classes, filter, normalize, pre_filter, pre_score, score};
use crate::intents::{status, verdicts};
use crate::{Cycle, Hostile, draw, with_facts};

/// The maximum number of classes.
const MAX_CLASSES: usize = 4096;

pub(super) fn all_fit(nodes: usize) -> Verdicts {
    Verdicts { outcomes: Vec::new(), nodes: vec![0; nodes] }
}

impl pre_filter::Guest for Hostile {
    fn pre_filter(cycle: Cycle) -> Result<PreFilterResult, String> {
        let Some(mut draw) = draw("pre-filter", cycle.seed) else { return Ok(PreFilterResult::All) };
        refuse_sometimes!(draw);
        Ok(match draw.below(8) {
            0 => PreFilterResult::Skip,
            1 => PreFilterResult::Reject(status(&mut draw)),
            2 | 3 => {
                let names: Vec<String> = with_facts(|facts| facts.nodes.values().cloned().collect());
                let length = draw.count(200);
                PreFilterResult::Narrow(draw.list(
                    length,
                    |draw| {
                        if draw.one_in(4) { draw.text() } else { draw.of(&names) }
                    },
                ))
            }
            _ => PreFilterResult::All,
        })
    }
}

impl filter::Guest for Hostile {
    fn filter(cycle: Cycle, nodes: Vec<u32>) -> Result<Verdicts, String> {
        let Some(mut draw) = draw("filter", cycle.seed) else { return Ok(all_fit(nodes.len())) };
        refuse_sometimes!(draw);
        Ok(verdicts(&mut draw, nodes.len()))
    }
}

impl pre_score::Guest for Hostile {
    fn pre_score(cycle: Cycle, _: Vec<u32>) -> Result<PreScoreResult, String> {
        let Some(mut draw) = draw("pre-score", cycle.seed) else { return Ok(PreScoreResult::Score) };
        refuse_sometimes!(draw);
        Ok(if draw.one_in(4) { PreScoreResult::Skip } else { PreScoreResult::Score })
    }
}

impl score::Guest for Hostile {
    fn score(cycle: Cycle, nodes: Vec<u32>) -> Result<Vec<i64>, String> {
        let Some(mut draw) = draw("score", cycle.seed) else { return Ok(vec![0; nodes.len()]) };
        refuse_sometimes!(draw);
        Ok(scores(&mut draw, nodes.len()))
    }
}

impl normalize::Guest for Hostile {
    fn normalize(cycle: Cycle, nodes: Vec<u32>, _: Vec<i64>) -> Result<Vec<i64>, String> {
        let Some(mut draw) = draw("normalize", cycle.seed) else { return Ok(vec![0; nodes.len()]) };
        refuse_sometimes!(draw);
        Ok(scores(&mut draw, nodes.len()))
    }
}

/// Draws scores. In half of the calls, all scores are from 0 to 100.
fn scores(draw: &mut Draw, expected: usize) -> Vec<i64> {
    let length = draw.length(expected);
    let in_range = draw.one_in(2);
    draw.list(length, |draw| if in_range { draw.percent() } else { draw.score() })
}

impl classes::Guest for Hostile {
    fn classify(cycle: Cycle, known: u64) -> Result<Option<Classified>, String> {
        let Some(mut draw) = draw("classify", cycle.seed) else { return Ok(None) };
        refuse_sometimes!(draw);
        if draw.one_in(4) {
            return Ok(None);
        }
        let all = with_facts(|facts| facts.node_ids());
        let replaces_all = if draw.valid { known == 0 || draw.one_in(2) } else { draw.one_in(2) };
        let mut number = if draw.one_in(8) { MAX_CLASSES } else { 1 + draw.below(5) };
        if !draw.valid && draw.one_in(8) {
            number = draw.of(&[0, MAX_CLASSES + 1, MAX_CLASSES * 16]);
        }
        let nodes: Vec<u32> = match (replaces_all, draw.valid) {
            (true, true) => all,
            (false, true) => all.into_iter().filter(|_| draw.one_in(2)).collect(),
            _ => {
                let length = draw.length(all.len());
                draw.list(length, |draw| draw.id(&all))
            }
        };
        let length = draw.length(nodes.len());
        let classes = draw.list(length, |draw| match draw.valid || !draw.one_in(16) {
            true => draw.below(number) as u32,
            false => draw.id(&[]),
        });
        let filter = match draw.below(4) {
            0 => ClassFilter::Skip,
            1 => ClassFilter::Reject(status(&mut draw)),
            _ => ClassFilter::Verdicts(verdicts(&mut draw, number)),
        };
        Ok(Some(classified(filter, !draw.one_in(4), replaces_all, nodes, classes)))
    }

    fn score_classes(cycle: Cycle, classes: Vec<u32>, _: Vec<u32>) -> Result<ClassScores, String> {
        let expected = classes.len();
        let Some(mut draw) = draw("score-classes", cycle.seed) else {
            return Ok(ClassScores { raw: vec![0; expected], normalized: vec![0; expected] });
        };
        refuse_sometimes!(draw);
        let raw = scores(&mut draw, expected);
        let length = draw.length(expected);
        let normalized = if draw.one_in(4) { scores(&mut draw, expected) } else { draw.list(length, Draw::percent) };
        Ok(ClassScores { raw, normalized })
    }
}
