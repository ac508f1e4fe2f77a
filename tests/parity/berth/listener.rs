//! Records a plugin's answers during a cycle.

use std::collections::BTreeMap;

use berth_core::cache::{Cache, NodeId};
use berth_core::cycle::{AnswerObserver, PluginAnswer};
use berth_core::plugins::{self, Code, PreFilterResult, PreScoreResult, Verdicts};
use berth_core::profile::ProfilePlugin;

use crate::answer::{Score, Status, Verdict, left_out};

/// The answers of the last plugin of a profile, by node id. A plugin that is asked alone has a profile of its own.
#[derive(Default)]
pub struct Listener {
    pre_filter: Option<PreFilterResult>,
    verdicts: Vec<(NodeId, Option<plugins::Status>)>,
    scores: Option<Vec<(NodeId, Score)>>,
}

impl AnswerObserver for Listener {
    fn answered(&mut self, _: &ProfilePlugin, answer: PluginAnswer<'_>) {
        match answer {
            PluginAnswer::PreFilter(result) => self.pre_filter = Some(result.clone()),
            PluginAnswer::Verdicts(nodes, verdicts) => {
                let status = |at: usize| of_node(verdicts, at).cloned();
                self.verdicts = nodes.iter().enumerate().map(|(at, node)| (*node, status(at))).collect();
            }
            // The plugins are compared only in cases without nominated pods.
            PluginAnswer::RejectedWithNominated(..) => {}
            PluginAnswer::PreScore(PreScoreResult::Score | PreScoreResult::Skip) => {}
            PluginAnswer::Scores { nodes, raw, normalized } => {
                let scores =
                    raw.iter().zip(normalized).map(|(raw, normalized)| Score { raw: *raw, normalized: *normalized });
                self.scores = Some(nodes.iter().copied().zip(scores).collect());
            }
        }
    }
}

fn of_node(verdicts: &Verdicts, at: usize) -> Option<&plugins::Status> {
    verdicts.outcomes.get(usize::from(verdicts.nodes[at]).checked_sub(1)?)
}

impl Listener {
    /// Returns the answers by node name.
    pub fn verdict(self, cache: &Cache) -> Verdict {
        let name = |node: NodeId| cache.node(node).map_or_else(String::new, |info| info.node.name.to_string());
        let by_name = self.verdicts.into_iter().filter_map(|(node, status)| Some((name(node), status_of(&status?))));
        let mut rejected: BTreeMap<String, Status> = by_name.collect();
        let nodes = || cache.nodes().map(|info| info.node.name.to_string());
        match &self.pre_filter {
            Some(PreFilterResult::Reject(status)) => rejected.extend(nodes().map(|node| (node, status_of(status)))),
            Some(PreFilterResult::Narrow(left)) => {
                let out = nodes().filter(|node| !left.iter().any(|left| **left == **node));
                rejected.extend(out.map(|node| (node, left_out())));
            }
            Some(PreFilterResult::All | PreFilterResult::Skip) | None => {}
        }
        Verdict {
            skips: self.pre_filter == Some(PreFilterResult::Skip),
            rejected,
            scores: self.scores.map(|scores| scores.into_iter().map(|(node, score)| (name(node), score)).collect()),
            ..Verdict::default()
        }
    }
}

/// Converts a status to the form in which statuses are compared.
pub fn status_of(status: &plugins::Status) -> Status {
    let code = match status.code {
        Code::Unschedulable => "Unschedulable",
        Code::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
        Code::Error => "Error",
        Code::Pending => "Pending",
    };
    Status { code: code.into(), reasons: status.reasons.iter().map(|reason| reason.to_string()).collect() }
}
