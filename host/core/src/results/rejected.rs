//! The reasons for which nodes are not in an entry of the candidate index, for decision records.

use std::sync::Arc;

use super::entry_at;
use crate::cache::NodeId;
use crate::decision::Details;
use crate::plugins::Status;

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

    /// Adds a plugin's rejection of nodes that have none.
    pub fn add(&mut self, plugin: &Arc<str>, status: &Status, nodes: &[NodeId]) {
        let number = self.number(plugin, status);
        for node in nodes {
            *entry_at(&mut self.numbers, node.0 as usize, 0) = number;
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
    use crate::plugins::Code;

    #[test]
    fn rejected_nodes_are_counted_until_they_are_filtered_again() {
        let status = |reason: &str| Status { code: Code::Unschedulable, reasons: vec![reason.into()] };
        let nodes: Vec<NodeId> = (0..6).map(NodeId).collect();
        let mut rejected = RejectedBy::default();
        rejected.add(&"A".into(), &status("full"), &[nodes[1], nodes[3], nodes[4], nodes[5]]);
        rejected.add(&"A".into(), &status("old"), &nodes[2..3]);
        let counts = |rejected: &RejectedBy| -> Vec<(String, usize, usize)> {
            let all = rejected.counts().into_iter();
            all.map(|(_, status, count, examples)| (status.reasons[0].to_string(), count, examples.len())).collect()
        };
        assert_eq!(counts(&rejected), [("full".to_owned(), 4, 3), ("old".to_owned(), 1, 1)]);
        rejected.remove(&nodes[2..4]);
        assert_eq!(counts(&rejected), [("full".to_owned(), 3, 3)]);
    }
}
