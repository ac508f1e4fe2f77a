//! The answers of the plugins in a scheduling cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::cycle::{AnswerObserver, Failure, PluginAnswer};
use berth_core::plugins::{PluginError, PreFilterResult, PreScoreResult, Status};
use berth_core::profile::ProfilePlugin;

/// The rejection by the first pre-enqueue plugin that does not let a pod enter the queue, with the plugin's name.
pub type PreEnqueueAnswer = Result<Option<(Arc<str>, Status)>, PluginError>;

/// All answers of a scheduling cycle.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The nodes that fit with their total scores, or why the pod would not be scheduled.
    pub outcome: Result<Vec<(NodeId, i64)>, Failure>,
    /// The answers of the pre-filters, in order. The cycle asks no further pre-filter after a final rejection.
    pub pre_filters: Vec<PreFilterAnswer>,
    /// The nodes that a filter looked at.
    pub nodes: BTreeMap<NodeId, NodeAnswer>,
    /// The nodes that the pre-filters leave as candidates; `None` for all nodes.
    pub candidates: Option<BTreeSet<NodeId>>,
    /// The plugins that skipped the pod at pre-score.
    pub skipped_scores: Vec<Arc<str>>,
    /// The scores of the nodes that fit, by plugin, in order.
    pub scores: Vec<PluginScore>,
}

/// The answer of a pre-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreFilterAnswer {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// The answer.
    pub result: PreFilterResult,
}

/// The verdict on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeAnswer {
    /// No filter rejects the node.
    Passed,
    /// This plugin rejects the node. Later filters are not asked.
    Rejected {
        /// The plugin's name.
        plugin: Arc<str>,
        /// The rejection.
        status: Status,
        /// The plugin counts the pods that are nominated to the node.
        with_nominated: bool,
    },
}

/// The scores of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginScore {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// By node: the score as the plugin returned it, and the normalized score (0 to 100).
    pub nodes: BTreeMap<NodeId, (i64, i64)>,
}

/// Records the answers of a cycle.
#[derive(Default)]
pub(super) struct Recorder {
    pre_filters: Vec<PreFilterAnswer>,
    nodes: BTreeMap<NodeId, NodeAnswer>,
    skipped_scores: Vec<Arc<str>>,
    scores: Vec<PluginScore>,
}

impl AnswerObserver for Recorder {
    fn answered(&mut self, plugin: &ProfilePlugin, answer: PluginAnswer<'_>) {
        let name = || Arc::clone(&plugin.declaration.name);
        match answer {
            PluginAnswer::PreFilter(result) => {
                self.pre_filters.push(PreFilterAnswer { plugin: name(), result: result.clone() });
            }
            PluginAnswer::Verdicts(nodes, verdicts) => {
                for (node, outcome) in nodes.iter().zip(&verdicts.nodes) {
                    let status = usize::from(*outcome).checked_sub(1).and_then(|at| verdicts.outcomes.get(at));
                    let answer = status.map_or(NodeAnswer::Passed, |status| rejected(name(), status, false));
                    self.nodes.insert(*node, answer);
                }
            }
            PluginAnswer::RejectedWithNominated(node, status) => {
                self.nodes.insert(node, rejected(name(), status, true));
            }
            PluginAnswer::PreScore(PreScoreResult::Score) => {}
            PluginAnswer::PreScore(PreScoreResult::Skip) => self.skipped_scores.push(name()),
            PluginAnswer::Scores { nodes, raw, normalized } => {
                let scores = raw.iter().copied().zip(normalized.iter().copied());
                self.scores.push(PluginScore { plugin: name(), nodes: nodes.iter().copied().zip(scores).collect() });
            }
        }
    }
}

fn rejected(plugin: Arc<str>, status: &Status, with_nominated: bool) -> NodeAnswer {
    NodeAnswer::Rejected { plugin, status: status.clone(), with_nominated }
}

impl Recorder {
    /// Returns the answers of a cycle with this outcome.
    pub fn answers(self, outcome: Result<Vec<(NodeId, i64)>, Failure>, cache: &Cache) -> Answers {
        let Self { pre_filters, mut nodes, skipped_scores, scores } = self;
        let narrowed = pre_filters.iter().filter_map(|answer| match &answer.result {
            PreFilterResult::Narrow(names) => {
                Some(names.iter().filter_map(|name| cache.node_id(name)).collect::<BTreeSet<NodeId>>())
            }
            _ => None,
        });
        let candidates = narrowed.reduce(|one, other| one.intersection(&other).copied().collect());
        // Without filters, no filter looks at the nodes that fit.
        for (node, _) in outcome.iter().flatten() {
            nodes.entry(*node).or_insert(NodeAnswer::Passed);
        }
        Answers { outcome, pre_filters, nodes, candidates, skipped_scores, scores }
    }
}

impl Answers {
    /// Returns whether the pod fits on a node.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|nodes| !nodes.is_empty())
    }

    /// Returns the first pre-filter that rejects the pod on all nodes.
    #[must_use]
    pub fn rejected_by_pre_filter(&self) -> Option<(&Arc<str>, &Status)> {
        // The last rejection counts: a pre-filter after it can only reject the pod with a final verdict.
        self.pre_filters.iter().rev().find_map(|answer| match &answer.result {
            PreFilterResult::Reject(status) => Some((&answer.plugin, status)),
            _ => None,
        })
    }
}
