//! Filtering as if nodes had other pods: for nominated pods, and for whoever makes room.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Failure, Placing};
use crate::cache::NodeId;
use crate::facts::NodeFacts;
use crate::model::Pod;
use crate::plugins::{PluginError, Scope, Status, Verdicts, WhatIf};
use crate::profile::ProfilePlugin;

/// Facts that change with a node's pods.
const FACTS_OF_PODS: NodeFacts = NodeFacts::USAGE.union(NodeFacts::USED_PORTS).union(NodeFacts::PODS);

/// Who says no to a case, and why.
pub(crate) struct CaseRejected<'p> {
    pub plugin: &'p ProfilePlugin,
    pub status: Status,
}

impl Placing<'_> {
    /// For each case the first of `filters` that rejects the pod there; `None` where it fits. Kept answers are used of
    /// plugins to which a node's pods are nothing, and not changed by what others say.
    pub(crate) fn what_if<'p>(
        &mut self,
        filters: &[&'p ProfilePlugin],
        cases: &[WhatIf],
    ) -> Result<Vec<Option<CaseRejected<'p>>>, Failure> {
        let mut rejected: Vec<Option<CaseRejected<'p>>> = cases.iter().map(|_| None).collect();
        let mut open: Vec<usize> = (0..cases.len()).collect();
        for plugin in filters.iter().copied() {
            if open.is_empty() {
                break;
            }
            let verdicts = self.verdicts_if(plugin, cases, &open)?;
            let mut answers = verdicts.nodes.iter();
            open.retain(|case| match answers.next().and_then(|answer| usize::from(*answer).checked_sub(1)) {
                None => true,
                Some(outcome) => {
                    let status = verdicts.outcomes[outcome].clone();
                    rejected[*case] = Some(CaseRejected { plugin, status });
                    false
                }
            });
        }
        Ok(rejected)
    }

    fn verdicts_if(
        &mut self,
        plugin: &ProfilePlugin,
        cases: &[WhatIf],
        open: &[usize],
    ) -> Result<Verdicts, PluginError> {
        let declaration = &plugin.declaration;
        if declaration.filter_scope == Scope::Node && !declaration.node_facts.intersects(FACTS_OF_PODS) {
            let nodes: Vec<NodeId> = open.iter().map(|case| cases[*case].node).collect();
            return self.filter(plugin, &nodes);
        }
        let asked: Vec<WhatIf> = open.iter().map(|case| cases[*case].clone()).collect();
        self.fresh_verdicts_if(plugin, &asked)
    }

    /// Those of the nodes on which room is promised to other pods of at least this one's priority, with these pods there.
    pub(super) fn with_nominated(&self, nodes: &[NodeId]) -> Vec<WhatIf> {
        let promised = self.promised();
        if promised.is_empty() {
            return Vec::new();
        }
        let case = |node: &NodeId| {
            let added = promised.get(node)?.clone();
            Some(WhatIf { node: *node, added, removed: Vec::new() })
        };
        nodes.iter().filter_map(case).collect()
    }

    /// Where room is promised to other pods of at least this one's priority, and to whom.
    pub(super) fn promised(&self) -> BTreeMap<NodeId, Vec<Arc<Pod>>> {
        let pod = self.pod;
        let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority && other.key.uid != pod.key.uid;
        self.nominations
            .nodes()
            .filter_map(|(name, pods)| Some((self.cache.node_id(name)?, pods.filter(counts).cloned().collect())))
            .filter(|(_, pods): &(_, Vec<_>)| !pods.is_empty())
            .collect()
    }
}
