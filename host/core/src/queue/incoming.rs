//! How many pods came into which part of the queue, and why: counted for whoever measures.

use std::collections::BTreeMap;

use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::model::Pod;

/// A part of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// To be tried now.
    Active,
    /// To be tried when its backoff is over.
    Backoff,
    /// To be tried when something helps.
    Unschedulable,
    /// Held back by pre-enqueue, or while pods are evicted for it.
    Gated,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Active, Self::Backoff, Self::Unschedulable, Self::Gated];

    /// As kube-scheduler's metrics call it.
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

/// Why a pod came into a part of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// It was created, or came to this scheduler.
    PodAdded,
    /// It changed in what plugins may read that it waits for.
    PodUpdated(PodChange),
    /// It was tried, in vain.
    AttemptFailed,
    /// Its backoff is over.
    BackoffComplete,
    /// It is tried before its backoff is over, as there was nothing else to do.
    PopFromBackoff,
    /// It waited too long for something that helps.
    UnschedulableTimeout,
    /// Something changed in the cluster that may help.
    ClusterChanged(Label),
    /// The plugins were exchanged, or one can answer again.
    PluginsChanged,
    /// Room that was being made for it can't be made.
    Activated,
}

/// What of a pending pod changed, as far as kube-scheduler tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodChange {
    /// Its labels.
    Labels,
    /// What it asks of a node.
    Requests,
    /// Its last scheduling gate is gone.
    GatesEliminated,
    /// Its tolerations.
    Tolerations,
    /// Claims were made for it.
    GeneratedClaims,
    /// Anything else.
    Other,
}

impl PodChange {
    /// Of several changes that of which kube-scheduler thinks first.
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

/// The name of an event in the cluster, as [`Incoming`] knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

/// The counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// By label. As many as there are kinds that plugins read, and ways in which they change.
    labels: Vec<String>,
    counts: BTreeMap<(Part, Cause), u64>,
}

impl Incoming {
    pub(super) fn count(&mut self, part: Part, cause: Cause) {
        *self.counts.entry((part, cause)).or_default() += 1;
    }

    /// The event's name.
    pub(super) fn label(&mut self, event: &ClusterEvent) -> Label {
        let name = event.name();
        let at = self.labels.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.labels.push(name);
            self.labels.len() - 1
        });
        Label(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// How many pods came into this part for this cause.
    #[must_use]
    pub fn of(&self, part: Part, cause: Cause) -> u64 {
        self.counts.get(&(part, cause)).copied().unwrap_or_default()
    }

    /// Each part with each cause by which pods came into it, and how many.
    pub fn iter(&self) -> impl Iterator<Item = (Part, &str, u64)> {
        self.counts.iter().map(|((part, cause), count)| (*part, self.name(*cause), *count))
    }

    /// As kube-scheduler's metrics call it, as far as it knows it.
    fn name(&self, cause: Cause) -> &str {
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
