//! What would become of a pod, and why, without doing it.

use std::sync::Arc;

use super::Core;
use crate::cache::NodeId;
use crate::cycle::{Failure, Witness};
use crate::model::Pod;
use crate::plugins::Plugins;
use crate::time::Timestamp;

impl Core {
    /// What a cycle for this pod would come to now: the nodes it fits on, with their total scores, and every answer on
    /// the way there told to `witness`. Nothing is placed, and no room is made. `None` where no profile has the pod's
    /// scheduler name.
    ///
    /// It is a cycle of its own, so that what plugins draw in the next one differs from what they would have drawn.
    ///
    /// # Errors
    /// Why the pod would not be placed.
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
