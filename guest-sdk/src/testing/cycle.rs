//! A scheduling cycle of one plugin, without what makes tests readable: for measuring what its code costs.

use super::{Host, PodBuilder};
use crate::plugin::Plugin;
use crate::types::Scope;
use crate::{PreFilter, PreScore};

impl<P: Plugin> Host<P> {
    /// Pre-filter, filter, pre-score and score of a pod about these nodes, by their ids as they came: the scores of those that
    /// it fits; none where the plugin has no score, or skips it. A pre-filter that narrows is not heeded.
    ///
    /// # Panics
    /// The plugin answers with an error.
    pub fn decide(&mut self, pod: &PodBuilder, nodes: &[u32]) -> Vec<i64> {
        let cycle = self.next_cycle(pod);
        let fitting: Vec<u32> = match self.guest.pre_filter(&cycle) {
            Ok(PreFilter::Reject(_)) => Vec::new(),
            Ok(PreFilter::All | PreFilter::Narrow(_)) if P::DECLARED.filter.is_some() => {
                let verdicts = self.guest.filter(&cycle, nodes).unwrap_or_else(|message| panic!("filter: {message}"));
                let fits = nodes.iter().zip(&verdicts.nodes).filter(|(_, outcome)| **outcome == 0);
                fits.map(|(node, _)| *node).collect()
            }
            Ok(_) => nodes.to_vec(),
            Err(message) => panic!("pre-filter: {message}"),
        };
        if P::DECLARED.score.is_none() {
            return Vec::new();
        }
        let passed: &[u32] = if self.declaration().score_scope == Scope::Node { &[] } else { &fitting };
        match self.guest.pre_score(&cycle, passed) {
            Ok(PreScore::Skip) => Vec::new(),
            Ok(PreScore::Score) => {
                self.guest.score(&cycle, &fitting).unwrap_or_else(|message| panic!("score: {message}"))
            }
            Err(message) => panic!("pre-score: {message}"),
        }
    }
}
