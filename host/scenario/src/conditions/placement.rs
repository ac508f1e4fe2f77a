//! Where pods are.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;

use super::selection::{nodes, pods, text_of_nodes, text_of_pods};
use super::{Problem, list, wrong_amount};
use crate::cluster::View;
use crate::cluster::view::{condition, node_of, phase};
use crate::file::condition::{NodesUsed, Pending, Placed, Spread};

/// Checks that pods are bound, to the right nodes.
pub fn placed(wanted: &Placed, view: &View) -> Result<Option<Problem>, String> {
    let (selected, of) = (pods(view, &wanted.pods)?, text_of_pods(&wanted.pods));
    let text = |amount: String| format!("{} pods are among {of}, instead of {amount}", selected.len());
    if let Some(count) = wanted.count
        && let Some(amount) = wrong_amount(selected.len(), count)
    {
        return Ok(Some(Problem::new(text(amount))));
    }
    if selected.is_empty() && wanted.count.is_none() {
        return Ok(Some(Problem::new(format!("no pod is among {of}"))));
    }
    let pending: Vec<&Pod> = selected.iter().copied().filter(|pod| node_of(pod).is_empty()).collect();
    if !pending.is_empty() {
        let text = format!("{} of {} of {of} are pending{}", pending.len(), selected.len(), list(&pending));
        return Ok(Some(Problem::about(text, pending.iter().copied())));
    }
    let Some(on) = &wanted.on else { return Ok(None) };
    let found = nodes(view, on)?;
    let names: BTreeSet<&str> = found.iter().filter_map(|node| node.metadata.name.as_deref()).collect();
    let elsewhere: Vec<&Pod> = selected.iter().copied().filter(|pod| !names.contains(node_of(pod))).collect();
    let text = || {
        let (count, all) = (elsewhere.len(), selected.len());
        format!("{count} of {all} of {of} are not on {}{}", text_of_nodes(on), list(&elsewhere))
    };
    Ok((!elsewhere.is_empty()).then(|| Problem::about(text(), elsewhere.iter().copied())))
}

/// Checks that pods are pending, for the right reason.
pub fn pending(wanted: &Pending, view: &View) -> Result<Option<Problem>, String> {
    let (selected, of) = (pods(view, &wanted.pods)?, text_of_pods(&wanted.pods));
    let (pending, placed): (Vec<&Pod>, Vec<&Pod>) =
        selected.iter().copied().partition(|pod| node_of(pod).is_empty() && phase(pod) == "Pending");
    let wrong = match wanted.count {
        Some(count) => wrong_amount(pending.len(), count),
        None if selected.is_empty() => return Ok(Some(Problem::new(format!("no pod is among {of}")))),
        None => (!placed.is_empty()).then(|| "all".to_owned()),
    };
    if let Some(amount) = wrong {
        let others = if pending.len() < selected.len() { &placed } else { &pending };
        let text =
            format!("{} of {} of {of} are pending, instead of {amount}{}", pending.len(), selected.len(), list(others));
        return Ok(Some(Problem::about(text, others.iter().copied())));
    }
    let Some(reason) = &wanted.reason else { return Ok(None) };
    let message =
        |pod: &Pod| condition(pod, "PodScheduled").map(|(_, _, message)| message.to_owned()).unwrap_or_default();
    let others: Vec<&Pod> = pending.iter().copied().filter(|pod| !message(pod).contains(reason)).collect();
    let text = || format!("{} pending pods have another reason than {reason:?}{}", others.len(), list(&others));
    Ok((!others.is_empty()).then(|| Problem::about(text(), others.iter().copied())))
}

/// Checks that pods are spread over the values of a label.
pub fn spread(wanted: &Spread, view: &View) -> Result<Option<Problem>, String> {
    let (selected, of) = (pods(view, &wanted.pods)?, text_of_pods(&wanted.pods));
    if selected.is_empty() {
        return Ok(Some(Problem::new(format!("no pod is among {of}"))));
    }
    let label = |node: &str| view.nodes.get(node)?.metadata.labels.as_ref()?.get(&wanted.by).map(String::as_str);
    let mut counts: BTreeMap<&str, u64> =
        view.nodes.keys().filter_map(|node| label(node)).map(|value| (value, 0)).collect();
    if counts.is_empty() {
        return Ok(Some(Problem::new(format!("no node has the label {}", wanted.by))));
    }
    for pod in selected.iter().filter(|pod| !node_of(pod).is_empty()) {
        if let Some(count) = label(node_of(pod)).and_then(|value| counts.get_mut(value)) {
            *count += 1;
        }
    }
    let (least, most) = (counts.values().min().copied().unwrap_or(0), counts.values().max().copied().unwrap_or(0));
    let text = || {
        let counts: Vec<String> = counts.iter().map(|(value, count)| format!("{value}: {count}")).collect();
        let skew = most - least;
        format!("the skew of {of} over {} is {skew}, more than {} ({})", wanted.by, wanted.max_skew, counts.join(", "))
    };
    Ok((most - least > wanted.max_skew).then(|| Problem::new(text())))
}

/// Checks the number of nodes on which pods are.
pub fn nodes_used(wanted: &NodesUsed, view: &View) -> Result<Option<Problem>, String> {
    let selected = match &wanted.pods {
        Some(wanted) => pods(view, wanted)?,
        None => view.pods.values().collect(),
    };
    let is_on = |pod: &&Pod| !node_of(pod).is_empty() && !matches!(phase(pod), "Succeeded" | "Failed");
    let used: BTreeSet<&str> = selected.iter().copied().filter(is_on).map(node_of).collect();
    let text = |amount: String| {
        let names: Vec<&str> = used.iter().take(super::MOST_NAMES).copied().collect();
        format!(
            "the pods are on {} nodes instead of {amount} ({}{})",
            used.len(),
            names.join(", "),
            if used.len() > names.len() { ", …" } else { "" }
        )
    };
    Ok(wrong_amount(used.len(), wanted.count).map(|amount| Problem::new(text(amount))))
}
