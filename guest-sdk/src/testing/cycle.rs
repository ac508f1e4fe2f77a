//! A scheduling cycle of one plugin, without what makes tests readable: for measuring what its code costs.

use super::{Host, PodBuilder};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, ResidentPod};
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

    /// A pod comes onto a node, one of the ids as they came, and classes are asked for one like it, of which the host has the
    /// answers of cycle `known`: what each pod of a known template costs a plugin that answers by class. The number of this cycle.
    ///
    /// # Panics
    /// The plugin answers with an error.
    pub fn place_and_classify(&mut self, pod: &PodBuilder, node: u32, known: u64) -> u64 {
        let id = self.residents.len() as u32;
        self.residents.push(None);
        self.guest.apply(vec![Change::ResidentPod(ResidentPod { id, node, pod: pod.0.clone() })]);
        let cycle = self.next_cycle(pod);
        self.guest.classify(&cycle, known).unwrap_or_else(|message| panic!("classify: {message}"));
        cycle.id
    }
}
