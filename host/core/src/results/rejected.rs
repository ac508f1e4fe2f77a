//! The reasons for which nodes are not in an entry of the candidate index, for decision records.

use std::sync::Arc;

use super::entry_at;
use crate::cache::NodeId;
use crate::decision::Details;
use crate::plugins::{Status, Verdicts};
use crate::profile::ProfilePlugin;

/// Rejections of nodes that were filtered in this cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreshRejections {
    /// Each rejection with its plugin and the nodes.
    all: Vec<(Arc<str>, Status, Vec<NodeId>)>,
}

impl FreshRejections {
    /// Adds the rejections of a filter. `nodes` are the nodes of the verdicts.
    pub fn add(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId], verdicts: &Verdicts) {
        let mut rejected: Vec<Vec<NodeId>> = vec![Vec::new(); verdicts.outcomes.len()];
        for (node, answer) in nodes.iter().zip(&verdicts.nodes) {
            if let Some(rejected) = usize::from(*answer).checked_sub(1).and_then(|at| rejected.get_mut(at)) {
                rejected.push(*node);
            }
        }
        let name = &plugin.declaration.name;
        let with_nodes = verdicts.outcomes.iter().zip(rejected).filter(|(_, nodes)| !nodes.is_empty());
        self.all.extend(with_nodes.map(|(status, nodes)| (Arc::clone(name), status.clone(), nodes)));
    }
}

/// The rejected nodes with the plugin that rejected each and its reasons.
#[derive(Clone, Debug, Default)]
pub(crate) struct RejectedBy {
    /// Distinct rejections, at most [`Details::MOST_ROWS`]. Further rejections count as the last of these.
    reasons: Vec<(Arc<str>, Status)>,
    /// By node id: 0 for a node that is not rejected, otherwise the index into `reasons` plus 1.
    numbers: Vec<u16>,
}

impl RejectedBy {
    /// Removes these nodes from the rejected nodes.
    pub fn remove(&mut self, nodes: &[NodeId]) {
        if self.reasons.is_empty() {
            return;
        }
        for node in nodes {
            if let Some(number) = self.numbers.get_mut(node.0 as usize) {
                *number = 0;
            }
        }
    }

    /// Adds rejections of nodes that have none.
    pub fn add(&mut self, fresh: &FreshRejections) {
        for (plugin, status, nodes) in &fresh.all {
            let number = self.number(plugin, status);
            for node in nodes {
                *entry_at(&mut self.numbers, node.0 as usize, 0) = number;
            }
        }
    }

    fn number(&mut self, plugin: &Arc<str>, status: &Status) -> u16 {
        let known = self.reasons.iter().position(|(by, known)| by == plugin && known == status);
        let at = known.unwrap_or_else(|| {
            if self.reasons.len() < Details::MOST_ROWS {
                self.reasons.push((Arc::clone(plugin), status.clone()));
            }
            self.reasons.len() - 1
        });
        u16::try_from(at + 1).unwrap_or(u16::MAX)
    }

    /// Returns each rejection with at least one node: the plugin, the rejection, the number of nodes, and the first
    /// nodes, at most [`Details::MOST_EXAMPLES`].
    pub fn counts(&self) -> Vec<(&Arc<str>, &Status, usize, Vec<NodeId>)> {
        let mut counts: Vec<(usize, Vec<NodeId>)> = vec![(0, Vec::new()); self.reasons.len()];
        for (node, number) in (0..).zip(&self.numbers).filter(|(_, number)| **number > 0) {
            let (count, examples) = &mut counts[usize::from(*number) - 1];
            *count += 1;
            if examples.len() < Details::MOST_EXAMPLES {
                examples.push(NodeId(node));
            }
        }
        let with_nodes = self.reasons.iter().zip(counts).filter(|(_, (count, _))| *count > 0);
        with_nodes.map(|((plugin, status), (count, examples))| (plugin, status, count, examples)).collect()
    }

    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<u16>() + self.reasons.len() * size_of::<(Arc<str>, Status)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::{Code, Declaration, PluginId};
    use crate::profile::FailurePolicy;

    #[test]
    fn rejected_nodes_are_counted_until_they_are_filtered_again() {
        let declaration = Arc::new(Declaration { name: "A".into(), ..Declaration::default() });
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: FailurePolicy::Fail };
        let status = |reason: &str| Status { code: Code::Unschedulable, reasons: vec![reason.into()] };
        let nodes: Vec<NodeId> = (0..6).map(NodeId).collect();
        let verdicts = Verdicts { outcomes: vec![status("full"), status("old")], nodes: vec![0, 1, 2, 1, 1, 1] };
        let mut rejected = RejectedBy::default();
        let mut fresh = FreshRejections::default();
        fresh.add(&plugin, &nodes, &verdicts);
        rejected.add(&fresh);
        let counts = |rejected: &RejectedBy| -> Vec<(String, usize, usize)> {
            let all = rejected.counts().into_iter();
            all.map(|(_, status, count, examples)| (status.reasons[0].to_string(), count, examples.len())).collect()
        };
        assert_eq!(counts(&rejected), [("full".to_owned(), 4, 3), ("old".to_owned(), 1, 1)]);
        rejected.remove(&nodes[2..4]);
        assert_eq!(counts(&rejected), [("full".to_owned(), 3, 3)]);
    }
}
