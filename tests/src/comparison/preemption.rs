//! The result of preemption for a pod that no node fits, and the comparison of both sides' results.
//!
//! kube-scheduler chooses any of the candidate nodes with the least disruption. So kube-scheduler's choice and Berth's
//! choice must be among these nodes. Berth's victims must be kube-scheduler's victims for the node that Berth chose,
//! without the victims that are already being deleted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use serde::Deserialize;

/// kube-scheduler's message if DynamicResources has no state for the pod, because an earlier pre-filter rejected the
/// pod. This message is not compared.
const NO_STATE: &str = "not found";

/// kube-scheduler's result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct UpstreamResult {
    /// The text that preemption adds to the pod's message.
    message: String,
    /// The nominated node; empty for none.
    node: String,
    /// All candidate nodes, by name.
    candidates: BTreeMap<String, Candidate>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Candidate {
    victims: Vec<Victim>,
    /// The number of violated PodDisruptionBudgets.
    violations: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Victim {
    name: String,
    priority: i32,
    /// The start time in seconds since 1970; `i64::MAX` for a pod that has not started.
    started: i64,
    /// True if the pod was already being deleted before the preemption.
    #[serde(default)]
    deleting: bool,
}

/// Berth's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BerthResult {
    /// The text that preemption adds to the pod's message.
    pub message: String,
    /// The nominated node; empty for none.
    pub node: String,
    /// The names of the pods to evict.
    pub evicted: BTreeSet<String>,
}

/// The result of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreemptionResult {
    /// kube-scheduler's result.
    Upstream(UpstreamResult),
    /// Berth's result.
    Berth(BerthResult),
    /// Berth did not attempt preemption, for this reason.
    NotAttempted(NotAttempted),
}

/// The reason why Berth did not attempt preemption. The oracle attempts preemption for every pod that no node fits, so
/// kube-scheduler can have a result for the same pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAttempted {
    /// There are no nodes.
    NoNodes,
    /// The pod already has a node.
    HasNode,
    /// A plugin rejects the pod in pre-enqueue, so Berth does not schedule the pod.
    PreEnqueueRejects,
    /// Pods without a node have nominated nodes: Berth's next cycle could schedule one of these pods first.
    NominatedPods,
}

impl PreemptionResult {
    /// Returns the differences, one per element. `pre_enqueue_rejects` is true if a kube-scheduler plugin rejects the
    /// pod in pre-enqueue. If Berth did not attempt preemption, the only possible difference is that Berth's plugins
    /// reject the pod in pre-enqueue and kube-scheduler's do not. If only kube-scheduler has a result, that is a
    /// difference.
    pub fn differences(theirs: Option<&Self>, ours: Option<&Self>, pre_enqueue_rejects: bool) -> Vec<String> {
        match (theirs, ours) {
            (Some(Self::Upstream(theirs)), Some(Self::Berth(ours))) => theirs.differences(ours),
            (Some(Self::Upstream(_)), Some(Self::NotAttempted(NotAttempted::PreEnqueueRejects)))
                if !pre_enqueue_rejects =>
            {
                vec!["preemption: Berth's pre-enqueue rejects the pod, kube-scheduler's does not".to_owned()]
            }
            (Some(Self::Upstream(theirs)), None) => {
                vec![format!("preemption: kube-scheduler's result is {theirs:?}, Berth has none")]
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a node was found.
    pub fn found_node(&self) -> bool {
        match self {
            Self::Upstream(result) => result.found_node(),
            Self::Berth(result) => !result.node.is_empty(),
            Self::NotAttempted(_) => false,
        }
    }
}

impl UpstreamResult {
    /// Returns the number of candidate nodes.
    pub fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// Returns whether a node was found.
    fn found_node(&self) -> bool {
        !self.node.is_empty()
    }

    /// Returns the differences, one per element.
    fn differences(&self, ours: &BerthResult) -> Vec<String> {
        let mut lines = Vec::new();
        let (theirs, our_message) = (&self.message, &ours.message);
        if theirs != our_message && theirs != NO_STATE {
            lines.push(format!("preemption: kube-scheduler's message is {theirs:?}, Berth's {our_message:?}"));
        }
        let best = self.best();
        if self.found_node() && !best.contains(self.node.as_str()) {
            lines.push(format!(
                "preemption: kube-scheduler chose node {}, which is not one of the best nodes {best:?}",
                self.node
            ));
        }
        if self.found_node() == ours.node.is_empty() || self.found_node() && !best.contains(ours.node.as_str()) {
            lines.push(format!("preemption: Berth chose node {:?} of the candidates {:?}", ours.node, self.candidates));
        } else if let Some(candidate) = self.candidates.get(&ours.node) {
            let stay = candidate.victims.iter().filter(|victim| !victim.deleting);
            let expected: BTreeSet<String> = stay.map(|victim| victim.name.clone()).collect();
            if expected != ours.evicted {
                let (node, evicted) = (&ours.node, &ours.evicted);
                lines.push(format!("preemption: on node {node} kube-scheduler evicts {expected:?}, Berth {evicted:?}"));
            }
        }
        lines
    }

    /// Returns the nodes with the least disruption. kube-scheduler chooses any of them.
    fn best(&self) -> BTreeSet<&str> {
        let disruption = |candidate: &Candidate| {
            let highest = candidate.victims.iter().map(|victim| victim.priority).max();
            let important = candidate.victims.iter().filter(|victim| Some(victim.priority) == highest);
            let sum: i64 = candidate.victims.iter().map(|victim| i64::from(victim.priority) + (1 << 31)).sum();
            let earliest = important.map(|victim| victim.started).min();
            (candidate.violations, highest, sum, candidate.victims.len(), Reverse(earliest))
        };
        let least = self.candidates.values().map(disruption).min();
        let best = self.candidates.iter().filter(|(_, candidate)| Some(disruption(candidate)) == least);
        best.map(|(name, _)| name.as_str()).collect()
    }
}

/// Checks the number of differences that [`PreemptionResult::differences`] finds between given results.
///
/// # Errors
/// Returns an error if a number is wrong.
pub fn differences_are_found() -> Result<()> {
    let upstream = PreemptionResult::Upstream(UpstreamResult { node: "n".into(), ..UpstreamResult::default() });
    let not_attempted = |why| Some(PreemptionResult::NotAttempted(why));
    for (ours, pre_enqueue_rejects, expected) in [
        (None, false, 1),
        (not_attempted(NotAttempted::PreEnqueueRejects), false, 1),
        (not_attempted(NotAttempted::PreEnqueueRejects), true, 0),
        (not_attempted(NotAttempted::NoNodes), false, 0),
        (Some(PreemptionResult::Berth(BerthResult { node: "m".into(), ..BerthResult::default() })), false, 2),
    ] {
        let found = PreemptionResult::differences(Some(&upstream), ours.as_ref(), pre_enqueue_rejects);
        ensure!(found.len() == expected, "expected {expected} differences for {ours:?}, found {found:?}");
    }
    Ok(())
}
