//! The data of an answer, with a JSON schema. Fields are only added, never renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::PodRef;

/// The answer to "what happens if", computed on a copy of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The answer as one sentence.
    pub answer: String,
    /// Everything that the question asks about fits, and no PodDisruptionBudget stands in the way.
    pub fits: bool,
    /// The time of the question, in milliseconds since 1970.
    pub computed_at: u64,
    /// The number of nodes after the change.
    pub nodes: usize,
    /// The pods that the scheduler would try to schedule, and those that would be lost.
    pub pods: Vec<PodAnswer>,
    /// The workloads of the manifests: how many pods fit, and how many more of each would.
    pub workloads: Vec<WorkloadAnswer>,
    /// The PodDisruptionBudgets of pods that a drain evicts.
    pub disruption_budgets: Vec<BudgetAnswer>,
    /// The fewest nodes, for a question with `compact`.
    pub compaction: Option<Compaction>,
    /// Default plugins that took no part, because the copy lacks what they read.
    pub left_out: Vec<String>,
    /// What the answer does not consider, one sentence each.
    pub notes: Vec<String>,
    /// The limits of every answer, as one sentence.
    pub caveat: String,
}

/// The reason why a pod would be scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PodRole {
    /// The pod is of a manifest.
    New,
    /// The pod leaves its node and is created again.
    Moved,
    /// The pod is pending already.
    #[default]
    Pending,
}

/// What would become of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PodState {
    /// The pod would be bound to a node.
    Placed,
    /// The pod would stay pending.
    #[default]
    Pending,
    /// A node would be reserved, and permit plugins would let the pod wait.
    WaitsForPermission,
    /// A plugin failed, so there is no decision.
    Failed,
    /// No profile has the pod's `schedulerName`, so the answer does not consider the pod.
    AnotherScheduler,
    /// The pod has no controller, so nothing creates the pod again after it has left its node.
    NotRecreated,
}

/// What would become of a pod, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAnswer {
    /// The pod. A pod of a manifest has a made-up uid, and a pod of a workload a made-up name.
    pub pod: PodRef,
    /// The controller of the pod, as `Kind/name`.
    pub workload: Option<String>,
    /// The reason why the pod would be scheduled.
    pub role: PodRole,
    /// What would become of the pod.
    pub state: PodState,
    /// The node that the pod leaves.
    pub from: Option<String>,
    /// The node that the pod would get.
    pub node: Option<String>,
    /// For a pending pod: whether the pod would fit without the change. Absent if this was not asked.
    pub fits_now: Option<bool>,
    /// Why the pod would stay pending.
    pub reason: Option<String>,
    /// The plugin that the reason is about.
    pub plugin: Option<String>,
    /// What helps, as one sentence.
    pub next_step: Option<String>,
    /// The pods that would be preempted for the pod.
    pub victims: Vec<PodRef>,
}

/// A workload of the manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadAnswer {
    /// The workload, as `Kind/name`.
    pub workload: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// The number of pods.
    pub pods: usize,
    /// The number of pods that would get a node.
    pub placed: usize,
    /// The number of further equal pods that would fit, without further pods of the other workloads. Absent if this was
    /// not asked, and for a StatefulSet whose pods need claims of their own.
    pub more: Option<usize>,
    /// At least `more` further pods would fit; the count ended at a limit.
    pub more_is_limited: bool,
    /// Why no further pod fits, in the words of the scheduler's event.
    pub more_reason: Option<String>,
}

/// A PodDisruptionBudget that a drain meets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetAnswer {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `status.disruptionsAllowed`: the number of pods that may be evicted now.
    pub allowed: i64,
    /// The number of pods that the drain evicts.
    pub evicted: usize,
    /// The budget allows no eviction now, so the drain would wait.
    pub blocks: bool,
}

/// The result of a compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Compaction {
    /// The number of nodes now.
    pub nodes: usize,
    /// The number of running pods that were packed again, without DaemonSet pods and static pods.
    pub pods: usize,
    /// The fewest nodes of each trial, in ascending order.
    pub trials: Vec<usize>,
    /// The median of the trials; absent without a trial.
    pub median: Option<usize>,
    /// The 90th percentile of the trials: nine of ten orders need at most this many nodes.
    pub percentile90: Option<usize>,
    /// The nodes to remove in the trial with the median.
    pub removable: Vec<String>,
    /// Running pods that get no node when all pods are packed again, although all nodes are there. They count as placed.
    pub picky: Vec<PodRef>,
    /// The number of times that all pods were packed again.
    pub repacks: usize,
    /// The trials that the time was not enough for.
    pub unfinished: usize,
}
