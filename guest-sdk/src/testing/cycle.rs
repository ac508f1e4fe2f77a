//! Runs the scheduling cycle of one plugin without the checks and node names of the other test functions, to measure
//! the cost of the plugin's code.

use super::{Host, PodBuilder};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, ResidentPod};
use crate::plugin::Plugin;
use crate::types::Scope;
use crate::{PreFilter, PreScore};

impl<P: Plugin> Host<P> {
    /// Runs pre-filter, filter, pre-score and score of a pod for `nodes`, which are node ids. Returns the raw scores of
    /// the nodes that the pod fits, in the order of `nodes`. Returns an empty list if the plugin has no score, or if
    /// the pre-filter rejects or the pre-score skips the pod. If the pre-filter narrows the nodes, this function still
    /// filters all of `nodes`.
    ///
    /// # Panics
    /// Panics if the plugin answers with an error.
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

    /// Adds a pod to a node, and then calls `classify` for an equal pod. `node` is the node's id. `known` is the id of
    /// the cycle of the previous `classify` call, or 0 before the first call. Benchmarks measure this function: its
    /// duration is the cost of one more pod of a known pod signature. Returns the id of the new cycle.
    ///
    /// # Panics
    /// Panics if the plugin answers with an error.
    pub fn place_and_classify(&mut self, pod: &PodBuilder, node: u32, known: u64) -> u64 {
        let id = self.residents.len() as u32;
        self.residents.push(None);
        self.guest.apply(vec![Change::ResidentPod(ResidentPod { id, node, pod: pod.0.clone() })]);
        let cycle = self.next_cycle(pod);
        self.guest.classify(&cycle, known).unwrap_or_else(|message| panic!("classify: {message}"));
        cycle.cycle.id
    }
}
