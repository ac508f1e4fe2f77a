//! Why no node fits, in kube-scheduler's words.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::cache::NodeId;
use crate::extenders;
use crate::plugins::{Code, PluginId, Status, TemplateId};
use crate::profile::ProfilePlugin;
use crate::queue::{Rejection, Rejector};

/// What was said about the nodes that do not fit (kube-scheduler's `Diagnosis`). Displays as the message of the
/// FailedScheduling event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    nodes: usize,
    /// Where a pre-filter rejected the pod on all of them.
    all: Option<String>,
    reasons: BTreeMap<Arc<str>, usize>,
    /// Plugins whose filter had nothing to do.
    skipped: Vec<PluginId>,
    codes: HashMap<NodeId, Code>,
    /// Of the nodes that no filter looked at.
    code_of_the_rest: Option<Code>,
    /// What those said who could make room.
    post_filter: String,
    rejection: Rejection,
}

impl Diagnosis {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// What was said about the node that was chosen; by whom, if that is still known, and about which template.
    pub(crate) fn of_one(node: NodeId, status: &Status, by: Option<(&ProfilePlugin, TemplateId)>) -> Self {
        let mut diagnosis = Self::new(1);
        diagnosis.add(status, &[node]);
        if let Some((plugin, template)) = by {
            diagnosis.add_plugin(plugin, status.code, template);
        }
        diagnosis
    }

    /// The plugins that said no.
    #[must_use]
    pub fn rejection(&self) -> &Rejection {
        &self.rejection
    }

    /// The plugin said no with this code, to the pod of this template.
    pub(super) fn add_plugin(&mut self, plugin: &ProfilePlugin, code: Code, template: TemplateId) {
        let pending = code == Code::Pending;
        match self.rejection.by.iter_mut().find(|by| by.id == plugin.id) {
            Some(by) => by.pending |= pending,
            None => {
                let (id, declaration) = (plugin.id, Arc::clone(&plugin.declaration));
                self.rejection.by.push(Rejector { id, declaration, pending, template });
            }
        }
    }

    /// Extenders took nodes away.
    pub(super) fn add_extenders(&mut self) {
        self.rejection.by.push(extenders::rejector());
    }

    /// What an extender says of a node, which may be none of the cluster's. What a plugin said of it before stays.
    pub(super) fn add_from_extender(&mut self, status: &Status, node: Option<NodeId>) {
        match node {
            Some(node) if self.codes.contains_key(&node) => {}
            Some(node) => self.add(status, &[node]),
            None => status.reasons.iter().for_each(|reason| *self.reasons.entry(Arc::clone(reason)).or_default() += 1),
        }
    }

    /// The code by which this node was rejected. One that was not looked at can't be helped, unless a pre-filter said so.
    pub(super) fn code_of(&self, node: NodeId) -> Code {
        let rest = self.code_of_the_rest.unwrap_or(Code::UnschedulableAndUnresolvable);
        self.codes.get(&node).copied().unwrap_or(rest)
    }

    pub(super) fn skipped(&self) -> &[PluginId] {
        &self.skipped
    }

    pub(super) fn add_skipped(&mut self, plugin: PluginId) {
        self.skipped.push(plugin);
    }

    pub(super) fn add(&mut self, status: &Status, nodes: &[NodeId]) {
        if nodes.is_empty() {
            return;
        }
        self.codes.extend(nodes.iter().map(|node| (*node, status.code)));
        for reason in &status.reasons {
            *self.reasons.entry(Arc::clone(reason)).or_default() += nodes.len();
        }
    }

    pub(super) fn reject_all(&mut self, status: &Status) {
        self.all = Some(status.reasons.join(", "));
        self.code_of_the_rest = Some(status.code);
        self.codes.clear();
    }

    pub(super) fn post_filter_said(&mut self, said: String) {
        self.post_filter = said;
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
