//! The answers of both schedulers, in the form in which they are compared.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::preemption::PreemptionResult;

/// The queueing hints of a pod about one change, by plugin name: true if the hint queues the pod again. Empty if the
/// change causes no event.
pub type Hints = BTreeMap<String, bool>;

/// All answers of one scheduler about a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The answers before the first change (index 0) and after each change. Each inner list is in the order of the
    /// case's `pods`.
    pub steps: Vec<Vec<Answer>>,
    /// The hints about each change. Each inner list is in the order of the case's `pods`.
    pub hints: Vec<Vec<Hints>>,
    /// The names of the pods in the case's queue, in the order in which they are scheduled.
    pub order: Vec<String>,
}

/// All answers of one scheduler about one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The answers of each plugin, by plugin name. Each plugin is asked alone about all nodes. Berth's map is empty if
    /// the case has nominated pods.
    pub plugins: BTreeMap<String, Verdict>,
    /// The result of a scheduling cycle with all plugins of the default profile.
    pub cycle: Cycle,
    /// The result of preemption, if no node fits. Always set in Berth's answer if the case has nominated pods.
    pub preemption: Option<PreemptionResult>,
    /// The number of nodes in the cluster. Set only in kube-scheduler's answer.
    pub nodes: usize,
}

/// The answers of one plugin about a pod and all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The rejection by pre-enqueue, or `None` if pre-enqueue accepts the pod.
    pub pre_enqueue_rejection: Option<Status>,
    /// True if the plugin's pre-filter skips the filter for this pod.
    pub skips: bool,
    /// The nodes that the plugin rejects or its pre-filter leaves out, by name.
    pub rejected: BTreeMap<String, Status>,
    /// The scores of the nodes that are not rejected, by node name; `None` if the plugin does not score this pod.
    pub scores: Option<BTreeMap<String, Score>>,
    /// The plugin's error message; `None` if the plugin did not fail.
    pub failed: Option<String>,
}

/// A rejection with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// The name of the status code: `Unschedulable`, …
    pub code: String,
    /// The plugin's messages about the rejection. May be empty.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// A node's score, before the plugin's weight is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Score {
    /// The score as the plugin returned it.
    pub raw: i64,
    /// The score after normalization, 0 to 100.
    pub normalized: i64,
}

/// The result of a scheduling cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// The nodes that fit, with the weighted sums of their scores.
    Fits(BTreeMap<String, i64>),
    /// No node fits. Holds the message of the FailedScheduling event, without the text that preemption adds.
    FitsNowhere(String),
    /// A plugin failed.
    Failed,
}

impl Default for Cycle {
    fn default() -> Self {
        Self::Fits(BTreeMap::new())
    }
}

/// Returns the status with which these tests mark nodes that a pre-filter leaves out. The schedulers have no such
/// status.
pub fn left_out() -> Status {
    Status { code: "left out by the pre-filter".into(), reasons: Vec::new() }
}

impl Answers {
    /// Returns the differences, one per element, except those of the hints, which [`crate::hints`] compares.
    pub fn differences(theirs: &Self, ours: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        add_difference(&mut lines, "steps", &theirs.steps.len(), &ours.steps.len());
        add_difference(&mut lines, "the order of the queue", &theirs.order, &ours.order);
        for (step, (theirs, ours)) in theirs.steps.iter().zip(&ours.steps).enumerate() {
            for (pod, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
                let differences = Answer::differences(theirs, ours);
                lines.extend(differences.into_iter().map(|line| format!("after {step} changes, pod p{pod}: {line}")));
            }
        }
        lines
    }
}

impl Answer {
    /// Returns the differences of the cycle, of preemption and of each plugin in Berth's answer, one per element.
    pub fn differences(theirs: &Self, ours: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        add_difference(&mut lines, "the scheduling cycle", &theirs.cycle, &ours.cycle);
        let pre_enqueue_rejects = theirs.plugins.values().any(|verdict| verdict.pre_enqueue_rejection.is_some());
        lines.extend(PreemptionResult::differences(
            theirs.preemption.as_ref(),
            ours.preemption.as_ref(),
            pre_enqueue_rejects,
        ));
        for (plugin, ours) in &ours.plugins {
            let Some(their_verdict) = theirs.plugins.get(plugin) else {
                lines.push(format!("{plugin}: kube-scheduler has no such plugin"));
                continue;
            };
            add_difference(
                &mut lines,
                format_args!("{plugin}: rejection by pre-enqueue"),
                &their_verdict.pre_enqueue_rejection,
                &ours.pre_enqueue_rejection,
            );
            // Without nodes, Berth does not ask any plugin about nodes.
            if theirs.nodes > 0 {
                Verdict::differences(their_verdict, ours, plugin, &mut lines);
            }
        }
        lines
    }
}

impl Verdict {
    /// Returns the rejected nodes. The reasons of NodeResourcesFit are sorted, because kube-scheduler's
    /// NodeResourcesFit keeps extended resources in a map and so reports them in random order.
    fn sorted_rejections(&self, plugin: &str) -> BTreeMap<String, Status> {
        let mut rejections = self.rejected.clone();
        if plugin == "NodeResourcesFit" {
            rejections.values_mut().for_each(|status| status.reasons.sort());
        }
        rejections
    }

    fn differences(theirs: &Self, ours: &Self, plugin: &str, lines: &mut Vec<String>) {
        if theirs.failed.is_some() || ours.failed.is_some() {
            add_difference(lines, format_args!("{plugin}: failed"), &theirs.failed.is_some(), &ours.failed.is_some());
            return;
        }
        add_difference(lines, format_args!("{plugin}: skipped its filter"), &theirs.skips, &ours.skips);
        add_differences(
            lines,
            &format!("{plugin}: rejected"),
            &theirs.sorted_rejections(plugin),
            &ours.sorted_rejections(plugin),
        );
        match (&theirs.scores, &ours.scores) {
            (Some(theirs), Some(ours)) => add_differences(lines, &format!("{plugin}: score"), theirs, ours),
            // Where a plugin of Berth skips scoring, the plugin of kube-scheduler can have no pre-score and give every
            // node the score 0.
            (Some(theirs), None) if theirs.values().all(|score| score.normalized == 0) => {}
            (theirs, ours) => add_difference(lines, format_args!("{plugin}: scores"), theirs, ours),
        }
    }
}

fn add_differences<T: PartialEq + std::fmt::Debug>(
    lines: &mut Vec<String>,
    label: &str,
    theirs: &BTreeMap<String, T>,
    ours: &BTreeMap<String, T>,
) {
    let nodes: std::collections::BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    for node in nodes {
        add_difference(lines, format_args!("{label} on {node}"), &theirs.get(node), &ours.get(node));
    }
}

fn add_difference<T: PartialEq + std::fmt::Debug>(
    lines: &mut Vec<String>,
    label: impl std::fmt::Display,
    theirs: &T,
    ours: &T,
) {
    if theirs != ours {
        lines.push(format!("{label}: kube-scheduler {theirs:?}, Berth {ours:?}"));
    }
}
