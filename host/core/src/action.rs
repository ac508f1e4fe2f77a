//! What the core wants done: all that it ever does.

use std::sync::Arc;

use crate::intent::Intent;
use crate::model::{ObjectKind, ObjectReads, PodKey};

/// Something to be done to the cluster, outside the core and concurrently. Bindings come back as
/// [`crate::Event::Bound`] or [`crate::Event::BindFailed`], what is carried as [`crate::Event::Carried`] or
/// [`crate::Event::CarryFailed`]; the rest is not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Create the pod's binding to this node.
    Bind {
        /// The pod.
        pod: PodKey,
        /// The node's name.
        node: Box<str>,
    },
    /// Have an extender bind the pod to this node. It comes back as [`Action::Bind`] does.
    BindByExtender {
        /// Its place among [`crate::extenders::Extenders::list`].
        extender: usize,
        /// The pod.
        pod: PodKey,
        /// The node's name.
        node: Box<str>,
    },
    /// Do this to the cluster for the pod that is to be bound: one after the other, each when the one before is done, never
    /// [`Intent::Assume`]. A wait takes as long as it may; other pods' intents don't wait for it. Comes back with the same
    /// step.
    Carry {
        /// The pod.
        pod: PodKey,
        /// Tells what is carried for one pod apart: never the same twice.
        step: u64,
        /// Never none.
        intents: Vec<Intent>,
    },
    /// What is carried in this step is not needed any more: what is not done of it may be left, and nobody waits for an
    /// answer.
    StopCarrying {
        /// The pod.
        pod: PodKey,
        /// As in [`Action::Carry`].
        step: u64,
        /// Done when nothing of the step is under way any more, as in [`Action::Change`].
        undo: Vec<Intent>,
    },
    /// Record an event on the pod, in the form of `events.k8s.io/v1`.
    Emit(PodEvent),
    /// Set the pod's condition PodScheduled to False, unless it says just this already.
    SetUnscheduled {
        /// The pod.
        pod: PodKey,
        /// `Unschedulable` or `SchedulerError`.
        reason: &'static str,
        /// As in the event.
        message: Arc<str>,
    },
    /// List and watch this kind with these fields, in the place of fewer if it is watched already. Comes back as
    /// [`crate::Event::ObjectSet`], [`crate::Event::ObjectsListed`] and so on.
    Watch(ObjectReads),
    /// Stop listing and watching this kind, as no plugin reads it any more. Comes back as [`crate::Event::WatchStopped`].
    StopWatching(Arc<ObjectKind>),
    /// Set the pod's `status.nominatedNodeName`, or take it away.
    Nominate {
        /// The pod.
        pod: PodKey,
        /// The node's name; empty for none.
        node: Box<str>,
    },
    /// Delete a pod to make room for another one. Where that can't be done, [`crate::Event::EvictionFailed`] says so.
    Evict {
        /// The victim.
        pod: PodKey,
        /// Message of its condition DisruptionTarget, whose reason is PreemptionByScheduler.
        reason: Arc<str>,
        /// What people read in its event.
        note: Arc<str>,
        /// `spec.schedulerName` of the pod for which it goes: the reporting controller.
        scheduler_name: Box<str>,
    },
    /// Change objects as a plugin wants them changed ([`Intent::is_change`]): in this order, each whatever came of the one
    /// before.
    Change(Vec<Intent>),
    /// Tell the operator: a plugin is not what it says it is.
    Warn {
        /// The plugin's name.
        plugin: Arc<str>,
        /// What is wrong.
        message: String,
    },
}

/// An event for people, about a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodEvent {
    /// The pod it regards.
    pub pod: PodKey,
    /// `spec.schedulerName` of the pod: the reporting controller.
    pub scheduler_name: Box<str>,
    /// `Normal` or `Warning`.
    pub kind: &'static str,
    /// `Scheduled`, `FailedScheduling`
    pub reason: &'static str,
    /// `Binding`, `Scheduling`
    pub action: &'static str,
    /// What people read.
    pub note: Arc<str>,
}
