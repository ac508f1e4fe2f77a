//! A pod in the queue, with the results of its attempts.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::in_flight::Ticket;
use super::incoming::{Cause, SubQueue};
use super::stays::Stays;
use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::model::Pod;
use crate::plugins::{Declaration, PluginId, PodSignatureId};
use crate::pod_signature;
use crate::reads::PodReads;
use crate::time::Timestamp;

/// The sort key of a pod. Pods are tried in ascending order, compared element by element.
pub type SortKey = Arc<[i64]>;

/// The id that stands for all extenders among the rejectors of a pod. No plugin has this id.
pub(crate) const EXTENDERS: PluginId = PluginId(u32::MAX);

/// A plugin that rejected a pod, or all extenders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejector {
    /// The plugin instance.
    pub id: PluginId,
    /// The plugin's declaration, which says which events can help.
    pub declaration: Arc<Declaration>,
    /// The plugin returned [`crate::plugins::Code::Pending`]. An event that helps moves the pod to the active
    /// sub-queue without a backoff.
    pub pending: bool,
    /// The pod signature for the plugin. An event that helps one pod of a signature helps all of them.
    pub signature: PodSignatureId,
}

impl Rejector {
    /// Returns the rejector that stands for all extenders. Extenders don't say which events help, so that any event
    /// may help.
    pub(crate) fn extenders() -> Self {
        static DECLARATION: LazyLock<Arc<Declaration>> = LazyLock::new(|| {
            Arc::new(Declaration { name: "Extender".into(), pod: PodFacts::all().into(), ..Declaration::default() })
        });
        Self { id: EXTENDERS, declaration: Arc::clone(&DECLARATION), pending: false, signature: PodSignatureId(0) }
    }

    /// Returns whether the event may help pods that this rejector rejected.
    pub(super) fn is_concerned_by(&self, event: &ClusterEvent) -> bool {
        (self.id == EXTENDERS && !event.is_about_pending_pod()) || self.declaration.is_concerned_by(event)
    }
}

/// The plugins that rejected a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejection {
    /// Each plugin once. If the list is empty, any event may help.
    pub by: Vec<Rejector>,
}

/// The reason in the condition PodScheduled of a pod without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnscheduledReason {
    /// A plugin or an extender rejected the pod, or the cluster has no node.
    Unschedulable,
    /// The attempt failed without a verdict.
    SchedulerError,
}

impl UnscheduledReason {
    /// Returns the value of the condition's field `reason`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::SchedulerError => "SchedulerError",
        }
    }
}

/// A pending pod (kube-scheduler's `QueuedPodInfo`).
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// The pod as it was last seen.
    pub pod: Arc<Pod>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The time at which the scheduler first saw the pod.
    pub first_seen: Timestamp,
    /// The start of the wait for the next attempt: the end of the last attempt, or `first_seen` before the first
    /// attempt.
    pub queued: Timestamp,
    /// The total number of rejections.
    pub rejections: u32,
    /// The number of consecutive attempts that failed without a verdict.
    pub errors: u32,
    /// The last rejection.
    pub rejection: Rejection,
    /// The plugin whose pre-enqueue gates the pod; `None` if no plugin does.
    pub gate: Option<Rejector>,
    /// The plugin that is down and for which the pod waits.
    pub failed_plugin: Option<Arc<str>>,
    /// The reason and message that were last written to the pod's condition PodScheduled.
    pub reported: Option<(UnscheduledReason, Arc<str>)>,
    /// The facts of the pod that changed since its last attempt began, or since the pod was first seen.
    pub(crate) changed: PodFacts,
    /// Pre-enqueue admitted the pod.
    pub(crate) admitted: bool,
    /// The pod's sort key; `None` if queue-sort has to be asked.
    pub(crate) sort_key: Option<SortKey>,
    /// The ticket of the pod's current attempt.
    pub(crate) ticket: Option<Ticket>,
    /// The pod was activated while it could not move to the active sub-queue at once ([`super::Queue::activate`]).
    pub(crate) activated: bool,
    /// The times in the sub-queues since the last attempt.
    pub(crate) stays: Stays,
    /// The pod awaits victims: preempted pods are leaving its nominated node. No other preemption starts for the pod,
    /// and an event about a pod on a node helps this pod only if this pod fits on that node.
    pub awaits_victims: bool,
}

impl QueuedPod {
    pub(crate) fn new(pod: Arc<Pod>, now: Timestamp) -> Self {
        Self {
            pod,
            attempts: 0,
            first_seen: now,
            queued: now,
            rejections: 0,
            errors: 0,
            rejection: Rejection::default(),
            gate: None,
            failed_plugin: None,
            reported: None,
            changed: PodFacts::empty(),
            admitted: false,
            sort_key: None,
            ticket: None,
            activated: false,
            stays: Stays::default(),
            awaits_victims: false,
        }
    }

    /// Returns the time at which the pod entered its sub-queue.
    #[must_use]
    pub fn since(&self) -> Timestamp {
        self.stays.since
    }

    /// Returns what moved the pod to its current attempt, and the milliseconds that it spent in each sub-queue before.
    pub(crate) fn stays(&self) -> (Cause, [u32; SubQueue::ALL.len()]) {
        (self.stays.moved_by.unwrap_or(Cause::PodAdded), self.stays.millis)
    }

    /// Returns whether the pod waited for plugins before its current attempt.
    pub(crate) fn is_held(&self) -> bool {
        !self.rejection.by.is_empty() || self.stays.gated_by.is_some()
    }

    /// Returns the names of the plugins for which the pod waited before its current attempt.
    pub(crate) fn held_by(&self) -> Vec<Arc<str>> {
        let rejectors = self.rejection.by.iter().map(|by| &by.declaration.name);
        rejectors.chain(&self.stays.gated_by).map(Arc::clone).collect()
    }

    /// Remembers the activation of a pod in its attempt. If a plugin rejects the pod later, the pod is tried again after
    /// its backoff, without an event. kube-scheduler does the same.
    pub(crate) fn remember_activation(&mut self) {
        // A pod without a ticket can't be rejected any more.
        self.activated |= self.ticket.is_some();
    }

    /// Returns the plugins for which the pod waits: the plugin that gates it, or else the plugins that rejected it.
    #[must_use]
    pub fn rejectors(&self) -> &[Rejector] {
        self.gate.as_ref().map_or(&*self.rejection.by, std::slice::from_ref)
    }

    /// Updates the pod. Returns the pod as it was, and the changed facts that plugins can read; a condition that the
    /// scheduler set itself is not among them.
    pub(crate) fn update(&mut self, pod: Arc<Pod>) -> (Arc<Pod>, PodFacts) {
        let changed = pod_signature::changed_facts(&self.pod, &pod);
        let before = std::mem::replace(&mut self.pod, pod);
        self.changed |= changed;
        if !changed.is_empty() {
            self.sort_key = None;
        }
        (before, changed)
    }

    pub(super) fn rejected(&mut self, rejection: Rejection, now: Timestamp) {
        self.rejection = rejection;
        self.rejections += 1;
        self.errors = 0;
        self.failed_plugin = None;
        self.requeued(now);
    }

    pub(super) fn failed(&mut self, plugin: Option<Arc<str>>, now: Timestamp) {
        self.errors += 1;
        self.activated = false;
        self.failed_plugin = plugin;
        self.requeued(now);
    }

    fn requeued(&mut self, now: Timestamp) {
        self.queued = now;
        self.stays = Stays::default();
        self.sort_key = None;
        self.admitted = false;
    }

    /// Returns the facts of the pod that its rejecting plugins read, or all facts if no plugin rejected it.
    pub(super) fn facts_that_help(&self) -> PodFacts {
        let facts = self.rejectors().iter().map(|by| by.declaration.pod.touching()).reduce(PodFacts::union);
        facts.unwrap_or(PodFacts::all())
    }

    /// Returns whether these changed facts justify another attempt. A change of any label counts for a plugin that
    /// reads some labels.
    pub(super) fn is_helped_by(&self, changed: PodFacts) -> bool {
        self.is_helped(changed, |reads, changed| reads.touching().intersects(changed))
    }

    /// Returns whether the change of the pod from `before`, which changed these facts, justifies another attempt.
    pub(super) fn is_helped_by_change(&self, before: &Pod, changed: PodFacts) -> bool {
        self.is_helped(changed, |reads, changed| reads.differ(changed, before, &self.pod))
    }

    fn is_helped(&self, changed: PodFacts, concerns: impl Fn(&PodReads, PodFacts) -> bool) -> bool {
        // A change of the nominated node does not help: it comes from a scheduler, in most cases from this one.
        let changed = changed.difference(PodFacts::NOMINATED_NODE);
        let rejectors = self.rejectors();
        !changed.is_empty()
            && (rejectors.is_empty() || rejectors.iter().any(|by| concerns(&by.declaration.pod, changed)))
    }
}
