//! Explains the outcome of a scheduling cycle for a pod, without scheduling it.

use std::sync::Arc;

use super::Core;
use crate::cache::NodeId;
use crate::cycle::{AnswerObserver, Failure};
use crate::extenders::Extenders;
use crate::model::Pod;
use crate::plugins::Plugins;
use crate::profile::Profile;
use crate::time::Timestamp;

/// The number of cycles after which an explanation reduces the result cache to its limit. Scheduling cycles count too.
const EVICT_EVERY: u64 = 256;

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
        let profile = self.profiles[self.profile_index(pod)?].clone();
        self.explain_with(pod, &profile, now, plugins, extenders, Some(observer))
    }

    /// As [`Core::explain`], with the plugins of `profile` instead of those of the pod's own profile. `profile` must
    /// use plugin instances that serve: for example, it is an active profile with fewer plugins. Without an observer,
    /// the call may use the candidate index, which is faster.
    ///
    /// # Errors
    /// Returns why the pod would not be scheduled.
    pub fn explain_with<'a>(
        &'a mut self,
        pod: &'a Arc<Pod>,
        profile: &'a Profile,
        now: Timestamp,
        plugins: &'a mut dyn Plugins,
        extenders: &'a mut dyn Extenders,
        observer: Option<&'a mut dyn AnswerObserver>,
    ) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        let at = self.profile_index(pod)?;
        self.cycles += 1;
        if self.cycles.is_multiple_of(EVICT_EVERY) {
            self.results.evict(self.cache.node_count());
        }
        let mut cycle = self.scheduling_cycle(pod, at, now, plugins, extenders);
        cycle.observer = observer;
        cycle.profile = profile;
        Some(cycle.feasible_nodes_with_scores())
    }

    /// Returns the pending pods whose scheduler name no profile has, ordered by uid.
    pub fn unclaimed_pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.unclaimed.values()
    }
}
