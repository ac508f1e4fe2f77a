//! One scheduling cycle for a pod. It asks the profile's plugins in order and ends with a node or with the reasons
//! why no node fits.
//!
//! The order is: pre-filter → filter → extenders (→ post-filter, if no node is left) → pre-score → score → normalize
//! → weighted sum → extenders → a random node of the best. This follows kube-scheduler's `schedule_one.go`, but by
//! default over all nodes, and each plugin is asked about all nodes in one call.

mod asking;
mod by_class;
mod candidates;
mod diagnosis;
mod extending;
mod feasible;
mod filtering;
mod normalize;
mod observer;
mod post_filter;
mod ranking;
mod recorded_best;
mod recording;
mod rejected_nodes;
mod sampling;
mod scoring;
mod select;
mod verifying;
mod what_if;

use std::sync::Arc;

pub use self::asking::plugin_seed;
pub use self::diagnosis::Diagnosis;
pub use self::normalize::normalize_by_host;
pub use self::observer::{AnswerObserver, PluginAnswer};
pub use self::post_filter::{NominationChange, PostFilterOutcome};
pub(crate) use self::recording::{CycleRecord, Recording};
use crate::cache::{Cache, NodeId};
use crate::extenders::Extenders;
use crate::model::Pod;
use crate::nominations::Nominations;
use crate::plugins::{Classified, ExtensionPoints, PluginError, PluginId, Plugins, PodSignatureId, PointOutcome};
use crate::pod_signature::SetId;
use crate::profile::{Profile, ProfilePlugin};
use crate::results::ResultCache;
use crate::time::Timestamp;

/// The reason why a pod was not scheduled. Displays as the message of the FailedScheduling event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The cluster has no node.
    #[error("no nodes available to schedule pods")]
    NoNodes,
    /// No node fits.
    #[error("{0}")]
    Unschedulable(Diagnosis, Box<PostFilterOutcome>),
    /// A plugin failed.
    #[error("{0}")]
    Plugin(PluginError),
    /// A post-filter failed, or a filter that the post-filter asked.
    #[error("{0}")]
    PostFilter(PluginError),
    /// An extender that is not ignorable failed.
    #[error("{0}")]
    Extender(String),
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        Self::Plugin(error)
    }
}

/// A scheduling cycle for one pod.
pub(crate) struct SchedulingCycle<'a> {
    pub number: u64,
    pub time: Timestamp,
    pub seed: u64,
    pub pod: &'a Arc<Pod>,
    /// The plugins that the cycle asks.
    pub profile: &'a Profile,
    pub cache: &'a Cache,
    /// The pending pods with a nominated node.
    pub nominations: &'a Nominations,
    pub results: &'a mut ResultCache,
    pub plugins: &'a mut dyn Plugins,
    /// The extenders, which are asked after the plugins.
    pub extenders: &'a mut dyn Extenders,
    /// The index of the first node to look at in the list of nodes, if not all nodes are looked at. The cycle sets the
    /// index at which the next cycle starts.
    pub next_start: usize,
    /// Compare cached results with fresh results in this cycle.
    pub verify: bool,
    /// No evictions are under way for this pod, so that a post-filter may start a preemption.
    pub may_preempt: bool,
    /// Receives the answers at pre-filter, filter, pre-score and score.
    pub observer: Option<&'a mut dyn AnswerObserver>,
    pub lookups: Lookups,
    /// The cycle's part of the decision record; `None` if nothing is recorded.
    pub recording: Option<Recording>,
}

/// Values that are determined once in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookups {
    /// The pod's signature for each plugin that was asked, with the set of fields that the plugin reads.
    signatures: Vec<(PluginId, SetId, PodSignatureId)>,
    /// The plugins that were asked for classes, with their answers. `None` for a plugin that is asked node by node.
    by_class: Vec<(PluginId, Option<Arc<Classified>>)>,
}

impl SchedulingCycle<'_> {
    /// Returns the node for the pod.
    pub fn schedule(&mut self, rng: &mut fastrand::Rng) -> Result<NodeId, Failure> {
        if self.cache.node_count() == 0 {
            return Err(Failure::NoNodes);
        }
        let mut feasible = match self.feasible_nodes() {
            Err(Failure::Unschedulable(diagnosis, _)) => {
                self.record_rejection(&diagnosis.rejected_nodes);
                return Err(self.run_post_filters(diagnosis));
            }
            other => other?,
        };
        if feasible.nodes.len() == 1
            && let [only] = *self.listed(&feasible.nodes)?
        {
            self.record_only(&feasible);
            return Ok(only);
        }
        self.best_node(&mut feasible, rng)
    }

    /// Returns the nodes that fit, at least one, with their total scores. A single node is scored as well.
    pub fn feasible_nodes_with_scores(&mut self) -> Result<Vec<(NodeId, i64)>, Failure> {
        if self.cache.node_count() == 0 {
            return Err(Failure::NoNodes);
        }
        let mut feasible = self.feasible_nodes()?;
        let totals = self.total_scores(&mut feasible)?;
        let nodes = self.listed(&feasible.nodes)?;
        Ok(nodes.iter().copied().zip(totals).collect())
    }

    fn observe(&mut self, plugin: &ProfilePlugin, answer: PluginAnswer<'_>) {
        if let Some(observer) = &mut self.observer {
            observer.answered(plugin, answer);
        }
    }

    /// Runs an extension point and reports its start and its end.
    fn at<R>(
        &mut self,
        point: ExtensionPoints,
        run: impl FnOnce(&mut Self) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.at_with(point, run, |_| PointOutcome::Success)
    }

    /// As [`Self::at`], where `outcome` returns the outcome if nothing failed.
    fn at_with<R>(
        &mut self,
        point: ExtensionPoints,
        run: impl FnOnce(&mut Self) -> Result<R, Failure>,
        outcome: impl FnOnce(&R) -> PointOutcome,
    ) -> Result<R, Failure> {
        self.plugins.point_begins(point, &self.pod.spec.scheduler_name);
        let result = run(self);
        self.plugins.point_ends(match &result {
            Ok(answer) => outcome(answer),
            Err(Failure::Plugin(_) | Failure::PostFilter(_) | Failure::Extender(_)) => PointOutcome::Error,
            Err(Failure::NoNodes | Failure::Unschedulable(..)) => PointOutcome::Unschedulable,
        });
        result
    }
}

#[cfg(test)]
#[path = "cycle_test.rs"]
mod tests;

#[cfg(test)]
#[path = "by_class_test.rs"]
mod by_class_tests;
