//! Explains the outcome of a scheduling cycle for a pod, without scheduling it.

use std::sync::Arc;

use super::Core;
use crate::cache::NodeId;
use crate::cycle::{AnswerObserver, Failure};
use crate::extenders::Extenders;
use crate::model::Pod;
use crate::plugins::Plugins;
use crate::time::Timestamp;

impl Core {
    /// Runs a cycle for this pod without scheduling it. Returns the nodes that fit with their total scores, and
    /// reports each plugin answer to `observer`. Nothing is reserved and nothing is preempted. Returns `None` if no
    /// profile has the pod's scheduler name.
    ///
    /// The call uses a cycle number of its own. Plugins therefore get another seed in the next cycle than without this
    /// call.
    ///
    /// # Errors
    /// Returns why the pod would not be scheduled.
    pub fn explain(
        &mut self,
        pod: &Arc<Pod>,
        now: Timestamp,
        plugins: &mut dyn Plugins,
        extenders: &mut dyn Extenders,
        observer: &mut dyn AnswerObserver,
    ) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        let at = self.profile_index(pod)?;
        self.cycles += 1;
        let (mut cycle, profile) = self.scheduling_cycle(pod, at, now, plugins, extenders);
        cycle.observer = Some(observer);
        Some(cycle.feasible_nodes_with_scores(profile))
    }
}
