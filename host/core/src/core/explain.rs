//! Explains the outcome of a scheduling cycle for a pod, without scheduling it.

use std::sync::Arc;

use super::Core;
use crate::cache::NodeId;
use crate::cycle::{Failure, Witness};
use crate::model::Pod;
use crate::plugins::Plugins;
use crate::time::Timestamp;

impl Core {
    /// Runs a cycle for this pod without scheduling it. Returns the nodes that fit with their total scores, and
    /// reports each plugin answer to `witness`. Nothing is reserved and nothing is preempted. Returns `None` if no
    /// profile has the pod's scheduler name.
    ///
    /// The call uses a cycle number of its own. The seed that plugins get in the next cycle therefore differs from
    /// the seed that they would have got.
    ///
    /// # Errors
    /// Returns why the pod would not be scheduled.
    pub fn explain(
        &mut self,
        pod: &Arc<Pod>,
        now: Timestamp,
        plugins: &mut dyn Plugins,
        witness: &mut dyn Witness,
    ) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        let at = self.place_of_profile(pod)?;
        self.cycles += 1;
        let (mut placing, profile) = self.placing(pod, at, now, plugins);
        placing.witness = Some(witness);
        Some(placing.weigh(profile))
    }
}
