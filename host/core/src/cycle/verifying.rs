//! Compares cached results with fresh results.

use std::sync::Arc;

use super::filtering::{Candidates, Feasible};
use super::{Distrusted, Failure, ProfilePlugin, SchedulingCycle};
use crate::cache::NodeId;
use crate::plugins::{PluginId, Scope};
use crate::profile::Profile;

impl SchedulingCycle<'_> {
    /// Returns whether a cached result of the plugin was wrong.
    pub(super) fn is_distrusted(&self, plugin: &ProfilePlugin) -> bool {
        self.distrusted.iter().any(|distrusted| distrusted.plugin == Some(plugin.id))
    }

    /// Marks the plugin as distrusted if a cached result differs from the fresh result for the node at index
    /// `differs`.
    pub(super) fn distrust(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId], differs: Option<usize>, kind: &str) {
        let Some(at) = differs else { return };
        let node = self.cache.node(nodes[at]).map_or("", |info| &info.node.name);
        self.distrust_about(plugin, &format!("{kind} on node {node}"));
    }

    /// Marks the plugin as distrusted. `what` names the result that differs.
    pub(super) fn distrust_about(&mut self, plugin: &ProfilePlugin, what: &str) {
        let pod = &self.pod.key;
        let what = if self.skips(plugin) {
            format!(
                "says that it has nothing to do with pods such as {pod}, but its {what} is another; it is asked about every \
                 pod from now on. Mend skip"
            )
        } else if plugin.declaration.filter_scope == Scope::Domain || plugin.declaration.score_scope == Scope::Domain {
            format!(
                "declares scope domain, but its {what} for pod {pod} is another by class than when it is asked about the \
                 nodes; it is asked about all nodes for every pod from now on. Mend classify or score-classes, or declare scope \
                 cluster"
            )
        } else {
            format!(
                "declares scope node, but its {what} for pod {pod} is another than it was while nothing that it declares to \
                 read changed, or than that of a node with the same facts; it is asked for every pod from now on. Declare the \
                 facts it reads (name, where it matters which node it is), or scope cluster"
            )
        };
        self.distrusted.push(Distrusted { plugin: Some(plugin.id), name: Arc::clone(&plugin.declaration.name), what });
    }

    /// Compares the candidate index with the result that was computed for this pod alone, and drops the index if they
    /// differ.
    pub(super) fn check_followed(
        &mut self,
        profile: &Profile,
        found: &Feasible<'_>,
        skipped: &[PluginId],
        totals: &[i64],
    ) -> Result<(), Failure> {
        self.verify = false;
        let differs = self.followed_differs(profile, found, skipped, totals);
        self.verify = true;
        if let Some(what) = differs? {
            self.answers.forget_followed();
            let what =
                format!("{what} for pod {} are others than when asked anew; what is kept begins anew", self.pod.key);
            self.distrusted.push(Distrusted { plugin: None, name: "berth".into(), what });
        }
        Ok(())
    }

    fn followed_differs(
        &mut self,
        profile: &Profile,
        found: &Feasible<'_>,
        skipped: &[PluginId],
        totals: &[i64],
    ) -> Result<Option<&'static str>, Failure> {
        let candidates = Candidates::all(found.filters.clone());
        let Some(nodes) = self.followed(profile, &candidates)? else { return Ok(None) };
        let feasible = Feasible { nodes, filters: candidates.filters };
        let listed = self.listed(&feasible.nodes, &feasible.filters)?;
        if listed.len() != feasible.nodes.len() || listed != self.listed(&found.nodes, &found.filters)? {
            return Ok(Some("the nodes that fit"));
        }
        let best = self.with_best(profile, &feasible, skipped, |best| Some((best.total, best.len())))?;
        let highest = totals.iter().copied().max().unwrap_or_default();
        let expected = (highest, totals.iter().filter(|total| **total == highest).count());
        Ok(best.filter(|best| *best != expected).map(|_| "the best nodes"))
    }
}
