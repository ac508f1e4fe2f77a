//! What a capture tells about a pod.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::model::{Owner, Pod};

use super::PodIndex;
use super::lifetime::Lifetime;

/// A pod of the capture.
#[derive(Clone, Debug)]
pub(crate) struct RecordedPod {
    /// The first version of the pod. It has a node if the pod had one when it was seen first.
    pub pod: Arc<Pod>,
    /// The time of the pod's creation. Before the capture, in whole seconds.
    pub created: Timestamp,
    /// The time at which the pod was bound, and its node.
    pub bound: Option<(Timestamp, Box<str>)>,
    /// The time at which the pod finished or was deleted.
    pub ended: Option<Timestamp>,
    /// The time at which a scheduler preempted the pod.
    pub preempted: Option<Timestamp>,
    /// The pod that the controller created after the preemption.
    pub replaced_by: Option<PodIndex>,
    /// The pod replaces a preempted one.
    pub replaces: bool,
    /// How long the pod runs if nobody preempts it.
    pub lifetime: Lifetime,
    /// The last version, without what a scheduler sets. Only used while the history is built.
    pub latest: Arc<Pod>,
}

/// Returns the controller of a pod that creates the pod again after it is deleted. The kubelet does not do this for a
/// static pod.
pub(crate) fn controller(pod: &Pod) -> Option<&Owner> {
    pod.owners.iter().find(|owner| owner.controller && &*owner.kind != "Node")
}

/// Returns whether the pod has such a controller.
pub(crate) fn has_controller(pod: &Pod) -> bool {
    controller(pod).is_some()
}

/// Returns whether a replacement of the pod begins its work again.
pub(crate) fn starts_over(pod: &Pod) -> bool {
    controller(pod).is_some_and(|owner| &*owner.kind == "Job")
}

/// Returns the pod without the fields that a scheduler, a kubelet or a deletion sets.
pub(crate) fn neutral(pod: &Pod) -> Pod {
    let nowhere = || Box::<str>::default();
    let nobody = Pod { deleting: false, preempted: false, finished: false, start_time: 0, ..pod.clone() };
    Pod { node_name: nowhere(), nominated_node_name: nowhere(), ..nobody }
}

/// Sets the lifetimes. A preempted pod would have run as long as it did and as its replacement did. A Job starts over, so
/// that the run time of the replacement is the whole.
pub(super) fn set_lifetimes(pods: &mut [RecordedPod]) {
    // A replacement comes after the pod that it replaces.
    for at in (0..pods.len()).rev() {
        let pod = &pods[at];
        let ran = |until: Timestamp| pod.bound.as_ref().map(|(bound, _)| until.since(*bound));
        pods[at].lifetime = match (pod.preempted, pod.ended) {
            (Some(preempted), _) => {
                let before = ran(preempted).unwrap_or_default();
                match pod.replaced_by.map(|next| pods[next].lifetime) {
                    Some(Lifetime::After(rest)) if starts_over(&pod.pod) => Lifetime::After(rest),
                    Some(Lifetime::After(rest)) => Lifetime::After(before.saturating_add(rest)),
                    Some(Lifetime::Until(time)) => Lifetime::Until(time),
                    Some(Lifetime::Forever) | None => Lifetime::Forever,
                }
            }
            (None, Some(ended)) => ran(ended).map_or(Lifetime::Until(ended), Lifetime::After),
            (None, None) => Lifetime::Forever,
        };
    }
}
