//! The answer as one sentence.

use super::WhatIfInputs;
use super::answer::{Answer, Compaction, PodAnswer, PodRole, PodState};
use super::question::Question;
use crate::names::counted;

/// Sets the sentence, and whether everything fits.
pub(super) fn summarize(answer: &mut Answer, question: &Question, inputs: &WhatIfInputs<'_>) {
    let sentence = sentence(answer, question, inputs);
    // A plugin that takes no part can't reject a node, so the answer can be too good.
    answer.answer = match answer.left_out.is_empty() {
        true => format!("{sentence}."),
        false => format!("{sentence}; {} took no part.", counted(answer.left_out.len(), "plugin")),
    };
}

/// Returns the sentence without its end, and sets whether everything fits.
fn sentence(answer: &mut Answer, question: &Question, inputs: &WhatIfInputs<'_>) -> String {
    if let Some(found) = &answer.compaction {
        answer.fits = found.picky.is_empty();
        return compaction(found);
    }
    let leaves = !question.remove_nodes.is_empty() || !question.drain.is_empty();
    // Pods that are pending already are no concern of a question about other pods.
    let asked: Vec<PodRole> = match (!question.manifests.is_empty(), leaves) {
        (false, false) => vec![PodRole::Pending],
        _ => vec![PodRole::New, PodRole::Moved],
    };
    let concerned = |pod: &&PodAnswer| asked.contains(&pod.role) && pod.state != PodState::AnotherScheduler;
    let pods: Vec<&PodAnswer> = answer.pods.iter().filter(concerned).collect();
    let placed = pods.iter().filter(|pod| pod.state == PodState::Placed).count();
    let harmed = answer.pods.iter().filter(|pod| pod.role == PodRole::Pending && harmed(pod)).count();
    let blocking: Vec<&str> =
        answer.disruption_budgets.iter().filter(|budget| budget.blocks).map(|budget| budget.name.as_str()).collect();
    answer.fits = placed == pods.len() && blocking.is_empty() && harmed == 0;
    let noun = match asked[0] {
        PodRole::Pending => "pending pod",
        _ if leaves && question.manifests.is_empty() => "pod that leaves its node",
        _ if leaves => "new or moved pod",
        _ => "new pod",
    };
    let mut sentence = match (pods.len(), placed) {
        (0, _) => format!("No: there is no {noun}"),
        (all, placed) if all == placed && answer.fits => format!("Yes: {}", all_fit(all, noun)),
        (all, placed) if all == placed => format!("No: {}", all_fit(all, noun)),
        (1, 0) => format!("No: the {noun} does not fit"),
        (all, 0) => format!("No: none of the {} fits", plural(all, noun)),
        (all, placed) => format!("No: {placed} of {} fit", plural(all, noun)),
    };
    if pods.is_empty() {
        sentence = format!("{}: there is no {noun}", if answer.fits { "Yes" } else { "No" });
    }
    if asked[0] == PodRole::Pending && (inputs.policy_before.is_some() || question.add_nodes.is_some()) {
        let before = pods.iter().filter(|pod| pod.fits_now == Some(true)).count();
        let would = match (pods.len(), before) {
            (1, 0) => "it would not".to_owned(),
            (1, _) => "it would".to_owned(),
            (_, before) => format!("{before} would"),
        };
        sentence.push_str(&format!("; without the change, {would}"));
    }
    if harmed > 0 {
        sentence.push_str(&format!("; {} that would fit now would not fit any more", counted(harmed, "pending pod")));
    }
    let victims: usize = answer.pods.iter().map(|pod| pod.victims.len()).sum();
    if victims > 0 {
        sentence.push_str(&format!("; {} would be preempted", counted(victims, "pod")));
    }
    if !blocking.is_empty() {
        sentence.push_str(&format!("; a PodDisruptionBudget allows no eviction now: {}", blocking.join(", ")));
    }
    sentence
}

/// Returns whether the pending pod would fit without the change only.
fn harmed(pod: &PodAnswer) -> bool {
    pod.fits_now == Some(true) && pod.state != PodState::Placed
}

fn all_fit(all: usize, noun: &str) -> String {
    if all == 1 { format!("the {noun} fits") } else { format!("the {} fit", plural(all, noun)) }
}

fn plural(count: usize, noun: &str) -> String {
    match noun {
        "pod that leaves its node" if count != 1 => format!("{count} pods that leave their nodes"),
        _ => counted(count, noun),
    }
}

fn compaction(found: &Compaction) -> String {
    let (Some(median), Some(most)) = (found.median, found.percentile90) else {
        return "There is no result: no trial is complete".to_owned();
    };
    let pods = counted(found.pods - found.picky.len(), "running pod");
    let percent = 100 * (found.nodes - most) / found.nodes.max(1);
    let range = match (found.trials.first(), found.trials.last()) {
        (Some(least), Some(last)) if least != last => format!("; the trials need {least} to {last}"),
        _ => String::new(),
    };
    format!(
        "{pods} fit on {most} of {} (90th percentile of {}; median {median}{range}): {percent} % of the nodes are free",
        counted(found.nodes, "node"),
        counted(found.trials.len(), "trial"),
    )
}
