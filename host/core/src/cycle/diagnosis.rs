//! Why no node fits, in kube-scheduler's words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::facts::NodeFacts;
use crate::model::ObjectKind;
use crate::plugins::{Scope, Status};
use crate::profile::ProfilePlugin;

/// What was said about the nodes that do not fit (kube-scheduler's `Diagnosis`). Displays as the message of the
/// FailedScheduling event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    nodes: usize,
    /// Where a pre-filter rejected the pod on all of them.
    all: Option<String>,
    reasons: BTreeMap<Arc<str>, usize>,
    plugins: BTreeSet<Arc<str>>,
    facts: NodeFacts,
    kinds: BTreeSet<Arc<ObjectKind>>,
}

impl Diagnosis {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// The plugins that said no.
    pub fn plugins(&self) -> impl Iterator<Item = &Arc<str>> {
        self.plugins.iter()
    }

    /// A change of one of these facts may make the pod schedulable.
    #[must_use]
    pub fn helpful_facts(&self) -> NodeFacts {
        self.facts
    }

    /// So may an object of one of these kinds.
    pub fn helpful_kinds(&self) -> impl Iterator<Item = &Arc<ObjectKind>> {
        self.kinds.iter()
    }

    pub(super) fn add_plugin(&mut self, plugin: &ProfilePlugin) {
        let declaration = &plugin.declaration;
        self.plugins.insert(Arc::clone(&declaration.name));
        self.kinds.extend(declaration.objects.iter().map(|reads| Arc::clone(&reads.kind)));
        self.facts |= match declaration.filter_scope {
            Scope::Node => declaration.node_facts,
            Scope::Domain | Scope::Cluster => NodeFacts::all(),
        };
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
