//! Compares the pods and nodes of a cluster with the conditions of a scenario. Does no I/O.

mod placement;
pub mod selection;
mod utilization;

use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;

use self::selection::{is_selected, name, pods, text_of_pods};
use crate::cluster::View;
use crate::cluster::view::{condition, node_of, phase};
use crate::expression::is_true;
use crate::file::{Amount, Condition, Pods};

/// The largest number of pods that a message names.
const MOST_NAMES: usize = 5;

/// What was found instead of what a condition says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// A sentence.
    pub text: String,
    /// Pods that are not where they should be, to be explained.
    pub pods: Vec<Pod>,
}

impl Problem {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), pods: Vec::new() }
    }

    fn about<'p>(text: impl Into<String>, pods: impl IntoIterator<Item = &'p Pod>) -> Self {
        Self { text: text.into(), pods: pods.into_iter().cloned().collect() }
    }
}

/// Returns why a condition is not true; `None` if it is.
///
/// # Errors
/// The condition can't be evaluated: a selector or an expression is wrong, or not exactly one field is set.
pub fn check(of: &Condition, view: &View) -> Result<Option<Problem>, String> {
    let mut checks: Vec<Result<Option<Problem>, String>> = Vec::new();
    checks.extend(of.placed.as_ref().map(|placed| placement::placed(placed, view)));
    checks.extend(of.running.as_ref().map(|counted| {
        in_state(&counted.pods, counted.count, "run", |pod| phase(pod) == "Running" && is_ready(pod), view)
    }));
    checks.extend(of.succeeded.as_ref().map(|counted| {
        in_state(&counted.pods, counted.count, "have succeeded", |pod| phase(pod) == "Succeeded", view)
    }));
    checks.extend(of.pending.as_ref().map(|pending| placement::pending(pending, view)));
    checks.extend(of.pods.as_ref().map(|counted| in_state(&counted.pods, counted.count, "exist", |_| true, view)));
    checks.extend(of.spread.as_ref().map(|spread| placement::spread(spread, view)));
    checks.extend(of.nodes_used.as_ref().map(|used| placement::nodes_used(used, view)));
    checks.extend(of.utilization.as_ref().map(|wanted| utilization::check(wanted, view)));
    checks.extend(of.evictions.as_ref().map(|evictions| {
        let mut found = Vec::new();
        for eviction in &view.evictions {
            let is_wanted = evictions.reason.as_ref().is_none_or(|reason| *reason == eviction.reason);
            let is_pod = evictions.pods.as_ref().map_or(Ok(true), |wanted| is_selected(&eviction.pod, wanted))?;
            if is_wanted && is_pod {
                found.push(&eviction.pod);
            }
        }
        Ok(wrong_amount(found.len(), evictions.count)
            .map(|wanted| Problem::new(format!("{} evictions instead of {wanted}{}", found.len(), list(&found)))))
    }));
    checks.extend(of.order.as_ref().map(|order| in_order(order, view)));
    checks.extend(of.holds.as_ref().map(|expression| holds(expression, view)));
    match checks.len() {
        1 => checks.remove(0),
        0 => Err("a condition is empty; give it one of placed, running, pending, spread, …".to_owned()),
        _ => Err("a condition has several fields; make several conditions of it".to_owned()),
    }
}

/// Checks the number of the selected pods that are in a state. Without a number, all are, and at least one.
fn in_state(
    wanted: &Pods,
    count: Option<Amount>,
    verb: &str,
    is_in: impl Fn(&Pod) -> bool,
    view: &View,
) -> Result<Option<Problem>, String> {
    let selected = pods(view, wanted)?;
    let (found, others): (Vec<&Pod>, Vec<&Pod>) = selected.iter().copied().partition(|pod| is_in(pod));
    let of = text_of_pods(wanted);
    if let Some(count) = count {
        let text = |wanted| format!("{} of {of} {verb}, instead of {wanted}{}", found.len(), list(&others));
        return Ok(wrong_amount(found.len(), count).map(|wanted| Problem::about(text(wanted), others.iter().copied())));
    }
    if selected.is_empty() {
        return Ok(Some(Problem::new(format!("no pod is among {of}"))));
    }
    let text = || format!("{} of {} of {of} do not {verb}{}", others.len(), selected.len(), list(&others));
    Ok((!others.is_empty()).then(|| Problem::about(text(), others.iter().copied())))
}

fn in_order(order: &[Pods], view: &View) -> Result<Option<Problem>, String> {
    let mut groups: Vec<Vec<(usize, &Pod)>> = Vec::new();
    for wanted in order {
        let mut group = Vec::new();
        for (position, pod) in view.bound.iter().enumerate() {
            if is_selected(pod, wanted)? {
                group.push((position, pod));
            }
        }
        if group.is_empty() {
            return Ok(Some(Problem::new(format!("none of {} was bound", text_of_pods(wanted)))));
        }
        groups.push(group);
    }
    for pair in groups.windows(2) {
        let (Some(last), Some(first)) = (pair[0].last(), pair[1].first()) else { continue };
        if last.0 > first.0 {
            let text = format!("{} was bound after {}", name(last.1), name(first.1));
            return Ok(Some(Problem::about(text, [last.1])));
        }
    }
    Ok(None)
}

fn holds(expression: &str, view: &View) -> Result<Option<Problem>, String> {
    let json = |error: serde_json::Error| error.to_string();
    let pods: Vec<Value> = view.pods.values().map(serde_json::to_value).collect::<Result<_, _>>().map_err(json)?;
    let nodes: Vec<Value> = view.nodes.values().map(serde_json::to_value).collect::<Result<_, _>>().map_err(json)?;
    let variables = [("pods", Value::from(pods)), ("nodes", Value::from(nodes))];
    let text = || format!("this is not true: {expression}");
    Ok((!is_true(expression, &variables)?).then(|| Problem::new(text())))
}

/// Returns the wanted amount as text if a number is not within it.
fn wrong_amount(found: usize, wanted: Amount) -> Option<String> {
    let found = found as u64;
    match wanted {
        Amount::Exactly(number) => (found != number).then(|| number.to_string()),
        Amount::Between(bounds) => {
            let (min, max) = (bounds.min.unwrap_or(0), bounds.max.unwrap_or(u64::MAX));
            (!(min..=max).contains(&found)).then(|| match (bounds.min, bounds.max) {
                (Some(min), Some(max)) => format!("{min} to {max}"),
                (Some(min), None) => format!("at least {min}"),
                (None, Some(max)) => format!("at most {max}"),
                (None, None) => "any number".to_owned(),
            })
        }
    }
}

/// Returns some pods with their states, as the end of a sentence.
fn list(pods: &[&Pod]) -> String {
    let shown: Vec<String> =
        pods.iter().take(MOST_NAMES).map(|pod| format!("{} ({})", name(pod), state(pod))).collect();
    match (shown.is_empty(), pods.len().saturating_sub(MOST_NAMES)) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", shown.join(", ")),
        (false, more) => format!(": {}, and {more} more", shown.join(", ")),
    }
}

/// Returns where a pod is.
fn state(pod: &Pod) -> String {
    match (node_of(pod), condition(pod, "PodScheduled")) {
        ("", Some((_, _, message))) if !message.is_empty() => message.to_owned(),
        ("", _) => "pending".to_owned(),
        (node, _) => format!("{} on {node}", phase(pod)),
    }
}

fn is_ready(pod: &Pod) -> bool {
    condition(pod, "Ready").is_some_and(|(status, ..)| status == "True")
}

#[cfg(test)]
mod tests;
