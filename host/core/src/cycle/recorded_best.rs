//! The choice among the best nodes, for the decision record.

use std::cmp::Reverse;
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
    pub fn new(plugin: &ProfilePlugin, weight: i64, raw: Vec<i64>, normalized: Vec<i64>) -> Self {
        Self { plugin: Arc::clone(&plugin.declaration.name), weight, raw, normalized }
    }

    /// Returns the score of the node at this index.
    pub fn at(&self, at: usize) -> PluginScore {
        let normalized = self.normalized[at];
        let weighted = normalized.saturating_mul(self.weight);
        PluginScore { plugin: Arc::clone(&self.plugin), raw: self.raw[at], normalized, weighted }
    }
}

/// The choice of a node.
pub(super) struct Choice {
    /// The total score of the node.
    pub score: i64,
    /// The number of nodes with this score.
    pub ties: usize,
    /// The difference to the next lower total score, 0 for a tie.
    pub margin: Option<i64>,
    /// The best nodes, at most [`Details::MOST_BEST`], the chosen node first: the node, its total, and the index of its
    /// scores in [`ScoredNodes`]. Empty if the decision record shares details.
    pub top: Vec<(NodeId, i64, usize)>,
}

impl Choice {
    /// Returns the choice among nodes with these totals. Both slices have the same length.
    pub fn among(nodes: &[NodeId], totals: &[i64], chosen: NodeId) -> Self {
        let mut first = BestFirst::new(chosen);
        for (at, (node, total)) in nodes.iter().zip(totals).enumerate() {
            first.add_all(std::slice::from_ref(node), *total, at);
        }
        let score = first.best.first().map_or(0, |(_, total, _)| *total);
        let ties = totals.iter().filter(|total| **total == score).count();
        let second = totals.iter().filter(|total| **total < score).max().copied();
        Self::new(score, ties, second, first.best)
    }

    /// Returns the choice among the best nodes of the candidate index, where `shared_scores` are those that `best` was
    /// computed from. Scores have the index of a node's group. `top` stays empty unless `with_top` is true.
    pub fn in_groups(best: &Best<'_>, shared_scores: &[Option<i64>], chosen: NodeId, with_top: bool) -> Self {
        let top = if with_top { BestFirst::in_groups(best, shared_scores, chosen) } else { Vec::new() };
        let ties = best.count();
        let second = if ties > 1 { None } else { best.second(shared_scores) };
        Self::new(best.total, ties, second, top)
    }

    fn new(score: i64, ties: usize, second: Option<i64>, top: Vec<(NodeId, i64, usize)>) -> Self {
        let margin = if ties > 1 { Some(0) } else { second.map(|second| score.saturating_sub(second)) };
        Self { score, ties, margin, top }
    }
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

    fn in_groups(best: &Best<'_>, shared_scores: &[Option<i64>], chosen: NodeId) -> Vec<(NodeId, i64, usize)> {
        let mut first = Self::new(chosen);
        for (group, lists) in best.lists_by_group(shared_scores).enumerate() {
            for (total, nodes) in lists {
                // The chosen node is in a list with the highest total.
                if first.is_too_low(total) {
                    break;
                }
                first.add_all(nodes, total, group);
            }
        }
        first.best
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_node_comes_first_then_the_others_by_total_and_id() {
        let nodes: Vec<NodeId> = (0..8).map(NodeId).collect();
        let totals = [5, 9, 9, 1, 9, 2, 3, 4];
        let indexes = |nodes: &[NodeId], totals: &[i64], chosen| -> Vec<usize> {
            Choice::among(nodes, totals, NodeId(chosen)).top.into_iter().map(|(.., at)| at).collect()
        };
        assert_eq!(indexes(&nodes, &totals, 4), [4, 1, 2, 0, 7]);
        assert_eq!(indexes(&nodes, &totals, 2), [2, 1, 4, 0, 7]);
        assert_eq!(indexes(&nodes[..2], &totals[..2], 1), [1, 0]);
    }
    #[test]
    fn ties_have_no_margin() {
        let nodes = [NodeId(0), NodeId(1), NodeId(2)];
        for (totals, ties, margin) in [([9, 9, 1], 2, Some(0)), ([9, 7, 1], 1, Some(2)), ([9, 9, 9], 3, Some(0))] {
            let choice = Choice::among(&nodes, &totals, NodeId(0));
            assert_eq!((choice.score, choice.ties, choice.margin), (9, ties, margin), "{totals:?}");
        }
        let choice = Choice::among(&nodes[..1], &[4], NodeId(0));
        assert_eq!((choice.ties, choice.margin), (1, None));
    }
}
