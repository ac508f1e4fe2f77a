//! Counts the pods that entered each sub-queue, by cause, for metrics.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::model::Pod;

/// A sub-queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SubQueue {
    /// Ready to be tried.
    Active,
    /// Waiting for the end of a backoff.
    Backoff,
    /// Waiting for an event that helps.
    Unschedulable,
    /// Gated by pre-enqueue, or waiting while pods are evicted for it.
    Gated,
}

impl SubQueue {
    /// All sub-queues.
    pub const ALL: [Self; 4] = [Self::Active, Self::Backoff, Self::Unschedulable, Self::Gated];

    /// Returns the name that kube-scheduler's metrics use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Backoff => "backoff",
            Self::Unschedulable => "unschedulable",
            Self::Gated => "gated",
        }
    }
}

/// The reason why a pod entered a sub-queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The pod was created, or became a pod of this scheduler.
    PodAdded,
    /// A fact of the pod changed that its rejecting plugins read.
    PodUpdated(PodChange),
    /// An attempt rejected the pod, or failed without a verdict.
    AttemptFailed,
    /// The pod's backoff is over.
    BackoffComplete,
    /// The pod is tried before the end of its backoff, because the active sub-queue was empty.
    PopFromBackoff,
    /// The pod was unschedulable for longer than [`super::QueueOptions::flush_after`].
    UnschedulableTimeout,
    /// A cluster event may help.
    ClusterChanged(Label),
    /// The plugins were exchanged, or a plugin works again.
    PluginsChanged,
    /// A plugin activated the pod, or a victim of the pod could not be evicted.
    Activated,
}

/// The kind of change of a pending pod, as kube-scheduler distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodChange {
    /// Its labels.
    Labels,
    /// Its resource requests.
    Requests,
    /// Its last scheduling gate was removed.
    GatesEliminated,
    /// Its tolerations.
    Tolerations,
    /// Its resource claims were generated.
    GeneratedClaims,
    /// Anything else.
    Other,
}

impl PodChange {
    /// Returns the kind of change. Of several changes, the first in kube-scheduler's order counts.
    pub(super) fn of(pod: &Pod, changed: PodFacts) -> Self {
        match () {
            () if changed.contains(PodFacts::LABELS) => Self::Labels,
            () if changed.contains(PodFacts::REQUESTS) => Self::Requests,
            () if changed.contains(PodFacts::SCHEDULING_GATES) && pod.spec.scheduling_gates.is_empty() => {
                Self::GatesEliminated
            }
            () if changed.contains(PodFacts::TOLERATIONS) => Self::Tolerations,
            () if changed.contains(PodFacts::RESOURCE_CLAIMS) => Self::GeneratedClaims,
            () => Self::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Labels => "UnschedulablePodUpdatePodLabel",
            Self::Requests => "UnschedulablePodUpdatePodScaleDown",
            Self::GatesEliminated => "UnschedulablePodUpdatePodSchedulingGatesEliminated",
            Self::Tolerations => "UnschedulablePodUpdatePodToleration",
            Self::GeneratedClaims => "UnschedulablePodUpdatePodGeneratedResourceClaim",
            Self::Other => "UnschedulablePodUpdate",
        }
    }
}

/// The index of a cluster event's name in the names that [`Incoming`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Label(u32);

/// Counts of pods, by sub-queue and cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// Event names, by label. Their number is limited by the kinds that plugins read and the ways in which they
    /// change.
    pub(crate) labels: Vec<String>,
    pub(crate) counts: BTreeMap<(SubQueue, Cause), u64>,
}

impl Incoming {
    pub(super) fn count(&mut self, sub_queue: SubQueue, cause: Cause) {
        *self.counts.entry((sub_queue, cause)).or_default() += 1;
    }

    /// Returns the label of the event's name.
    pub(super) fn label(&mut self, event: &ClusterEvent) -> Label {
        let name = event.name();
        let at = self.labels.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.labels.push(name);
            self.labels.len() - 1
        });
        Label(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// Returns how many pods entered this sub-queue for this cause.
    #[must_use]
    pub fn of(&self, sub_queue: SubQueue, cause: Cause) -> u64 {
        self.counts.get(&(sub_queue, cause)).copied().unwrap_or_default()
    }

    /// Returns each sub-queue and cause with at least one pod, and the number of pods.
    pub fn iter(&self) -> impl Iterator<Item = (SubQueue, &str, u64)> {
        self.counts.iter().map(|((sub_queue, cause), count)| (*sub_queue, self.name(*cause), *count))
    }

    /// Returns the name that kube-scheduler's metrics use, or Berth's own name for a cause that only Berth has.
    pub(crate) fn name(&self, cause: Cause) -> &str {
        match cause {
            Cause::PodAdded => "UnschedulablePodAdd",
            Cause::PodUpdated(change) => change.name(),
            Cause::AttemptFailed => "ScheduleAttemptFailure",
            Cause::BackoffComplete => "BackoffComplete",
            Cause::PopFromBackoff => "PopFromBackoffQ",
            Cause::UnschedulableTimeout => "UnschedulableTimeout",
            Cause::ClusterChanged(Label(at)) => self.labels.get(at as usize).map_or("", String::as_str),
            Cause::PluginsChanged => "PluginsChange",
            Cause::Activated => "ForceActivate",
        }
    }
}
