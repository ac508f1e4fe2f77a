//! NodeAffinity: places pods by node selector and node affinity.
//!
//! Reads `spec.nodeSelector` and `spec.affinity.nodeAffinity` of the pod, labels and name of the node, and the
//! argument `addedAffinity`. As in kube-scheduler v1.36, an invalid required term matches no node, and an invalid
//! preferred term is an error of pre-score. If every required term names nodes, only these nodes are filtered.

mod args;

use std::collections::BTreeSet;

use args::Args;
use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::selector::{Preferred, Required};
use berth_guest::types::{NodeSelectorTerm, SelectorOperator};
use berth_guest::{ClusterEvent, EventActions};

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    required: Required,
    pre_filter: PreFilter,
    preferred: Result<Preferred, String>,
    has_preferred: bool,
}

fn prepare(pod: &pod::NodeAffinity, args: &Args) -> PreparedPod {
    let preferred = Preferred::new(&pod.preferred).map_err(|problems| problems.into_result().err().unwrap_or_default());
    PreparedPod {
        required: Required::new(pod),
        pre_filter: narrow(pod, args),
        preferred,
        has_preferred: !pod.preferred.is_empty(),
    }
}

/// Returns the result of pre-filter. If every required term names nodes, only these nodes are filtered.
fn narrow(pod: &pod::NodeAffinity, args: &Args) -> PreFilter {
    let Some(terms) = &pod.required else {
        let nothing = pod.node_selector.is_empty() && args.required.is_none();
        return if nothing { PreFilter::Skip } else { PreFilter::All };
    };
    let mut names = BTreeSet::new();
    for term in terms {
        match named(term) {
            Some(of_term) => names.extend(of_term),
            None => return PreFilter::All,
        }
    }
    match names.is_empty() {
        // An empty list of terms matches no node; the filter gives the reason.
        true if terms.is_empty() => PreFilter::All,
        true => Rejection::unresolvable("pod affinity terms conflict").into(),
        false => PreFilter::Narrow(names.into_iter().map(str::to_owned).collect()),
    }
}

/// Returns the node names that satisfy all name requirements of a term, or `None` if the term has no such
/// requirement.
fn named(term: &NodeSelectorTerm) -> Option<BTreeSet<&str>> {
    let by_name = |field: &&berth_guest::types::Requirement| {
        field.key == "metadata.name" && field.operator == SelectorOperator::In
    };
    let sets = term.fields.iter().filter(by_name).map(|field| field.values.iter().map(String::as_str).collect());
    sets.reduce(|one: BTreeSet<&str>, two| &one & &two)
}

fn pre_filter(pod: &PreparedPod) -> PreFilter {
    pod.pre_filter.clone()
}

fn filter(pod: &PreparedPod, args: &Args, name: &node::Name, labels: &node::Labels) -> Verdict {
    if args.required.as_ref().is_some_and(|required| !required.any_matches(name, labels)) {
        Verdict::unresolvable("node(s) didn't match scheduler-enforced node affinity")
    } else if !pod.required.matches(name, labels) {
        Verdict::unresolvable("node(s) didn't match Pod's node affinity/selector")
    } else {
        Verdict::FITS
    }
}

fn pre_score(pod: &PreparedPod, args: &Args) -> Result<PreScore, String> {
    pod.preferred.as_ref().map_err(String::clone)?;
    Ok(if pod.has_preferred || args.preferred.is_some() { PreScore::Score } else { PreScore::Skip })
}

/// Returns the sum of the weights of the preferred terms that match the node.
fn score(pod: &PreparedPod, args: &Args, name: &node::Name, labels: &node::Labels) -> i64 {
    let of_pod = pod.preferred.as_ref().map_or(0, |terms| terms.weight(name, labels));
    of_pod + args.preferred.as_ref().map_or(0, |terms| terms.weight(name, labels))
}

/// Queues the pod if the node matches now and did not match before.
fn queueing_hint(
    _: &Event,
    pod: &PreparedPod,
    args: &Args,
    node: node::Change<'_, (node::Name, node::Labels)>,
) -> Hint {
    let matches = |node: Option<(&node::Name, &node::Labels)>| {
        let Some((name, labels)) = node else { return false };
        args.required.as_ref().is_none_or(|required| required.any_matches(name, labels))
            && pod.required.matches(name, labels)
    };
    Hint::queue_if(matches(node.after) && !matches(node.before))
}

berth_guest::plugin!(
    name: "NodeAffinity",
    args: Args,
    schema: "arguments.schema.json",
    prepare: prepare => PreparedPod,
    pre_filter: pre_filter,
    filter: filter,
    pre_score: pre_score,
    score: score,
    normalization: Default,
    queueing_hint: queueing_hint,
    retry_on: [ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS)],
);

#[cfg(test)]
mod tests;
