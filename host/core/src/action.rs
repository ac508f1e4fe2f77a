//! Actions: the core's only output.

use std::sync::Arc;

use crate::intent::Intent;
use crate::model::{ObjectKind, ObjectReads, PodKey};

/// Work for the caller, done outside the core and concurrently. The result of a binding comes back as
/// [`crate::Event::Bound`] or [`crate::Event::BindFailed`], and the result of [`Action::ExecuteIntents`] as
/// [`crate::Event::IntentsExecuted`] or [`crate::Event::IntentsFailed`]. The other variants say what comes back, if anything
/// does.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        /// Its index in [`crate::extenders::Extenders::list`].
        extender: usize,
        /// The pod.
        pod: PodKey,
        /// The node's name.
        node: Box<str>,
    },
    /// Execute these intents for the pod that is to be bound, in order, each after the one before is done. They never
    /// contain [`Intent::Assume`]. A wait may use its whole timeout, and must not delay the intents of other pods.
    /// The result comes back with the same `step`.
    ExecuteIntents {
        /// The pod.
        pod: PodKey,
        /// Identifies this action. A number is never used twice.
        step: u64,
        /// At least one intent.
        intents: Vec<Intent>,
    },
    /// Cancel the [`Action::ExecuteIntents`] of this step. Its remaining intents may be left out, and the core expects no
    /// result.
    CancelIntents {
        /// The pod.
        pod: PodKey,
        /// As in [`Action::ExecuteIntents`].
        step: u64,
        /// Intents to execute as in [`Action::Change`], after nothing of the step is under way any more.
        undo: Vec<Intent>,
    },
    /// Record an event on the pod, in the form of `events.k8s.io/v1`.
    Emit(PodEvent),
    /// Set the pod's condition PodScheduled to False, unless it has this reason and message already.
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
        /// The message of its condition DisruptionTarget, which has the reason PreemptionByScheduler.
        reason: Arc<str>,
        /// The text of the victim's event.
        note: Arc<str>,
        /// `spec.schedulerName` of the preempting pod, used as the reporting controller.
        scheduler_name: Box<str>,
    },
    /// Execute intents of a plugin ([`Intent::is_change`]) in order, and continue after a failure.
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
