//! Counts the nodes that a cycle excluded, for the decision record: each node once, by what excluded it.

use std::sync::Arc;

use crate::cache::{Cache, NodeId};
use crate::decision::{Details, Row, RowKind};
use crate::plugins::{Code, Status};

/// The excluded nodes, by reason. Empty in a cycle without a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RejectedNodes {
    is_recording: bool,
    /// The rows of the record without examples, each with the ids of its examples.
    rows: Vec<(Row, Vec<NodeId>)>,
}

impl RejectedNodes {
    /// Creates an empty count, which ignores all nodes unless `is_recording` is true.
    pub fn new(is_recording: bool) -> Self {
        Self { is_recording, rows: Vec::new() }
    }

    /// Returns whether no node was counted.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds nodes that this plugin rejected, or that `kind` excluded.
    pub fn add(&mut self, kind: RowKind, plugin: &Arc<str>, status: &Status, nodes: &[NodeId]) {
        self.add_some(kind, plugin, status, nodes.len(), nodes);
    }

    /// Adds `count` nodes, of which at least some are in `nodes`.
    pub fn add_some(&mut self, kind: RowKind, plugin: &Arc<str>, status: &Status, count: usize, nodes: &[NodeId]) {
        if !self.is_recording || count == 0 {
            return;
        }
        let is_it = |(row, _): &(Row, _)| {
            row.kind == kind && row.plugin == *plugin && row.code == status.code && row.reasons == status.reasons
        };
        let at = self.rows.iter().position(is_it).unwrap_or_else(|| {
            if self.rows.len() < Details::MOST_ROWS {
                let (plugin, reasons) = (Arc::clone(plugin), status.reasons.clone());
                let row = Row { kind, plugin, code: status.code, reasons, nodes: 0, examples: Vec::new() };
                self.rows.push((row, Vec::new()));
            }
            self.rows.len() - 1
        });
        let (row, examples) = &mut self.rows[at];
        row.nodes = row.nodes.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        examples.extend(nodes.iter().take(Details::MOST_EXAMPLES.saturating_sub(examples.len())));
    }

    /// Replaces all nodes by all nodes of the cluster, which this plugin rejected.
    pub fn set_all(&mut self, kind: RowKind, plugin: &Arc<str>, status: &Status, count: usize) {
        self.rows.clear();
        self.add_some(kind, plugin, status, count, &[]);
    }

    /// Adds nodes that the cycle did not look at.
    pub fn add_not_looked_at(&mut self, count: usize) {
        let status = Status { code: Code::default(), reasons: Vec::new() };
        self.add_some(RowKind::NotLookedAt, &Arc::default(), &status, count, &[]);
    }

    /// Returns the rows of the record, the largest first.
    pub fn rows(&self, cache: &Cache) -> Vec<Row> {
        let name = |node: &NodeId| cache.node(*node).map(|info| info.node.name.clone());
        let row = |(row, examples): &(Row, Vec<NodeId>)| Row {
            examples: examples.iter().filter_map(name).collect(),
            ..row.clone()
        };
        let mut rows: Vec<Row> = self.rows.iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.nodes));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(reason: &str) -> Status {
        Status { code: Code::Unschedulable, reasons: vec![reason.into()] }
    }

    #[test]
    fn equal_reasons_share_a_row_and_the_last_row_takes_what_has_no_row() {
        let mut rejected = RejectedNodes::new(true);
        let plugin: Arc<str> = "A".into();
        rejected.add(RowKind::Rejected, &plugin, &status("full"), &[NodeId(1), NodeId(2)]);
        rejected.add(RowKind::Rejected, &plugin, &status("full"), &[NodeId(3), NodeId(4)]);
        for n in 0..1000 {
            rejected.add(RowKind::Rejected, &plugin, &status(&n.to_string()), &[NodeId(5)]);
        }
        let rows = rejected.rows(&Cache::default());
        assert_eq!(rows.len(), Details::MOST_ROWS);
        assert_eq!(rows.iter().map(|row| row.nodes).sum::<u32>(), 1004);
        let (_, examples) = rejected.rows.iter().find(|(row, _)| row.nodes == 4).expect("a row of four nodes");
        assert_eq!(*examples, [NodeId(1), NodeId(2), NodeId(3)]);
    }

    #[test]
    fn nothing_is_counted_without_a_record() {
        let mut rejected = RejectedNodes::new(false);
        rejected.add(RowKind::Rejected, &"A".into(), &status("full"), &[NodeId(1)]);
        rejected.add_not_looked_at(5);
        assert_eq!(rejected, RejectedNodes::new(false));
    }
}
