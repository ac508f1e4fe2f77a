//! The state of single pods, for explanations.

use std::sync::Arc;

use super::Core;
use super::reservation::Stage;
use crate::model::PodKey;
use crate::time::Timestamp;

/// A pod with a reserved node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservedPod<'a> {
    /// The node's name.
    pub node: &'a str,
    /// The time of the pod's scheduling cycle.
    pub since: Timestamp,
    /// The number of attempts, this one included.
    pub attempts: u32,
    /// The permit plugins that the pod waits for, each with the time at which the wait ends with a rejection. Empty if
    /// the pod is being bound.
    pub waits: Vec<(Arc<str>, Timestamp)>,
}

impl Core {
    /// Returns the reserved node of a pod that waits for permit plugins or is being bound.
    #[must_use]
    pub fn reserved(&self, uid: &str) -> Option<ReservedPod<'_>> {
        let reservation = self.reservations.get(uid)?;
        let waits = match &reservation.stage {
            Stage::Waiting(waits) => waits.iter().map(|wait| (Arc::clone(&wait.plugin), wait.until)).collect(),
            Stage::InCycle | Stage::PreBinding { .. } | Stage::Binding(_) => Vec::new(),
        };
        let (since, attempts) = (reservation.began, reservation.entry.attempts);
        Some(ReservedPod { node: &reservation.node, since, attempts, waits })
    }

    /// Returns the pods that have to leave a node before this pod can be placed: victims whose eviction is under way, and
    /// preempted pods that are leaving the pod's nominated node.
    #[must_use]
    pub fn victims_of(&self, uid: &str) -> Vec<&PodKey> {
        let evicted = self.evictions.underway_for(uid).filter_map(|victim| self.cache.pod_by_uid(victim));
        let mut victims: Vec<&PodKey> = evicted.map(|cached| &cached.pod.key).collect();
        let nominated = self.nominations.get(uid).and_then(|nominated| {
            let node = self.cache.node(self.cache.node_id(&nominated.node)?)?;
            Some((node, nominated.pod.spec.priority))
        });
        if let Some((node, priority)) = nominated {
            let on_node = node.pods.iter().filter_map(|id| self.cache.pod(*id)).map(|cached| &cached.pod);
            let leaving = on_node.filter(|pod| pod.preempted && pod.spec.priority < priority).map(|pod| &pod.key);
            victims.extend(leaving);
        }
        victims.sort_unstable();
        victims.dedup();
        victims
    }
}
