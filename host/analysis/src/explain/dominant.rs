//! The dominant reason of an explanation, with its evidence and the next step.

use berth_core::cycle::Failure;

use super::sentences::{duration, next_step, queue, sentence};
use super::text;
use super::types::{Explanation, Rejection, RejectionKind, State};
use crate::names::counted;
use crate::sandbox::{Answers, PreEnqueueAnswer};
use crate::suggest::{ChangeKind, Confirmer, Shortage, Suggestion, conditions};

/// Facts beyond the table.
#[derive(Default)]
pub(super) struct Dominant {
    shortages: Vec<Shortage>,
    /// A sentence about nodes that are not ready, for example.
    conditions: Option<String>,
    /// A sentence about labels that nodes lack.
    labels: Option<String>,
}

impl Dominant {
    /// Returns the facts that the confirmations found.
    pub fn of(confirmer: &Confirmer<'_>) -> Self {
        Self {
            shortages: confirmer.shortages.clone(),
            conditions: conditions(confirmer),
            labels: confirmer.labels.clone(),
        }
    }

    /// Returns the sentence about labels, for the plugin that compares labels.
    fn selector(&self, plugin: Option<&str>) -> Option<&str> {
        self.labels.as_deref().filter(|_| plugin == Some("NodeAffinity"))
    }
}

/// Describes a pod that no profile has.
pub(super) fn another_scheduler(explanation: &mut Explanation, similar: &str) {
    explanation.state = State::AnotherScheduler;
    let name = &explanation.scheduler_name;
    let end = if similar.is_empty() { "." } else { similar };
    explanation.reason = format!("The pod is for another scheduler: no profile has the name {name:?}{end}");
    explanation.next_step = match explanation.suggestions.first() {
        Some(suggestion) => suggestion.text.clone(),
        None => format!("Check that a scheduler with the name {name:?} runs, or correct spec.schedulerName."),
    };
}

/// Fills in the reason, the evidence and the next step.
pub(super) fn describe(explanation: &mut Explanation, facts: &Dominant, gated: PreEnqueueAnswer, answers: &Answers) {
    let (reason, plugin, next_step) = match explanation.state {
        State::Bound => bound(explanation),
        State::Deleting => ("The pod is being deleted.".to_owned(), None, "Wait until the pod is gone.".to_owned()),
        State::Gated => gate(explanation, gated),
        State::WaitsForPermission => waits(explanation),
        State::Binding => (
            format!("Node {} is reserved for the pod, and the binding is under way.", reserved(explanation)),
            None,
            "Wait for the binding. If it takes long, look at the pod's events.".to_owned(),
        ),
        State::AwaitsVictims => victims(explanation),
        State::NoNodes => (
            "The cluster has no nodes.".to_owned(),
            None,
            "Add a node, and check that the scheduler may list nodes.".to_owned(),
        ),
        State::PluginFailed => failed(answers, gated),
        State::Fits => fits(explanation),
        State::NoNodeFits | State::AnotherScheduler => no_node(explanation, facts),
    };
    // A change that makes the pod fit ends no other wait.
    let ends_the_wait = |suggestion: &&Suggestion| match explanation.state {
        State::NoNodeFits => true,
        State::Gated => suggestion.change.kind == ChangeKind::RemoveSchedulingGates,
        _ => false,
    };
    let suggested = explanation.suggestions.first().filter(ends_the_wait).map(|suggestion| suggestion.text.clone());
    (explanation.reason, explanation.plugin) = (reason, plugin);
    explanation.next_step = suggested.unwrap_or(next_step);
    let mut evidence = Vec::new();
    evidence.extend(facts.shortages.iter().map(|shortage| format!("{}.", shortage.sentence())));
    let conditions = facts.conditions.iter().filter(|_| answers.outcome.is_err());
    evidence.extend(conditions.map(|sentence| format!("{sentence}.")));
    if answers.outcome.is_err() {
        evidence.extend(explanation.rejections.iter().take(3).map(|row| format!("{}.", sentence(row))));
    }
    evidence.extend(text::extenders_not_asked(explanation));
    evidence.extend(queue(explanation));
    // A sentence that the reason has already is no evidence.
    evidence.retain(|sentence| !explanation.reason.ends_with(sentence));
    explanation.evidence = evidence;
}

/// A reason, the plugin that it is about, and the next step.
type Described = (String, Option<String>, String);

fn bound(explanation: &Explanation) -> Described {
    let Some(current) = &explanation.current else { return (String::new(), None, String::new()) };
    let node = &current.node;
    let (place, next) = match (&current.rank, &current.rejected) {
        (Some(1), _) if explanation.ties > 1 => (
            format!("it is one of {} with the highest score now", counted(explanation.ties, "node")),
            "Nothing to do.".to_owned(),
        ),
        (Some(1), _) => ("it has the highest score now".to_owned(), "Nothing to do.".to_owned()),
        (Some(rank), _) => (
            format!("it is number {rank} of {} now", counted(explanation.fitting, "fitting node")),
            "See the record of the decision for the scores at that time.".to_owned(),
        ),
        (None, Some(rejected)) => (
            format!("the pod would not fit there now ({})", rejected.reasons.join(", ")),
            "A running pod stays on its node. See the record of the decision for the answers at that time.".to_owned(),
        ),
        (None, None) => (
            "the node does not exist any more".to_owned(),
            "Wait until the pod is deleted, which happens when its node is gone.".to_owned(),
        ),
    };
    (format!("The pod has node {node}; {place}."), None, next)
}

fn gate(explanation: &Explanation, gated: PreEnqueueAnswer) -> Described {
    let Ok(Some((plugin, status))) = gated else { return (String::new(), None, String::new()) };
    let reasons = status.reasons.join(", ");
    let fits = match explanation.fitting {
        0 => "no node would fit either",
        _ => "it would fit",
    };
    let next = "Remove the reason that the plugin names; then the pod enters the queue.".to_owned();
    (
        format!("Plugin {plugin} does not let the pod enter the queue: {reasons}; {fits}."),
        Some(plugin.to_string()),
        next,
    )
}

fn waits(explanation: &Explanation) -> Described {
    let now = explanation.computed_at;
    let waits: Vec<String> = explanation
        .status
        .permit_waits
        .iter()
        .map(|wait| match wait.since {
            Some(since) => format!("{} since {}", wait.plugin, duration(now.saturating_sub(since))),
            None => wait.plugin.clone(),
        })
        .collect();
    let plugin = explanation.status.permit_waits.first().map(|wait| wait.plugin.clone());
    let until = explanation.status.permit_waits.iter().filter_map(|wait| wait.until).min();
    let next = until.map_or_else(
        || "Wait for the plugin's permission.".to_owned(),
        |until| {
            format!(
                "Wait: the plugin decides within {}, or the pod is queued again.",
                duration(until.saturating_sub(now))
            )
        },
    );
    let node = reserved(explanation);
    (format!("The pod waits for permission from plugin {}; node {node} is reserved.", waits.join(", ")), plugin, next)
}

fn reserved(explanation: &Explanation) -> String {
    explanation.status.reserved_node.clone().unwrap_or_else(|| "(unknown)".into())
}

fn victims(explanation: &Explanation) -> Described {
    let status = &explanation.status;
    let node = status.nominated_node.as_deref().unwrap_or("(unknown)");
    let names: Vec<String> =
        status.victims.iter().take(3).map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
    let reason = format!(
        "The pod preempts {} on node {node} and waits until they have left ({}{}).",
        counted(status.victims.len(), "pod"),
        names.join(", "),
        if status.victims.len() > names.len() { ", …" } else { "" }
    );
    (reason, Some("DefaultPreemption".into()), "Wait until the pods have terminated.".to_owned())
}

fn failed(answers: &Answers, gated: PreEnqueueAnswer) -> Described {
    let (plugin, message) = match (&answers.outcome, gated) {
        (_, Err(error)) => (Some(error.plugin.to_string()), error.to_string()),
        (Err(failure @ (Failure::Plugin(error) | Failure::PostFilter(error))), _) => {
            (Some(error.plugin.to_string()), failure.to_string())
        }
        (outcome, _) => (None, outcome.as_ref().err().map(Failure::to_string).unwrap_or_default()),
    };
    let next = "See the plugin's error in the log; the scheduler tries again after a backoff.".to_owned();
    (format!("There is no decision, because a plugin failed: {message}"), plugin, next)
}

fn fits(explanation: &Explanation) -> Described {
    let best = explanation.best.first().map_or("", |best| &best.node);
    let reason = match explanation.ties {
        0 | 1 => format!("The pod fits on {}; {best} has the highest score.", counted(explanation.fitting, "node")),
        ties => format!(
            "The pod fits on {}; {} have the highest score, and the scheduler picks one of them at random.",
            counted(explanation.fitting, "node"),
            counted(ties, "node")
        ),
    };
    let next = match explanation.status.sub_queue.as_deref() {
        Some("unschedulable") if !explanation.extenders_not_asked.is_empty() => {
            "See the recorded attempt for the answer of the extenders."
        }
        Some("unschedulable") => {
            "Wait: the next attempt succeeds. It comes with the next event that helps, or after five minutes."
        }
        Some("backoff") => "Wait until the backoff of the pod ends.",
        _ => "Wait for the pod's next attempt.",
    };
    (reason, None, next.to_owned())
}

fn no_node(explanation: &Explanation, facts: &Dominant) -> Described {
    let Some(row) = dominant_row(&explanation.rejections) else { return (String::new(), None, String::new()) };
    let is_about = |shortage: &&Shortage| row.reasons.contains(&format!("Insufficient {}", shortage.resource));
    let reason = match (facts.shortages.iter().find(is_about), facts.selector(row.plugin.as_deref())) {
        (Some(shortage), _) => shortage.sentence(),
        (None, Some(selector)) => selector.to_owned(),
        (None, None) => sentence(row),
    };
    (format!("No node fits: {reason}."), row.plugin.clone(), next_step(row).to_owned())
}

/// Returns the row that explains best why the pod is pending. The nodes that pods leave and join decide: they passed the
/// filters about what a node is. Without such nodes, the row with the most nodes decides.
fn dominant_row(rows: &[Rejection]) -> Option<&Rejection> {
    let resolvable = rows.iter().filter(|row| row.resolvable && row.kind == RejectionKind::Filter);
    // The rows are ordered by their number of nodes.
    resolvable.into_iter().next().or_else(|| rows.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: RejectionKind, plugin: &str, nodes: usize, resolvable: bool) -> Rejection {
        let (plugin, reasons) = (Some(plugin.to_owned()), vec!["no".to_owned()]);
        Rejection { kind, plugin, reasons, resolvable, with_nominated: false, nodes, examples: Vec::new() }
    }

    #[test]
    fn nodes_that_other_pods_fill_decide_over_nodes_that_never_fit() {
        use RejectionKind::{Filter, PreFilter};
        for (rows, expected) in [
            (vec![row(Filter, "A", 4988, false), row(Filter, "B", 12, true)], "B"),
            (vec![row(Filter, "A", 3, false), row(Filter, "B", 2, false)], "A"),
            (vec![row(PreFilter, "A", 5, true)], "A"),
        ] {
            assert_eq!(dominant_row(&rows).and_then(|row| row.plugin.as_deref()), Some(expected));
        }
        assert!(dominant_row(&[]).is_none());
    }
}
