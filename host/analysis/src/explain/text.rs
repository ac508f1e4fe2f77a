//! Explanations as text for people.

use std::fmt::Write;

use super::alone::AllNodes;
use super::types::{Explanation, NodeScore, Rejection, RejectionKind};
use super::why_not::WhyNot;
use crate::names::counted;
use crate::suggest::Suggestion;

/// The number of rows of a table.
const MOST_ROWS: usize = 20;

/// The number of suggestions.
const MOST_SUGGESTIONS: usize = 5;

/// Returns an explanation as text.
#[must_use]
pub fn explanation(of: &Explanation) -> String {
    explanation_under(of, "Computed now:")
}

/// Returns an explanation as text, with this title of the table.
#[must_use]
pub fn explanation_under(of: &Explanation, title_of_table: &str) -> String {
    let mut text = format!("Pod {}/{}: {}\n", of.pod.namespace, of.pod.name, of.reason);
    of.evidence.iter().for_each(|sentence| line(&mut text, &format!("  - {sentence}")));
    line(&mut text, &format!("Next: {}", of.next_step));
    // The first suggestion can be the next step.
    let others = of.suggestions.iter().filter(|suggestion| suggestion.text != of.next_step);
    let title = if others.clone().count() < of.suggestions.len() { "Or:" } else { "Changes after which a node fits:" };
    add_suggestions(&mut text, title, others);
    if let Some(controller) = &of.controller
        && of.suggestions.iter().any(|one| one.change.object.kind == "Pod" && !one.change.deletes)
    {
        line(
            &mut text,
            &format!("Change the pod in its controller ({controller}): most fields of a pod can't be changed."),
        );
    }
    if of.confirmations > 0 {
        let limited = if of.confirmations_limited { "; further changes were not tried" } else { "" };
        let found = match of.suggestions.is_empty() {
            true => "No single change was found after which a node fits",
            false => "Each change was confirmed on a copy of the cluster",
        };
        line(&mut text, &format!("{found} ({} tried{limited}).", counted(of.confirmations, "change")));
    }
    if of.nodes > 0 && (of.fitting > 0 || !of.rejections.is_empty()) {
        add_table(&mut text, of, title_of_table);
    }
    if !of.best.is_empty() {
        line(&mut text, "");
        let ties = if of.ties > 1 { format!(" ({} with the same total)", of.ties) } else { String::new() };
        line(&mut text, &format!("Best nodes now{ties}:"));
        add_scores(&mut text, &of.best);
        if !of.worst.is_empty() {
            line(&mut text, "Worst nodes now:");
            add_scores(&mut text, &of.worst);
        }
    }
    if let Some(current) = &of.current
        && let Some(score) = &current.score
        && !of.best.iter().any(|best| best.node == score.node)
    {
        line(&mut text, "Its node now:");
        add_scores(&mut text, std::slice::from_ref(score));
    }
    if !of.left_out.is_empty() {
        line(
            &mut text,
            &format!("Without the plugins {}, because the copy lacks what they read.", of.left_out.join(", ")),
        );
    }
    text
}

/// Returns the answer to "why not on this node" as text.
#[must_use]
pub fn why_not(of: &WhyNot) -> String {
    let mut text = format!("Pod {}/{}: {}\n", of.pod.namespace, of.pod.name, of.reason);
    for filter in &of.filters {
        line(&mut text, &format!("  {}: {}", filter.plugin, filter.reasons.join(", ")));
        match filter.suggestions.is_empty() {
            true => line(&mut text, "    no change was found that removes this"),
            false => filter.suggestions.iter().take(3).for_each(|one| line(&mut text, &format!("    - {}", one.text))),
        }
    }
    for lost in &of.lost {
        let word = if lost.points > 0 { "less" } else { "more" };
        line(
            &mut text,
            &format!("  {}: {} {word}", lost.plugin, counted(lost.points.unsigned_abs() as usize, "point")),
        );
    }
    let scores: Vec<NodeScore> = of.best.iter().chain(&of.score).cloned().collect();
    if of.score.is_some() {
        add_scores(&mut text, &scores);
    }
    text
}

/// Returns the verdict of each filter on each node as text.
#[must_use]
pub fn all_nodes(of: &AllNodes) -> String {
    let mut text =
        format!("Pod {}/{}: {} nodes, {} filters\n", of.pod.namespace, of.pod.name, of.nodes.len(), of.filters.len());
    let width = of.nodes.iter().map(|row| row.node.len()).max().unwrap_or_default().max(4);
    line(&mut text, &format!("{:<width$}  {:>6}  filters that reject the node", "node", "total"));
    for row in &of.nodes {
        let total = row.total.map_or_else(|| "-".to_owned(), |total| total.to_string());
        let rejected: Vec<String> = row
            .verdicts
            .iter()
            .flatten()
            .filter_map(|at| of.reasons.get(*at))
            .map(|reason| format!("{} ({})", reason.plugin, reason.reasons.join(", ")))
            .collect();
        line(&mut text, format!("{:<width$}  {total:>6}  {}", row.node, rejected.join("; ")).trim_end());
    }
    text
}

/// Returns a sentence about the extenders that the answer leaves out, or `None` if the scheduler asks no extender about
/// the pod.
#[must_use]
pub fn extenders_not_asked(of: &Explanation) -> Option<String> {
    let urls = of.extenders_not_asked.join(", ");
    (!urls.is_empty()).then(|| format!("Extenders are not asked, and can reject further nodes: {urls}."))
}

fn add_suggestions<'s>(text: &mut String, title: &str, suggestions: impl Iterator<Item = &'s Suggestion>) {
    let mut suggestions = suggestions.take(MOST_SUGGESTIONS).peekable();
    if suggestions.peek().is_some() {
        line(text, title);
    }
    suggestions.for_each(|suggestion| line(text, &format!("  - {}", suggestion.text)));
}

fn add_table(text: &mut String, of: &Explanation, title: &str) {
    line(text, "");
    line(text, title);
    line(text, &format!("{:>7}  {:<24}  reason", "nodes", "plugin"));
    if of.fitting > 0 {
        let best = of.best.iter().map(|best| best.node.as_str()).collect::<Vec<_>>().join(", ");
        line(text, &format!("{:>7}  {:<24}  fit: {best}{}", of.fitting, "", more(of.fitting, of.best.len())));
    }
    for row in of.rejections.iter().take(MOST_ROWS) {
        line(text, &table_row(row));
    }
    let rest: usize = of.rejections.iter().skip(MOST_ROWS).map(|row| row.nodes).sum();
    if rest > 0 {
        line(text, &format!("{rest:>7}  {:<24}  {} further reasons", "", of.rejections.len() - MOST_ROWS));
    }
    line(text, &format!("{:>7}  in total", of.nodes));
}

fn table_row(row: &Rejection) -> String {
    let plugin = row.plugin.as_deref().unwrap_or("");
    let reason = match row.kind {
        RejectionKind::NotLookedAt => "not looked at".to_owned(),
        RejectionKind::PreFilter => format!("excluded by a pre-filter: {}", row.reasons.join(", ")),
        RejectionKind::Filter if row.with_nominated => {
            format!("{} (with the pods that are nominated to it)", row.reasons.join(", "))
        }
        RejectionKind::Filter if !row.resolvable && is_insufficient(row) => {
            format!("{} (more than the whole node has)", row.reasons.join(", "))
        }
        RejectionKind::Filter => row.reasons.join(", "),
    };
    let examples = format!("{}{}", row.examples.join(", "), more(row.nodes, row.examples.len()));
    format!("{:>7}  {plugin:<24}  {reason}: {examples}", row.nodes)
}

fn is_insufficient(row: &Rejection) -> bool {
    row.reasons.iter().any(|reason| reason.starts_with("Insufficient "))
}

fn more(all: usize, shown: usize) -> &'static str {
    if all > shown { ", …" } else { "" }
}

fn add_scores(text: &mut String, scores: &[NodeScore]) {
    let width = scores.iter().map(|score| score.node.len()).max().unwrap_or_default();
    for score in scores {
        let parts: Vec<String> = score
            .scores
            .iter()
            .map(|points| match points.raw == points.normalized {
                true => format!("{} {}×{}", points.plugin, points.normalized, points.weight),
                false => format!("{} {}×{} (raw {})", points.plugin, points.normalized, points.weight, points.raw),
            })
            .collect();
        line(text, &format!("  {:<width$}  {:>5} = {}", score.node, score.total, parts.join(" + ")));
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
