//! What a side answers, in the form in which the two are compared.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::hints::Hints;
use crate::room::Room;

/// All that is said of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// At first and after each change, each parallel to the case's pods.
    pub steps: Vec<Vec<Answer>>,
    /// After each change, each parallel to the case's pods.
    pub hints: Vec<Vec<Hints>>,
    /// The pods of the case's queue, in the order in which they are tried.
    pub order: Vec<String>,
}

/// All that is said of one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// By plugin, each asked about all nodes by itself.
    pub plugins: BTreeMap<String, Verdict>,
    /// What the profile as a whole decides.
    pub cycle: Cycle,
    /// Where it fits nowhere.
    pub room: Option<Room>,
    /// How many there are.
    pub nodes: usize,
}

/// What one plugin says of the nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// It does not let the pod be tried.
    pub held: Option<Status>,
    /// It has nothing to filter for this pod.
    pub skips: bool,
    /// Nodes that it rejects, or that its pre-filter leaves out.
    pub rejected: BTreeMap<String, Status>,
    /// Of the others; `None` where it scores nothing for this pod.
    pub scores: Option<BTreeMap<String, Score>>,
    /// It could not tell.
    pub failed: Option<String>,
}

/// A no with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// `Unschedulable`, …
    pub code: String,
    /// For people.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// Before the weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Score {
    /// As the plugin gave it.
    pub raw: i64,
    /// 0 to 100.
    pub normalized: i64,
}

/// What a scheduling cycle comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Nodes that fit, with the weighted sums of their scores.
    Fits(BTreeMap<String, i64>),
    /// The message of the FailedScheduling event.
    FitsNowhere(String),
    /// A plugin could not tell.
    Failed,
}

impl Default for Cycle {
    fn default() -> Self {
        Self::Fits(BTreeMap::new())
    }
}

/// What a plugin's pre-filter says of the nodes that it leaves out.
pub fn left_out() -> Status {
    Status { code: "left out by the pre-filter".into(), reasons: Vec::new() }
}

impl Answers {
    /// What differs, a line each.
    pub fn differences(theirs: &Self, ours: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        note(&mut lines, "steps", &theirs.steps.len(), &ours.steps.len());
        note(&mut lines, "the order of the queue", &theirs.order, &ours.order);
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
    /// What differs, a line each: the plugin, the node, what kube-scheduler and what Berth says.
    pub fn differences(theirs: &Self, ours: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        note(&mut lines, "the whole cycle", &theirs.cycle, &ours.cycle);
        let is_held = theirs.plugins.values().any(|verdict| verdict.held.is_some());
        lines.extend(Room::differences(theirs.room.as_ref(), ours.room.as_ref(), is_held));
        for (plugin, ours) in &ours.plugins {
            let Some(of_them) = theirs.plugins.get(plugin) else {
                lines.push(format!("{plugin}: kube-scheduler has no such plugin"));
                continue;
            };
            note(&mut lines, format_args!("{plugin}: holds the pod back"), &of_them.held, &ours.held);
            // Where there are no nodes, Berth asks no plugin about them.
            if theirs.nodes > 0 {
                Verdict::differences(of_them, ours, plugin, &mut lines);
            }
        }
        lines
    }
}

impl Verdict {
    /// The nodes that it rejects, with reasons in an order. kube-scheduler's NodeResourcesFit tells of extended resources in any: they
    /// are in a map.
    fn told(&self, plugin: &str) -> BTreeMap<String, Status> {
        let mut told = self.rejected.clone();
        if plugin == "NodeResourcesFit" {
            told.values_mut().for_each(|status| status.reasons.sort());
        }
        told
    }

    fn differences(theirs: &Self, ours: &Self, plugin: &str, lines: &mut Vec<String>) {
        if theirs.failed.is_some() || ours.failed.is_some() {
            note(lines, format_args!("{plugin}: could not tell"), &theirs.failed.is_some(), &ours.failed.is_some());
            return;
        }
        note(lines, format_args!("{plugin}: skips its filter"), &theirs.skips, &ours.skips);
        compare(lines, &format!("{plugin}: rejected"), &theirs.told(plugin), &ours.told(plugin));
        match (&theirs.scores, &ours.scores) {
            (Some(theirs), Some(ours)) => compare(lines, &format!("{plugin}: score"), theirs, ours),
            // Some of kube-scheduler's plugins have no pre-score, and give every node nothing where Berth's skip.
            (Some(theirs), None) if theirs.values().all(|score| score.normalized == 0) => {}
            (theirs, ours) => note(lines, format_args!("{plugin}: scores"), theirs, ours),
        }
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(
    lines: &mut Vec<String>,
    what: &str,
    theirs: &BTreeMap<String, T>,
    ours: &BTreeMap<String, T>,
) {
    let nodes: std::collections::BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    for node in nodes {
        note(lines, format_args!("{what} on {node}"), &theirs.get(node), &ours.get(node));
    }
}

fn note<T: PartialEq + std::fmt::Debug>(lines: &mut Vec<String>, what: impl std::fmt::Display, theirs: &T, ours: &T) {
    if theirs != ours {
        lines.push(format!("{what}: kube-scheduler {theirs:?}, Berth {ours:?}"));
    }
}
