//! Answers as text for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::answer::{Answer, BudgetAnswer, Compaction, PodAnswer, PodRole, PodState};
use crate::names::counted;

/// The number of rows of each table.
const MOST_ROWS: usize = 20;

/// The number of names in a list.
const MOST_NAMES: usize = 10;

/// Returns an answer as text: the answer in one line, then tables. `wide` has each pod.
#[must_use]
pub fn answer(of: &Answer, wide: bool) -> String {
    let mut text = format!("{}\n", of.answer);
    if wide {
        add_pods(&mut text, &of.pods);
    } else {
        add_groups(&mut text, &of.pods);
    }
    add_workloads(&mut text, of);
    add_reasons(&mut text, &of.pods);
    of.disruption_budgets.iter().for_each(|budget| section(&mut text, &about_budget(budget)));
    if let Some(compaction) = &of.compaction {
        add_compaction(&mut text, compaction);
    }
    line(&mut text, "");
    if !of.left_out.is_empty() {
        let names = of.left_out.join(", ");
        line(
            &mut text,
            &format!(
                "These plugins took no part, because the copy lacks what they read; nodes that they reject count as fitting: {names}."
            ),
        );
    }
    of.notes.iter().take(MOST_ROWS).for_each(|note| line(&mut text, note));
    if of.notes.len() > MOST_ROWS {
        line(&mut text, &format!("{} further notes are in the JSON output.", of.notes.len() - MOST_ROWS));
    }
    line(&mut text, &of.caveat);
    text
}

fn about_budget(of: &BudgetAnswer) -> String {
    let effect = match (of.blocks, usize::try_from(of.allowed).unwrap_or_default() < of.evicted) {
        (true, _) => "the drain waits until the budget allows evictions",
        (false, true) => "the drain waits for the replacements of the first pods",
        (false, false) => "the drain does not wait",
    };
    let (namespace, name, needed) = (&of.namespace, &of.name, of.evicted);
    let allowed = counted(usize::try_from(of.allowed).unwrap_or_default(), "eviction");
    format!("PodDisruptionBudget {namespace}/{name} allows {allowed} now, and the drain needs {needed}: {effect}.")
}

fn add_compaction(text: &mut String, of: &Compaction) {
    let list: Vec<String> = of.trials.iter().map(ToString::to_string).collect();
    section(text, &format!("Nodes by trial: {}. All pods were packed again {} times.", list.join(", "), of.repacks));
    if of.unfinished > 0 {
        line(text, &format!("{} did not end within the time limit.", counted(of.unfinished, "trial")));
    }
    if !of.removable.is_empty() {
        line(text, &format!("Removed in the median trial: {}.", names(&of.removable)));
    }
    if !of.picky.is_empty() {
        let pods: Vec<String> = of.picky.iter().map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
        line(text, &format!("Not packed, because they get no node even with all nodes: {}.", names(&pods)));
    }
}

fn names(all: &[String]) -> String {
    let shown = all.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > MOST_NAMES { format!("{shown} and {} more", all.len() - MOST_NAMES) } else { shown }
}

fn role(role: PodRole) -> &'static str {
    match role {
        PodRole::New => "new",
        PodRole::Moved => "moved",
        PodRole::Pending => "pending",
    }
}

fn state(pod: &PodAnswer) -> &'static str {
    match pod.state {
        PodState::Placed => "placed",
        PodState::Pending => "pending",
        PodState::WaitsForPermission => "waits",
        PodState::Failed => "failed",
        PodState::AnotherScheduler => "other scheduler",
        PodState::NotRecreated => "lost",
    }
}

fn name(pod: &PodAnswer) -> String {
    format!("{}/{}", pod.pod.namespace, pod.pod.name)
}

fn add_pods(text: &mut String, pods: &[PodAnswer]) {
    let rows = pods.iter().map(|pod| {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        vec![name(pod), role(pod.role).to_owned(), or_dash(&pod.from), state(pod).to_owned(), or_dash(&pod.node)]
    });
    table(text, &["POD", "WHY", "FROM", "STATE", "NODE"], rows.collect());
}

/// The pods of a workload with one role.
#[derive(Default)]
struct Group<'a> {
    pods: usize,
    placed: usize,
    /// The number of pods by node.
    nodes: BTreeMap<&'a str, usize>,
}

fn add_groups(text: &mut String, pods: &[PodAnswer]) {
    let mut groups: Vec<((&str, String, PodRole), Group<'_>)> = Vec::new();
    let mut index: BTreeMap<(&str, String, PodRole), usize> = BTreeMap::new();
    for pod in pods {
        let workload = pod.workload.clone().unwrap_or_else(|| format!("Pod/{}", pod.pod.name));
        let key = (pod.pod.namespace.as_str(), workload, pod.role);
        let at = *index.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Group::default()));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        group.pods += 1;
        if pod.state == PodState::Placed {
            group.placed += 1;
            *group.nodes.entry(pod.node.as_deref().unwrap_or_default()).or_default() += 1;
        }
    }
    // What the question is about comes first, and of that the workloads with pods that stay pending.
    groups.sort_by_key(|((_, _, role), group)| (*role, group.placed == group.pods));
    let rest = groups.len().saturating_sub(MOST_ROWS);
    let rows = groups.iter().take(MOST_ROWS).map(|((namespace, workload, why), group)| {
        let nodes: Vec<String> = group
            .nodes
            .iter()
            .take(5)
            .map(|(node, pods)| if *pods == 1 { (*node).to_owned() } else { format!("{node} ×{pods}") })
            .collect();
        let more = if group.nodes.len() > 5 { ", …" } else { "" };
        let nodes = if nodes.is_empty() { "-".to_owned() } else { format!("{}{more}", nodes.join(", ")) };
        let (pods, placed) = (group.pods.to_string(), group.placed.to_string());
        vec![(*namespace).to_owned(), workload.clone(), role(*why).to_owned(), pods, placed, nodes]
    });
    table(text, &["NAMESPACE", "WORKLOAD", "WHY", "PODS", "PLACED", "NODES"], rows.collect());
    if rest > 0 {
        line(text, &format!("{rest} further workloads; -o wide has each pod."));
    }
}

fn add_workloads(text: &mut String, of: &Answer) {
    let rows = of.workloads.iter().take(MOST_ROWS).filter_map(|workload| {
        let more = workload.more?;
        let more = if workload.more_is_limited { format!("at least {more}") } else { more.to_string() };
        Some(vec![workload.workload.clone(), more, workload.more_reason.clone().unwrap_or_else(|| "-".to_owned())])
    });
    table(text, &["WORKLOAD", "MORE", "THEN"], rows.collect());
}

/// Adds the reasons of the pods without a node, each with the pods that have it.
fn add_reasons(text: &mut String, pods: &[PodAnswer]) {
    let mut reasons: Vec<(&str, Option<&str>, Vec<String>)> = Vec::new();
    let mut without: Vec<&PodAnswer> = pods.iter().filter(|pod| pod.state != PodState::Placed).collect();
    without.sort_by_key(|pod| pod.role);
    for pod in without {
        let reason = pod.reason.as_deref().unwrap_or("No attempt was made.");
        match reasons.iter_mut().find(|(known, next, _)| *known == reason && *next == pod.next_step.as_deref()) {
            Some((_, _, pods)) => pods.push(name(pod)),
            None => reasons.push((reason, pod.next_step.as_deref(), vec![name(pod)])),
        }
    }
    let rest = reasons.len().saturating_sub(MOST_ROWS);
    for (reason, next, pods) in reasons.iter().take(MOST_ROWS) {
        section(text, &format!("Without a node: {}", names(pods)));
        line(text, &format!("  {reason}"));
        if let Some(next) = next {
            line(text, &format!("  Next: {next}"));
        }
    }
    if rest > 0 {
        line(text, &format!("{rest} further reasons are in the JSON output."));
    }
    let preempting = pods.iter().filter(|pod| !pod.victims.is_empty());
    for pod in preempting.take(MOST_ROWS) {
        let victims: Vec<String> =
            pod.victims.iter().map(|victim| format!("{}/{}", victim.namespace, victim.name)).collect();
        section(text, &format!("Pod {} would preempt: {}", name(pod), names(&victims)));
    }
}

/// Adds a table with columns of equal width, without its last column's padding.
fn table(text: &mut String, header: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    line(text, "");
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&header).chain(&rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    for row in std::iter::once(&header).chain(&rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        line(text, cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Adds a line after an empty line.
fn section(text: &mut String, of: &str) {
    line(text, "");
    line(text, of);
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
