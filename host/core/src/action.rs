//! Actions: the core's only output.

use std::sync::Arc;

use serde::Serialize;

use crate::intent::Intent;
use crate::model::{ObjectKind, ObjectReads, PodKey};

/// Work for the caller, done outside the core and concurrently. The result of a binding comes back as
/// [`crate::Event::Bound`] or [`crate::Event::BindFailed`], and the result of [`Action::ExecuteIntents`] as
/// [`crate::Event::IntentsExecuted`] or [`crate::Event::IntentsFailed`]. The other variants say what comes back, if anything
/// does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    /// Create the pod's binding to this node.
    Bind {
        /// The pod.
        pod: PodKey,
        /// The node's name.
        node: Box<str>,
    },
    /// Let an extender bind the pod to this node. The result comes back as for [`Action::Bind`].
    BindByExtender {
        /// The extender's index in the list that [`crate::extenders::Extenders::list`] returns.
        extender: usize,
        /// The pod.
        pod: PodKey,
        /// The node's name.
        node: Box<str>,
    },
    /// Execute these intents for the pod that is to be bound, in order, each after the intent before it is done. The
    /// list never contains [`Intent::Assume`]. A wait may use its whole timeout, and must not delay the intents of
    /// other pods. The result comes back with the same `step`.
    ExecuteIntents {
        /// The pod.
        pod: PodKey,
        /// The number of this action. No other action has the same number.
        step: u64,
        /// At least one intent.
        intents: Vec<Intent>,
    },
    /// Cancel the [`Action::ExecuteIntents`] with this step number. The caller may leave out the remaining intents of
    /// that action, and the core expects no result.
    CancelIntents {
        /// The pod.
        pod: PodKey,
        /// The `step` of the [`Action::ExecuteIntents`] to cancel.
        step: u64,
        /// Intents to execute as in [`Action::Change`], once no intent of the cancelled action is being executed any
        /// more.
        undo: Vec<Intent>,
    },
    /// Record an event on the pod, in the form of `events.k8s.io/v1`.
    Emit(PodEvent),
    /// Set the pod's condition PodScheduled to False, unless the condition has this reason and message already.
    SetUnscheduled {
        /// The pod.
        pod: PodKey,
        /// `Unschedulable` or `SchedulerError`.
        reason: &'static str,
        /// The same message as in the pod's event.
        message: Arc<str>,
    },
    /// List and watch this kind with these fields. If the kind is watched already, this replaces a watch with fewer
    /// fields. Results come back as [`crate::Event::ObjectSet`], [`crate::Event::ObjectsListed`] and the other object
    /// events.
    Watch(ObjectReads),
    /// Stop the list and watch of this kind, because no plugin reads it any more. Comes back as
    /// [`crate::Event::WatchStopped`].
    StopWatching(Arc<ObjectKind>),
    /// Set or clear the pod's `status.nominatedNodeName`.
    Nominate {
        /// The pod.
        pod: PodKey,
        /// The node's name, or empty to clear the field.
        node: Box<str>,
    },
    /// Evict a pod for preemption. A failure comes back as [`crate::Event::EvictionFailed`].
    Evict {
        /// The victim.
        pod: PodKey,
        /// The message of the victim's condition DisruptionTarget, which has the reason PreemptionByScheduler.
        reason: Arc<str>,
        /// The text of the victim's event.
        note: Arc<str>,
        /// `spec.schedulerName` of the preempting pod, used as the reporting controller.
        scheduler_name: Box<str>,
    },
    /// Execute intents of a plugin, for each of which [`Intent::is_change`] returns true, in order, and continue after
    /// a failure.
    Change(Vec<Intent>),
    /// Warn the operator that a plugin does not behave as it declared.
    Warn {
        /// The plugin's name.
        plugin: Arc<str>,
        /// The wrong behavior and what to do about it.
        message: String,
    },
}

/// A Kubernetes event about a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodEvent {
    /// The pod that the event regards.
    pub pod: PodKey,
    /// `spec.schedulerName` of the pod, used as the reporting controller.
    pub scheduler_name: Box<str>,
    /// `Normal` or `Warning`.
    pub kind: &'static str,
    /// For example `Scheduled` or `FailedScheduling`.
    pub reason: &'static str,
    /// For example `Binding` or `Scheduling`.
    pub action: &'static str,
    /// The text of the event.
    pub note: Arc<str>,
}
