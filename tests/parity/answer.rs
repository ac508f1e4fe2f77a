//! The answers of both schedulers, in the form in which they are compared.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::preemption::PreemptionResult;

/// By plugin name: true if the plugin's hint queues the pod again. Empty if the change causes no event.
pub type Hints = BTreeMap<String, bool>;

/// All answers about a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The answers before the first change and after each change. Each list is parallel to the case's pods.
    pub steps: Vec<Vec<Answer>>,
    /// The hints after each change. Each list is parallel to the case's pods.
    pub hints: Vec<Vec<Hints>>,
    /// The names of the pods in the case's queue, in the order in which they are scheduled.
    pub order: Vec<String>,
}

/// All answers about one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The answers of each plugin, by plugin name. Each plugin is asked alone about all nodes.
    pub plugins: BTreeMap<String, Verdict>,
    /// The result of the profile with all plugins.
    pub cycle: Cycle,
    /// The result of preemption, where no node fits.
    pub preemption: Option<PreemptionResult>,
    /// The number of nodes in the cluster.
    pub nodes: usize,
}

/// The answers of one plugin about the nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The rejection by pre-enqueue, or `None` if pre-enqueue accepts the pod.
    pub pre_enqueue_rejection: Option<Status>,
    /// True if the filter is skipped for this pod.
    pub skips: bool,
    /// The nodes that the plugin rejects, or that its pre-filter leaves out.
    pub rejected: BTreeMap<String, Status>,
    /// The scores of the other nodes; `None` if scoring is skipped for this pod.
    pub scores: Option<BTreeMap<String, Score>>,
    /// The plugin's error, if it failed.
    pub failed: Option<String>,
}

/// A rejection with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// The name of the status code: `Unschedulable`, …
    pub code: String,
    /// Reasons for people to read.
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
    /// No node fits; the message of the FailedScheduling event.
    FitsNowhere(String),
    /// A plugin failed.
    Failed,
}

impl Default for Cycle {
    fn default() -> Self {
        Self::Fits(BTreeMap::new())
    }
}

/// Returns the status of the nodes that a plugin's pre-filter leaves out.
pub fn left_out() -> Status {
    Status { code: "left out by the pre-filter".into(), reasons: Vec::new() }
}

impl Answers {
    /// Returns the differences, one per line.
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
    /// Returns the differences, one per line: the plugin, the node, kube-scheduler's answer and Berth's.
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
    /// Returns the rejected nodes, with reasons in a fixed order. kube-scheduler's NodeResourcesFit reports
    /// extended resources in random order, because it keeps them in a map.
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
            // Some of kube-scheduler's plugins have no pre-score and give every node a score of 0, where Berth's
            // plugins skip.
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
