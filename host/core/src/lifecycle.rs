//! Answers of plugins between the choice of a node and the binding, and about waiting pods.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster_event::{ClusterEvent, Subject};
use crate::intent::Intent;
use crate::model::Pod;
use crate::pod_signature::PodSignatureId;
use crate::time::Timestamp;
use crate::verdict::Status;

/// The answer of a successful reserve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// State of the plugin for this pod. The core stores it by the plugin's name and passes it to each later call
    /// about this pod, even if another instance has that name by then.
    pub state: Arc<[u8]>,
    /// Assumed objects: [`Intent::Assume`] only. Nothing is changed in the cluster before the pod is permitted.
    pub intents: Vec<Intent>,
}

/// The decision of a permit plugin about a pod with a reserved node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// The pod may be bound.
    #[default]
    Approve,
    /// The pod may not be bound: the reservation is undone.
    Deny(Status),
    /// The pod waits until the plugin approves it in a later answer ([`PodActions::approve`]). If the plugin has not
    /// approved the pod after this time, at most fifteen minutes as in kube-scheduler, the pod is rejected.
    Wait(Duration),
}

/// The answer of a permit plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// The decision about the pod of the call.
    pub decision: Decision,
    /// What happens to other pods, whatever the decision is.
    pub pods: PodActions,
}

/// The answer of unreserve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The intents that undo the effects of pre-bind ([`Intent::is_change`]).
    pub intents: Vec<Intent>,
    /// What happens to other pods.
    pub pods: PodActions,
}

/// What a plugin does with other pods of the same profile. Each pod is named by its uid. The core ignores the uids of
/// pods that are not in the state that the list is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodActions {
    /// Pods that wait in permit and need not wait for this plugin any more.
    pub approve: Vec<Box<str>>,
    /// Pods that wait in permit, whichever plugin they wait for, and that this plugin rejects. The second text is the
    /// reason for the pod's message. If the reason is empty, the message names the plugin.
    pub reject: Vec<(Box<str>, Box<str>)>,
    /// Pending pods that move to the active sub-queue without waiting for their backoff.
    pub activate: Vec<Box<str>>,
}

impl PodActions {
    /// Returns whether nothing happens to other pods.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.approve.is_empty() && self.reject.is_empty() && self.activate.is_empty()
    }
}

/// The times of a pod in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueTimes {
    /// The time at which the scheduler first saw the pod.
    pub first_queued: Timestamp,
    /// The start of the pod's wait for its next attempt: the end of the last attempt, or `first_queued` before the first
    /// attempt.
    pub queued: Timestamp,
}

/// A cluster event about which a plugin is asked for queueing hints.
#[derive(Clone, Copy, Debug)]
pub struct HintEvent<'a> {
    /// The event.
    pub event: &'a ClusterEvent,
    /// For an event about a pod: the signatures of the pod's old and new version in the pod facts that the plugin
    /// declares. `None` for a version that does not exist, and for other events.
    pub pods: [Option<PodSignatureId>; 2],
}

impl<'a> HintEvent<'a> {
    /// Returns the old and the new version of the event's pod, as far as they exist, each with its signature. Empty if
    /// the event is not about a pod.
    pub fn pods(&self) -> impl Iterator<Item = (PodSignatureId, &'a Pod)> {
        let pods = match &self.event.subject {
            Subject::Pod { before, after } | Subject::PendingPod { before, after, .. } => {
                [before.as_deref(), after.as_deref()]
            }
            Subject::Node { .. } | Subject::Object { .. } => [None; 2],
        };
        self.pods.into_iter().zip(pods).filter_map(|(signature, pod)| Some((signature?, pod?)))
    }
}

/// Whether an event can help a pod that the plugin rejected (`fwk.QueueingHint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// The event can't help.
    Skip,
    /// The pod is worth another attempt.
    Queue,
}
