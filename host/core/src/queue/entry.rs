//! A pod in the queue, with what became of its attempts.

use std::sync::Arc;

use crate::facts::NodeFacts;
use crate::model::{ObjectKind, Pod};
use crate::time::Timestamp;

/// Why a pod waits, as far as the queue has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejection {
    /// A change of one of these facts, on any node, may help.
    pub helpful_facts: NodeFacts,
    /// So may an object of one of these kinds.
    pub helpful_kinds: Vec<Arc<ObjectKind>>,
    /// The plugins that said no.
    pub plugins: Vec<Arc<str>>,
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
    /// When the last attempt ended.
    pub last_attempt: Timestamp,
    /// How often in all it was rejected.
    pub rejections: u32,
    /// How often in a row an attempt failed without a verdict.
    pub errors: u32,
    /// Why it was rejected last.
    pub rejection: Rejection,
    /// The plugin whose return it waits for.
    pub failed_plugin: Option<Arc<str>>,
    /// Reason and message that its condition PodScheduled was last given.
    pub reported: Option<(&'static str, Arc<str>)>,
}

impl QueuedPod {
    pub(crate) fn new(pod: Arc<Pod>, now: Timestamp) -> Self {
        Self {
            pod,
            attempts: 0,
            first_seen: now,
            last_attempt: now,
            rejections: 0,
            errors: 0,
            rejection: Rejection::default(),
            failed_plugin: None,
            reported: None,
        }
    }

    pub(super) fn rejected(&mut self, rejection: Rejection, now: Timestamp) {
        self.rejection = rejection;
        self.rejections += 1;
        self.errors = 0;
        self.failed_plugin = None;
        self.last_attempt = now;
    }

    pub(super) fn failed(&mut self, plugin: Option<Arc<str>>, now: Timestamp) {
        self.errors += 1;
        self.failed_plugin = plugin;
        self.last_attempt = now;
    }

    /// Everything helps a pod about which no plugin said what would.
    pub(super) fn is_helped_by(&self, changed: NodeFacts) -> bool {
        let helpful = self.rejection.helpful_facts;
        changed == NodeFacts::all() || helpful.is_empty() || helpful.intersects(changed)
    }

    pub(super) fn is_helped_by_object(&self, kind: &ObjectKind) -> bool {
        self.rejection.helpful_kinds.iter().any(|helpful| **helpful == *kind)
    }

    /// Status alone (a condition that we set ourselves) is no reason to try again.
    pub(super) fn differs_for_plugins(&self, pod: &Pod) -> bool {
        let before = &*self.pod;
        before.spec != pod.spec
            || before.labels != pod.labels
            || before.annotations != pod.annotations
            || before.owners != pod.owners
            || before.requests != pod.requests
            || before.nominated_node_name != pod.nominated_node_name
    }
}
