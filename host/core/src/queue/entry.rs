//! A pod in the queue, with what became of its attempts.

use std::sync::Arc;

use super::advisor::SortKey;
use super::in_flight::Ticket;
use crate::cluster_event::ClusterEvent;
use crate::extenders::EXTENDERS;
use crate::facts::PodFacts;
use crate::model::Pod;
use crate::plugins::{Declaration, PluginId, TemplateId};
use crate::template;
use crate::time::Timestamp;

/// A plugin that said no to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejector {
    /// The instance.
    pub id: PluginId,
    /// What it declared: from that follows what may help.
    pub declaration: Arc<Declaration>,
    /// It said [`crate::plugins::Code::Pending`]: when what it expects has come, the pod is tried without a backoff.
    pub pending: bool,
    /// The pod's template for it: what helps one pod of a template helps all.
    pub template: TemplateId,
}

impl Rejector {
    /// Whether the event may help.
    pub(super) fn is_concerned_by(&self, event: &ClusterEvent) -> bool {
        self.id == EXTENDERS || self.declaration.is_concerned_by(event)
    }
}

/// Why a pod waits, as far as the queue has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejection {
    /// The plugins that said no, each once. Without any, whatever happens may help.
    pub by: Vec<Rejector>,
}

impl Rejection {
    /// Whether a change of the pod itself, in these facts, is worth another try.
    fn is_helped_by(&self, changed: PodFacts) -> bool {
        !changed.is_empty()
            && (self.by.is_empty() || self.by.iter().any(|by| by.declaration.pod_facts.intersects(changed)))
    }
}

/// A pending pod (kube-scheduler's `QueuedPodInfo`).
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// The pod as it was last seen.
    pub pod: Arc<Pod>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// Since when it waits for its next attempt: when it was first seen, then when the last attempt ended.
    pub queued: Timestamp,
    /// How often in all it was rejected.
    pub rejections: u32,
    /// How often in a row an attempt failed without a verdict.
    pub errors: u32,
    /// Why it was rejected last.
    pub rejection: Rejection,
    /// The plugin whose pre-enqueue holds it back.
    pub gate: Option<Rejector>,
    /// The plugin whose return it waits for.
    pub failed_plugin: Option<Arc<str>>,
    /// Reason and message that its condition PodScheduled was last given.
    pub reported: Option<(&'static str, Arc<str>)>,
    /// What changed in it since its attempt began.
    pub(super) changed: PodFacts,
    /// Pre-enqueue has let it in.
    pub(super) admitted: bool,
    /// Its place in the order of pods, where it is known.
    pub(super) sort_key: Option<SortKey>,
    /// Of its attempt.
    pub(super) ticket: Option<Ticket>,
    /// Pods are leaving the node that is promised to it: no other room is made for it, and what others leave helps it only if it
    /// fits there.
    pub awaits_room: bool,
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
            awaits_room: false,
        }
    }

    /// The plugins for which it waits: the one that holds it back, or those that rejected it.
    #[must_use]
    pub fn rejectors(&self) -> &[Rejector] {
        self.gate.as_ref().map_or(&*self.rejection.by, std::slice::from_ref)
    }

    /// The pod changed. Returns in what, as far as plugins may read it: a condition that we set ourselves is nothing.
    pub(crate) fn update(&mut self, pod: Arc<Pod>) -> PodFacts {
        let changed = template::changed_facts(&self.pod, &pod);
        self.pod = pod;
        self.changed |= changed;
        if !changed.is_empty() {
            self.sort_key = None;
        }
        changed
    }

    /// The pod can't be rejected any more: what happens from now on does not concern it.
    pub(crate) fn is_decided(&mut self) {
        self.ticket = None;
    }

    pub(super) fn rejected(&mut self, rejection: Rejection, now: Timestamp) {
        self.rejection = rejection;
        self.rejections += 1;
        self.errors = 0;
        self.failed_plugin = None;
        self.came_back(now);
    }

    pub(super) fn failed(&mut self, plugin: Option<Arc<str>>, now: Timestamp) {
        self.errors += 1;
        self.failed_plugin = plugin;
        self.came_back(now);
    }

    fn came_back(&mut self, now: Timestamp) {
        self.queued = now;
        self.sort_key = None;
        self.admitted = false;
    }

    /// Those of its own facts that plugins read for which it waits; all where it waits for none.
    pub(super) fn facts_that_help(&self) -> PodFacts {
        let facts = self.rejectors().iter().map(|by| by.declaration.pod_facts).reduce(PodFacts::union);
        facts.unwrap_or(PodFacts::all())
    }

    /// Whether what changed in the pod is worth another try.
    pub(super) fn is_helped_by(&self, changed: PodFacts) -> bool {
        // Which node is promised to it, it is told by schedulers: by this one mostly.
        let changed = changed.difference(PodFacts::NOMINATED_NODE);
        match &self.gate {
            Some(gate) => gate.declaration.pod_facts.intersects(changed),
            None => self.rejection.is_helped_by(changed),
        }
    }
}
