//! Filters hypothetical nodes, which are real nodes with some pods added or removed: for nominated pods and for
//! preemption.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::SchedulingCycle;
use super::asking::verdict;
use crate::cache::NodeId;
use crate::facts::NodeFacts;
use crate::model::Pod;
use crate::plugins::{PluginError, Scope, Status, Verdicts, WhatIf};
use crate::profile::ProfilePlugin;

/// Facts of a node that change with its pods.
const FACTS_OF_PODS: NodeFacts = NodeFacts::USAGE.union(NodeFacts::USED_PORTS).union(NodeFacts::PODS);

/// A plugin that rejects a case, with the status of the rejection.
pub(crate) struct CaseRejected<'p> {
    pub plugin: &'p ProfilePlugin,
    pub status: Status,
}

impl SchedulingCycle<'_> {
    /// Returns for each case the first of `filters` that rejects the pod, or `None` if the pod fits. Plugins of scope
    /// node that read no facts that a node's pods change are asked about the real nodes, so that cached results can be
    /// used.
    pub(crate) fn what_if<'p>(
        &mut self,
        filters: &[&'p ProfilePlugin],
        cases: &[WhatIf],
    ) -> Result<Vec<Option<CaseRejected<'p>>>, PluginError> {
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
        if declaration.filter_scope == Scope::Node && !declaration.node.facts.intersects(FACTS_OF_PODS) {
            let nodes: Vec<NodeId> = open.iter().map(|case| cases[*case].node).collect();
            return self.filter(plugin, &nodes);
        }
        let asked: Cow<'_, [WhatIf]> = match open.len() == cases.len() {
            true => Cow::Borrowed(cases),
            false => Cow::Owned(open.iter().map(|case| cases[*case].clone()).collect()),
        };
        match self.keeps(plugin, declaration.filter_scope) {
            true => self.cached_verdicts_if(plugin, &asked),
            false => self.fresh_verdicts_if(plugin, &asked),
        }
    }

    /// Returns the verdicts on these cases. Asks the plugin only about cases that are not cached, or about all if the
    /// cycle verifies or not all verdicts can be cached.
    fn cached_verdicts_if(&mut self, plugin: &ProfilePlugin, asked: &[WhatIf]) -> Result<Verdicts, PluginError> {
        let (results, _) = self.current(plugin);
        let missing: Vec<WhatIf> = results.what_if.missing(asked).into_iter().map(|at| asked[at].clone()).collect();
        if !missing.is_empty() {
            let fresh = self.fresh_verdicts_if(plugin, &missing)?;
            self.results_of(plugin).set_what_if(&missing, &fresh);
        }
        // `None` if the verdicts could not all be cached: too many cases of one node, or too many different
        // rejections.
        let cached = self.results_of(plugin).verdicts_if(asked);
        if let Some(cached) = cached.as_ref().filter(|_| !self.verify) {
            return Ok(cached.clone());
        }
        let fresh = self.fresh_verdicts_if(plugin, asked)?;
        if let Some(cached) = cached {
            let nodes: Vec<NodeId> = asked.iter().map(|case| case.node).collect();
            let differs = |at: &usize| verdict(&cached, *at) != verdict(&fresh, *at);
            self.distrust(plugin, &nodes, "verdict with hypothetical pods", differs);
        }
        Ok(fresh)
    }

    /// Returns the nodes to which other pods of at least this pod's priority are nominated, as cases with these pods
    /// added.
    pub(super) fn with_nominated(&self, nodes: &[NodeId]) -> Vec<WhatIf> {
        let with = |node, added| WhatIf { node, added, removed: Vec::new() };
        // Loops over the smaller set: the given nodes or the nominated nodes.
        if nodes.len() < self.nominations.node_count() {
            let added = |node: &NodeId| {
                let info = self.cache.node(*node)?;
                Some(self.counting(self.nominations.on(&info.node.name))).filter(|pods| !pods.is_empty())
            };
            return nodes.iter().filter_map(|node| Some(with(*node, added(node)?))).collect();
        }
        let nominated = self.nominated_pods();
        if nominated.is_empty() {
            return Vec::new();
        }
        nodes.iter().filter_map(|node| Some(with(*node, nominated.get(node)?.clone()))).collect()
    }

    /// Returns the nodes to which other pods of at least this pod's priority are nominated, with these pods.
    pub(super) fn nominated_pods(&self) -> BTreeMap<NodeId, Vec<Arc<Pod>>> {
        self.nominations
            .nodes()
            .filter_map(|(name, pods)| Some((self.cache.node_id(name)?, self.counting(pods))))
            .filter(|(_, pods)| !pods.is_empty())
            .collect()
    }

    /// Returns those of `pods` that have at least this pod's priority, without the pod itself.
    fn counting<'p>(&self, pods: impl Iterator<Item = &'p Arc<Pod>>) -> Vec<Arc<Pod>> {
        let pod = self.pod;
        let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority && other.key.uid != pod.key.uid;
        pods.filter(counts).cloned().collect()
    }
}
