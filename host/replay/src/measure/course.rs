//! What happened in a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_analysis::ClusterCopy;
use berth_core::model::PodKey;
use berth_core::{Core, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::sample::{Sample, Sampler};
use crate::history::PodIndex;

/// The largest number of pods that a list of pending pods has.
const MOST_LISTED: usize = 100;

/// The factor by which the number of pods grows until the cluster is copied again. A copy of the largest cluster has at
/// least this part of the most pods.
const GROWTH: f64 = 1.05;

/// A pod that is pending at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StillPending {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`. The replacement of a preempted pod has the name of that pod and a number.
    pub name: String,
    /// The message of the last failed attempt; absent without an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<str>>,
}

/// What happened in a world, up to now.
pub struct Course {
    sampler: Arc<Sampler>,
    /// The sample at which the cluster is copied; `None` copies the cluster with the most pods.
    copy_at: Option<usize>,
    /// The samples so far.
    pub samples: Vec<Sample>,
    /// The number of pods without a node.
    pub(crate) pending: u64,
    /// The number of evicted pods.
    pub evictions: u64,
    /// The number of pods that were deleted because their node was deleted.
    pub lost_with_nodes: u64,
    /// The number of pods that controllers created in place of evicted or lost ones.
    pub replacements: u64,
    /// The number of bindings.
    pub bound: u64,
    /// The number of pods that are pending at the end.
    pub pending_at_end: u64,
    /// The first of the pods that are pending at the end.
    pub still_pending: Vec<StillPending>,
    /// The default plugins that took no part, because the capture lacks what they read or because they failed.
    pub left_out: Vec<String>,
    /// Warnings about plugins, each once.
    pub warnings: Vec<String>,
    /// The first placements of pods, by their index in the history, with the nodes. Replacements are left out.
    pub(super) placed: BTreeMap<PodIndex, Box<str>>,
    /// How long pods waited for a node, in milliseconds. A pod that got none counts with the time to its end.
    pub(super) waits: Vec<u64>,
    /// A copy of the cluster, with the number of its sample.
    copy: Option<(usize, ClusterCopy)>,
    copied_pods: u64,
    known_pods: usize,
}

impl Course {
    /// Returns an empty course of a world whose history has this number of pods.
    pub(crate) fn new(sampler: Arc<Sampler>, copy_at: Option<usize>, known_pods: usize) -> Self {
        Self {
            sampler,
            copy_at,
            samples: Vec::new(),
            pending: 0,
            evictions: 0,
            lost_with_nodes: 0,
            replacements: 0,
            bound: 0,
            pending_at_end: 0,
            still_pending: Vec::new(),
            left_out: Vec::new(),
            warnings: Vec::new(),
            placed: BTreeMap::new(),
            waits: Vec::new(),
            copy: None,
            copied_pods: 0,
            known_pods,
        }
    }

    /// Takes the samples before this time.
    pub(crate) fn passes(&mut self, core: &Core, time: Timestamp) {
        while let Some(at) = self.sampler.time(self.samples.len()).filter(|at| *at < time) {
            self.sample(core, at);
        }
    }

    /// Takes the samples up to the end.
    pub(crate) fn ends(&mut self, core: &Core) {
        while let Some(at) = self.sampler.time(self.samples.len()) {
            self.sample(core, at);
        }
    }

    fn sample(&mut self, core: &Core, at: Timestamp) {
        let sample = self.sampler.sample(core.cache(), at, self.pending);
        let number = self.samples.len();
        let has_grown = sample.running as f64 > self.copied_pods as f64 * GROWTH;
        if self.copy_at.map_or(has_grown, |wanted| wanted == number) {
            self.copied_pods = sample.running;
            self.copy = Some((number, ClusterCopy::of(core)));
        }
        self.samples.push(sample);
    }

    pub(crate) fn bound(&mut self, pod: PodIndex, created: Timestamp, now: Timestamp, node: &str) {
        self.bound += 1;
        self.waited(created, now);
        if pod < self.known_pods {
            self.placed.insert(pod, node.into());
        }
    }

    /// Notes that a pod waited for a node.
    pub(crate) fn waited(&mut self, created: Timestamp, until: Timestamp) {
        self.waits.push(u64::try_from(until.since(created).as_millis()).unwrap_or(u64::MAX));
    }

    pub(crate) fn still_pending(
        &mut self,
        pod: &PodKey,
        created: Timestamp,
        end: Timestamp,
        message: Option<&Arc<str>>,
    ) {
        self.pending_at_end += 1;
        self.waited(created, end);
        if self.still_pending.len() < MOST_LISTED {
            let (namespace, name) = (pod.namespace.to_string(), pod.name.to_string());
            self.still_pending.push(StillPending { namespace, name, message: message.cloned() });
        }
    }

    pub(crate) fn warns(&mut self, plugin: &str, message: &str) {
        let warning = format!("{plugin}: {message}");
        if self.warnings.len() < MOST_LISTED && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Returns the node on which the pod was placed first.
    pub(crate) fn node_of(&self, pod: PodIndex) -> Option<&str> {
        self.placed.get(&pod).map(|node| &**node)
    }

    /// Returns the copy of the cluster, with the number of its sample. There is one if a pod was on a node.
    #[must_use]
    pub fn copy(&self) -> Option<(usize, &ClusterCopy)> {
        self.copy.as_ref().map(|(sample, copy)| (*sample, copy))
    }
}
