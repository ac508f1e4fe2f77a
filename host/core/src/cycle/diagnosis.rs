//! Why no node fits, in kube-scheduler's words.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::plugins::{Code, Status, TemplateId};
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
    rejection: Rejection,
}

impl Diagnosis {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, ..Self::default() }
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

    pub(super) fn add(&mut self, status: &Status, nodes: usize) {
        if nodes == 0 {
            return;
        }
        for reason in &status.reasons {
            *self.reasons.entry(Arc::clone(reason)).or_default() += nodes;
        }
    }

    pub(super) fn reject_all(&mut self, status: &Status) {
        self.all = Some(status.reasons.join(", "));
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0/{} nodes are available:", self.nodes)?;
        if let Some(all) = &self.all {
            return write!(f, " {all}.");
        }
        let mut lines: Vec<String> = self.reasons.iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
        lines.sort_unstable();
        if lines.is_empty() { Ok(()) } else { write!(f, " {}.", lines.join(", ")) }
    }
}
