//! Compares cached results with fresh results.

use std::sync::Arc;

use super::feasible::{Candidates, Feasible, Nodes};
use super::{Failure, ProfilePlugin, SchedulingCycle};
use crate::cache::NodeId;
use crate::plugins::Scope;
use crate::results::Distrusted;

impl<'a> SchedulingCycle<'a> {
    /// Marks the plugin as distrusted if a cached result differs from the fresh result for one of `nodes`. `differs`
    /// compares the results for the node at this index.
    pub(super) fn distrust(
        &mut self,
        plugin: &ProfilePlugin,
        nodes: &[NodeId],
        kind: &str,
        differs: impl FnMut(&usize) -> bool,
    ) {
        let Some(at) = (0..nodes.len()).find(differs) else { return };
        let node = self.cache.node_name(nodes[at]);
        self.distrust_about(plugin, &format!("{kind} on node {node}"));
    }

    /// Marks the plugin as distrusted. `what` names the result that differs.
    pub(super) fn distrust_about(&mut self, plugin: &ProfilePlugin, what: &str) {
        let pod = &self.pod.key;
        let what = if self.skips(plugin) {
            format!(
                "skips pods such as {pod}, but its {what} is not that of a skipped pod; from now on the plugin is called for \
                 every pod. Correct skip"
            )
        } else if plugin.declaration.filter_scope == Scope::Domain || plugin.declaration.score_scope == Scope::Domain {
            format!(
                "declares scope domain, but its {what} for pod {pod} by class differs from its answer about the node; from \
                 now on the plugin is called about all nodes for every pod. Correct classify or score-classes, or declare \
                 scope cluster"
            )
        } else {
            format!(
                "declares scope node, but its {what} for pod {pod} changed although no declared fact changed, or differs from \
                 that of a node with the same facts; from now on the plugin is called for every pod. Declare the facts that it \
                 reads (name, if the answer depends on which node it is), or scope cluster"
            )
        };
        self.results.distrusted.push(Distrusted {
            plugin: Some(plugin.id),
            name: Arc::clone(&plugin.declaration.name),
            what,
        });
    }

    /// Compares the candidate index with the result that was computed for this pod alone, and drops the index if they
    /// differ.
    pub(super) fn check_index(&mut self, found: &Feasible<'a>, totals: &[i64]) -> Result<(), Failure> {
        self.verify = false;
        let differs = self.index_differs(found, totals);
        self.verify = true;
        if let Some(what) = differs? {
            self.results.drop_candidates();
            let what = format!(
                "{what} for pod {} in the candidate index differ from fresh results; the index is dropped",
                self.pod.key
            );
            self.results.distrusted.push(Distrusted { plugin: None, name: "berth".into(), what });
        }
        Ok(())
    }

    fn index_differs(&mut self, found: &Feasible<'a>, totals: &[i64]) -> Result<Option<&'static str>, Failure> {
        let candidates = Candidates { narrowed: None, filters: found.filters.clone() };
        let Some(nodes) = self.indexed(&candidates)? else { return Ok(None) };
        let feasible = Feasible { nodes, filters: candidates.filters, skipped: found.skipped.clone() };
        let listed = self.listed(&feasible.nodes)?;
        if listed.len() != feasible.nodes.len() || listed != self.listed(&found.nodes)? {
            return Ok(Some("the nodes that fit"));
        }
        let Nodes::Indexed(indexed) = &feasible.nodes else { return Ok(None) };
        let Some(scores) = self.group_scores(&feasible)? else { return Ok(None) };
        let best = self.best_in_groups(indexed, &scores.shared).map(|best| (best.total, best.count()));
        let highest = totals.iter().copied().max().unwrap_or_default();
        let expected = (highest, totals.iter().filter(|total| **total == highest).count());
        Ok(best.filter(|best| *best != expected).map(|_| "the best nodes"))
    }
}
