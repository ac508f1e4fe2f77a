//! The choice among the best nodes, for the decision record.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::ProfilePlugin;
use crate::cache::NodeId;
use crate::decision::{Details, PluginScore};
use crate::results::Best;

/// The scores that a plugin gave to nodes.
#[derive(Clone, Debug)]
pub(crate) struct ScoredNodes {
    pub plugin: Arc<str>,
    pub weight: i64,
    pub raw: Vec<i64>,
    pub normalized: Vec<i64>,
}

impl ScoredNodes {
    pub fn new((plugin, weight): &(ProfilePlugin, i64), raw: Vec<i64>, normalized: Vec<i64>) -> Self {
        Self { plugin: Arc::clone(&plugin.declaration.name), weight: *weight, raw, normalized }
    }

    /// Returns the score of the node at this index.
    pub fn at(&self, at: usize) -> PluginScore {
        let normalized = self.normalized[at];
        let weighted = normalized.saturating_mul(self.weight);
        PluginScore { plugin: Arc::clone(&self.plugin), raw: self.raw[at], normalized, weighted }
    }
}

/// The best nodes of an entry of the candidate index.
pub(super) struct IndexedBest<'a> {
    pub best: Best<'a>,
    /// The part of the total score that the nodes of each group share, as [`Best`] was computed from it.
    pub shared_scores: &'a [Option<i64>],
    /// Details of the entry that the decision record can share.
    pub recent: Option<Arc<Details>>,
    /// The scores of each plugin for the groups that pass, if the decision record needs them.
    pub scored: Option<Vec<ScoredNodes>>,
}

/// The choice among the best nodes of the candidate index.
pub(super) struct RecordedBest {
    pub score: i64,
    pub ties: usize,
    pub margin: Option<i64>,
    pub details: RecordedDetails,
}

/// The details of a choice among the best nodes of the candidate index.
pub(super) enum RecordedDetails {
    /// Details of an earlier cycle that the record shares.
    Shared(Arc<Details>),
    /// What new details need.
    New {
        /// The best nodes, at most [`Details::MOST_BEST`], the chosen node first: the node, its total, and the index of
        /// its group in `scored`.
        top: Vec<(NodeId, i64, usize)>,
        scored: Vec<ScoredNodes>,
    },
}

impl RecordedBest {
    /// Returns what the record needs about the choice of this node.
    pub fn of(indexed: IndexedBest<'_>, node: NodeId) -> Self {
        let IndexedBest { best, shared_scores, recent, scored } = indexed;
        let (score, ties) = (best.total, best.count());
        let margin = if ties > 1 { Some(0) } else { best.second(shared_scores).map(|second| score - second) };
        let details = match recent {
            Some(recent) => RecordedDetails::Shared(recent),
            None => RecordedDetails::New { top: top(&best, shared_scores, node), scored: scored.unwrap_or_default() },
        };
        Self { score, ties, margin, details }
    }
}

/// Returns the best nodes for [`RecordedDetails::New`].
fn top(best: &Best<'_>, shared_scores: &[Option<i64>], chosen: NodeId) -> Vec<(NodeId, i64, usize)> {
    let mut first = BestFirst::new(chosen);
    best.for_each_list(shared_scores, |group, total, nodes| {
        // The chosen node is in a list with the highest total.
        if first.is_too_low(total) {
            return ControlFlow::Break(());
        }
        first.add_all(nodes, total, group);
        ControlFlow::Continue(())
    });
    first.best
}

/// Collects the best nodes, at most [`Details::MOST_BEST`]: the chosen node first, then the others by total, and by id
/// for equal totals. Each node has its total and an index.
struct BestFirst {
    chosen: NodeId,
    best: Vec<(NodeId, i64, usize)>,
}

impl BestFirst {
    fn new(chosen: NodeId) -> Self {
        Self { chosen, best: Vec::with_capacity(Details::MOST_BEST + 1) }
    }

    /// Returns whether no node with this total, except the chosen node, can be among the best any more.
    fn is_too_low(&self, total: i64) -> bool {
        self.best.len() == Details::MOST_BEST && self.best.last().is_some_and(|last| total < last.1)
    }

    /// Adds nodes with the same total.
    fn add_all(&mut self, nodes: &[NodeId], total: i64, index: usize) {
        let mut end = self.end(total);
        for node in nodes {
            if *node < end || *node == self.chosen {
                self.add(*node, total, index);
                end = self.end(total);
            }
        }
    }

    /// Returns the id from which on no node with this total, except the chosen node, can be among the best any more.
    fn end(&self, total: i64) -> NodeId {
        match self.best.last() {
            Some(last) if self.best.len() == Details::MOST_BEST && last.1 >= total => {
                if last.1 == total {
                    last.0
                } else {
                    NodeId(0)
                }
            }
            _ => NodeId(u32::MAX),
        }
    }

    fn add(&mut self, node: NodeId, total: i64, index: usize) {
        let order = |(node, total, _): &(NodeId, i64, usize)| (*node != self.chosen, Reverse(*total), *node);
        let new = (node, total, index);
        let at = self.best.partition_point(|other| order(other) < order(&new));
        self.best.insert(at, new);
        self.best.truncate(Details::MOST_BEST);
    }
}

/// Returns the best of these nodes with their totals, as [`BestFirst`] collects them, with their indexes in `nodes`.
pub(super) fn best_first(nodes: &[NodeId], totals: &[i64], chosen: NodeId) -> Vec<(NodeId, i64, usize)> {
    let mut best = BestFirst::new(chosen);
    for (at, (node, total)) in nodes.iter().zip(totals).enumerate() {
        best.add_all(std::slice::from_ref(node), *total, at);
    }
    best.best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_node_comes_first_then_the_others_by_total_and_id() {
        let nodes: Vec<NodeId> = (0..8).map(NodeId).collect();
        let totals = [5, 9, 9, 1, 9, 2, 3, 4];
        let indexes = |nodes: &[NodeId], totals: &[i64], chosen| -> Vec<usize> {
            best_first(nodes, totals, NodeId(chosen)).into_iter().map(|(.., at)| at).collect()
        };
        assert_eq!(indexes(&nodes, &totals, 4), [4, 1, 2, 0, 7]);
        assert_eq!(indexes(&nodes, &totals, 2), [2, 1, 4, 0, 7]);
        assert_eq!(indexes(&nodes[..2], &totals[..2], 1), [1, 0]);
    }
}
