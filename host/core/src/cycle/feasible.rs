//! The sets of nodes and plugins that one step of a scheduling cycle passes to the next.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use crate::cache::NodeId;
use crate::plugins::{Declaration, PluginId};
use crate::profile::ProfilePlugin;
use crate::results::CandidateKey;

/// The nodes and filters that remain after pre-filter.
pub(super) struct Candidates<'p> {
    /// The only candidate nodes, or `None` for every node.
    pub narrowed: Option<Vec<NodeId>>,
    /// The filters that did not skip the pod.
    pub filters: Vec<&'p ProfilePlugin>,
}

/// The feasible nodes, at least one.
pub(super) struct Feasible<'p> {
    pub nodes: Nodes<'p>,
    /// The filters that the nodes passed.
    pub filters: Vec<&'p ProfilePlugin>,
    /// The plugins that do not score the pod. Empty before pre-score.
    pub skipped: Vec<PluginId>,
}

/// Feasible nodes. [`super::SchedulingCycle::listed`] returns the nodes as a list.
pub(super) enum Nodes<'p> {
    /// Found for this pod alone.
    Found(Vec<NodeId>),
    /// Taken from the candidate index for all pods of the same signatures.
    Indexed(Indexed<'p>),
}

impl Nodes<'_> {
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        match self {
            Self::Found(nodes) => nodes.len(),
            Self::Indexed(indexed) => indexed.len,
        }
    }
}

/// The feasible nodes from the candidate index.
pub(super) struct Indexed<'p> {
    pub inputs: IndexInputs<'p>,
    /// The number of nodes that pass all filters.
    pub len: usize,
    /// The nodes in the order of their ids, once the list was needed.
    pub listed: OnceCell<Arc<[NodeId]>>,
}

/// The plugins whose answers determine an entry of the candidate index, with its key.
pub(super) struct IndexInputs<'p> {
    pub key: CandidateKey,
    /// The filters that answer node by node.
    pub filters: Vec<&'p ProfilePlugin>,
    /// The plugins that answer by class. Plugins that filter come first.
    pub by_class: Vec<ByClassInput<'p>>,
    /// The plugins that score node by node, with their weights. Empty if [`Self::are_scores_known`] is false.
    pub scores: Vec<&'p (ProfilePlugin, i64)>,
    /// Each score plugin that is expected to score the pod answers node by node with cached scores, or by class.
    pub are_scores_known: bool,
}

/// A plugin that answers by class.
pub(super) struct ByClassInput<'p> {
    pub plugin: &'p ProfilePlugin,
    pub filters: bool,
    /// 0 if the plugin does not score.
    pub weight: i64,
}

impl IndexInputs<'_> {
    /// Returns the declarations of the plugins that answer node by node.
    pub fn declarations(&self) -> Vec<&Declaration> {
        let scores = self.scores.iter().map(|(plugin, _)| plugin);
        self.filters.iter().copied().chain(scores).map(|plugin| &*plugin.declaration).collect()
    }

    /// Returns the indexes into `by_class` of the plugins that filter.
    pub fn class_filters(&self) -> Range<usize> {
        0..self.by_class.iter().filter(|input| input.filters).count()
    }

    /// Returns the indexes into `by_class` of the plugins that only score.
    pub fn class_scores(&self) -> Range<usize> {
        self.class_filters().end..self.by_class.len()
    }
}
