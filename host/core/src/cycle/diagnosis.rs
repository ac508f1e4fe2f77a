//! The reasons why no node fits, with kube-scheduler's messages.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use super::rejected_nodes::RejectedNodes;
use crate::cache::NodeId;
use crate::decision::RowKind;
use crate::plugins::{Code, PluginId, PodSignatureId, Status};
use crate::profile::ProfilePlugin;
use crate::queue::{Rejection, Rejector};

/// The rejections of the nodes (kube-scheduler's `Diagnosis`). Displays as the message of the FailedScheduling event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The number of nodes in the message.
    nodes: usize,
    /// The reason, if a pre-filter rejected the pod on all nodes.
    all: Option<String>,
    /// The number of nodes with each reason.
    reasons: BTreeMap<Arc<str>, usize>,
    /// Plugins that skipped the pod at pre-filter, so that their filters were not asked.
    pub(super) skipped: Vec<PluginId>,
    codes: HashMap<NodeId, Code>,
    /// The code of the nodes that no filter looked at, if a pre-filter rejected the pod.
    code_of_the_rest: Option<Code>,
    /// The message of the post-filters; empty if they returned no message.
    pub(super) post_filter: String,
    rejection: Rejection,
    /// The rejected nodes for the decision record.
    pub(super) rejected_nodes: RejectedNodes,
}

impl Diagnosis {
    /// Creates a diagnosis without rejections, for a message with this number of nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Counts the rejected nodes for the decision record, if `is_recording` is true.
    pub(super) fn recording(self, is_recording: bool) -> Self {
        Self { rejected_nodes: RejectedNodes::new(is_recording), ..self }
    }

    /// Returns the diagnosis of a rejection on the chosen node. `by` is the plugin that rejected the pod, with the
    /// pod's signature, if the plugin is known.
    pub(crate) fn of_one(node: NodeId, status: &Status, by: Option<(&ProfilePlugin, PodSignatureId)>) -> Self {
        let mut diagnosis = Self::new(1);
        diagnosis.add_reasons(status, &[node]);
        if let Some((plugin, signature)) = by {
            diagnosis.add_plugin(plugin, status.code, signature);
        }
        diagnosis
    }

    /// Returns the plugins that rejected the pod.
    #[must_use]
    pub fn rejection(&self) -> &Rejection {
        &self.rejection
    }

    /// Returns the distinct reasons of the plugins.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = &Arc<str>> {
        self.reasons.keys()
    }

    /// Adds a plugin that rejected the pod of this signature with this code.
    pub(super) fn add_plugin(&mut self, plugin: &ProfilePlugin, code: Code, signature: PodSignatureId) {
        let pending = code == Code::Pending;
        match self.rejection.by.iter_mut().find(|by| by.id == plugin.id) {
            Some(by) => by.pending |= pending,
            None => {
                let (id, declaration) = (plugin.id, Arc::clone(&plugin.declaration));
                self.rejection.by.push(Rejector { id, declaration, pending, signature });
            }
        }
    }

    /// Adds the extenders as rejectors.
    pub(super) fn add_extenders(&mut self) {
        self.rejection.by.push(Rejector::extenders());
    }

    /// Adds an extender's rejection of a node. `None` is a node that the cluster does not have. A plugin's rejection
    /// of the same node stays.
    pub(super) fn add_from_extender(&mut self, status: &Status, node: Option<NodeId>) {
        match node {
            Some(node) if self.codes.contains_key(&node) => {}
            Some(node) => self.add_reasons(status, &[node]),
            None => status.reasons.iter().for_each(|reason| *self.reasons.entry(Arc::clone(reason)).or_default() += 1),
        }
    }

    /// Returns the code with which this node was rejected. For a node that no filter looked at, this is the
    /// pre-filter's code, or else `UnschedulableAndUnresolvable`.
    pub(super) fn code_of(&self, node: NodeId) -> Code {
        let rest = self.code_of_the_rest.unwrap_or(Code::UnschedulableAndUnresolvable);
        self.codes.get(&node).copied().unwrap_or(rest)
    }

    /// Adds nodes that this plugin rejected, or that `kind` excluded.
    pub(super) fn add(&mut self, kind: RowKind, plugin: &Arc<str>, status: &Status, nodes: &[NodeId]) {
        self.rejected_nodes.add(kind, plugin, status, nodes);
        self.add_reasons(status, nodes);
    }

    fn add_reasons(&mut self, status: &Status, nodes: &[NodeId]) {
        if nodes.is_empty() {
            return;
        }
        self.codes.extend(nodes.iter().map(|node| (*node, status.code)));
        for reason in &status.reasons {
            *self.reasons.entry(Arc::clone(reason)).or_default() += nodes.len();
        }
    }

    /// Replaces all rejections by the rejection of all nodes by this plugin.
    pub(super) fn reject_all(&mut self, kind: RowKind, plugin: &Arc<str>, status: &Status) {
        self.rejected_nodes.set_all(kind, plugin, status, self.nodes);
        self.all = Some(status.reasons.join(", "));
        self.code_of_the_rest = Some(status.code);
        self.codes.clear();
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0/{} nodes are available:", self.nodes)?;
        let mut lines: Vec<String> = self.reasons.iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
        lines.sort_unstable();
        match &self.all {
            Some(all) => write!(f, " {all}.")?,
            None if lines.is_empty() => {}
            None => write!(f, " {}.", lines.join(", "))?,
        }
        if self.post_filter.is_empty() { Ok(()) } else { write!(f, " {}", self.post_filter) }
    }
}
