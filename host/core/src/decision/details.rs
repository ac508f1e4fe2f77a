//! The answers about all nodes in one scheduling cycle.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plugins::Code;
use crate::time::Timestamp;

/// The answers about all nodes in one scheduling cycle. The counts of `rows` and `feasible` add up to `nodes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// The number of the cycle that recorded these details. No other details have the same number.
    pub cycle: u64,
    /// The time of that cycle.
    pub recorded: Timestamp,
    /// The number of nodes in the cluster.
    pub nodes: u32,
    /// The number of nodes that passed all filters.
    pub feasible: u32,
    /// The other nodes, each counted once, by the plugin that rejected the node first and its reasons.
    pub rows: Vec<Row>,
    /// The best nodes, at most five, the best first. Empty if no node was scored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<BestNode>,
    /// What each plugin contributed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<PluginEffect>,
}

/// Nodes that are not feasible for the same reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// What excluded the nodes.
    pub kind: RowKind,
    /// The plugin that rejected the nodes. For `excludedByPreFilter`, all plugins that name other nodes, separated by
    /// commas. Empty for an extender and for nodes that were not looked at.
    pub plugin: Arc<str>,
    /// The status code of the rejection.
    pub code: Code,
    /// The plugin's reasons.
    pub reasons: Vec<Arc<str>>,
    /// The number of nodes.
    pub nodes: u32,
    /// The names of some of these nodes, at most three, in the order of their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Box<str>>,
}

/// What excluded nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RowKind {
    /// A plugin rejected the nodes, at pre-filter (all nodes) or filter.
    #[default]
    Rejected,
    /// Plugins at pre-filter named other nodes as the only candidates.
    ExcludedByPreFilter,
    /// An extender left the nodes out.
    RejectedByExtender,
    /// The cycle did not look at the nodes: enough nodes were found before, or the pod's nominated node fitted.
    NotLookedAt,
}

/// One of the best nodes with its scores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BestNode {
    /// The node's name.
    pub node: Box<str>,
    /// The total score, with the extenders' scores.
    pub total: i64,
    /// The score of each plugin that scored the pod.
    pub scores: Vec<PluginScore>,
}

/// The score of one plugin for one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginScore {
    /// The plugin.
    pub plugin: Arc<str>,
    /// The score as the plugin returned it.
    pub raw: i64,
    /// The normalized score, 0 to 100.
    pub normalized: i64,
    /// The normalized score multiplied by the plugin's weight in the profile.
    pub weighted: i64,
}

/// What a plugin contributed to the choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginEffect {
    /// The plugin.
    pub plugin: Arc<str>,
    /// Its contribution.
    pub effect: Effect,
}

/// The contribution of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// The plugin rejected at least one node.
    Rejected,
    /// The plugin gave different scores to the best nodes.
    Scored,
    /// The plugin rejected no node, and gave equal scores to the best nodes.
    #[default]
    None,
}

impl Details {
    /// The largest number of nodes in [`Details::best`].
    pub const MOST_BEST: usize = 5;

    /// The largest number of nodes in [`Row::examples`].
    pub const MOST_EXAMPLES: usize = 3;

    /// The largest number of rows. The nodes of further rows are counted in the last row.
    pub const MOST_ROWS: usize = 256;

    /// Returns the approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let row = |row: &Row| {
            let text: usize = row.reasons.iter().map(|reason| reason.len() + 16).sum();
            size_of::<Row>() + text + row.examples.iter().map(|name| name.len() + 16).sum::<usize>()
        };
        let best =
            |best: &BestNode| size_of::<BestNode>() + best.node.len() + best.scores.len() * size_of::<PluginScore>();
        size_of::<Self>()
            + self.rows.iter().map(row).sum::<usize>()
            + self.best.iter().map(best).sum::<usize>()
            + self.effects.len() * size_of::<PluginEffect>()
    }
}
