//! Reports the answers of plugins in a cycle, to explain the decision. No decision depends on these reports.

use crate::cache::NodeId;
use crate::plugins::{PreFilterResult, PreScoreResult, Status, Verdicts};
use crate::profile::ProfilePlugin;

/// Receives the answers of a cycle at pre-filter, filter, pre-score and score, including cached answers.
pub trait AnswerObserver {
    /// Receives an answer of a plugin. Calls come in the order of the cycle.
    fn answered(&mut self, plugin: &ProfilePlugin, answer: PluginAnswer<'_>);
}

/// An answer of a plugin at an extension point.
#[derive(Clone, Copy, Debug)]
pub enum PluginAnswer<'a> {
    /// The answer of pre-filter.
    PreFilter(&'a PreFilterResult),
    /// The filter's verdicts on these nodes, which passed the earlier filters.
    Verdicts(&'a [NodeId], &'a Verdicts),
    /// The filter's rejection of a node with the pods that are nominated to it. No filter is asked about the node
    /// without these pods.
    RejectedWithNominated(NodeId, &'a Status),
    /// The answer of pre-score.
    PreScore(PreScoreResult),
    /// The scores of the nodes that fit, before the weight.
    Scores {
        /// The nodes.
        nodes: &'a [NodeId],
        /// The scores as the plugin returned them, parallel to the nodes.
        raw: &'a [i64],
        /// The normalized scores, parallel to the nodes. A score outside of 0 to 100 is an error of the plugin.
        normalized: &'a [i64],
    },
}
