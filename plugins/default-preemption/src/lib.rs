//! DefaultPreemption: if no node fits, evicts pods with lower priority.
//!
//! Reads the pod's priority, `preemptionPolicy`, nominated node and scheduler name; priority, start time, labels,
//! name and namespace of the pods on nodes; and PodDisruptionBudgets. Examines with what-if calls which pods on a
//! node must be evicted, and nominates the node with the least harm, as kube-scheduler v1.36 does. Arguments:
//! `DefaultPreemptionArgs`.

mod args;
mod budgets;
mod candidates;
mod cluster;
mod resident;
mod victims;

use std::collections::BTreeMap;

use args::Args;
use berth_guest::post_filter::{PostFilter, PostFilterResult, Rejected};
use berth_guest::prelude::*;
use berth_guest::types::{Code, PreemptionPolicy, Status};
use candidates::Candidates;
use cluster::Cluster;

#[allow(clippy::too_many_arguments, reason = "a fact each")]
fn post_filter(
    rejected: &mut Rejected<'_>,
    priority: &pod::Priority,
    nominated: &pod::NominatedNode,
    scheduler: &pod::SchedulerName,
    args: &Args,
    cluster: &Cluster,
    cycle: &Cycle,
    time: &Time,
) -> Result<PostFilter, String> {
    if let Some(reason) = not_eligible(rejected, priority, nominated, cluster) {
        return Ok(keep_nomination(format!("preemption: {reason}")));
    }
    let enough = |nodes| args.candidates(nodes);
    let mut candidates = Candidates::find(rejected, cluster, priority.value, time.0, cycle.seed, enough);
    let rejections = std::mem::take(&mut candidates.rejections);
    if candidates.any() {
        if let Err(reason) = candidates.ask_extenders(rejected) {
            return Ok(keep_nomination(format!("preemption: {reason}")));
        }
        if !candidates.any() {
            return Ok(keep_nomination("preemption: no candidate node for preemption".to_owned()));
        }
    }
    match candidates.best(cluster, time.0) {
        Some(best) => Ok(PostFilter::nominate(
            best.node,
            best.victims,
            format!("{}: preempting to accommodate a higher priority pod", &**scheduler),
        )),
        None => match rejections.iter().find(|rejection| rejection.code == Code::Error) {
            Some(error) => Err(error.reasons.join(", ")),
            None => Ok(PostFilter::no_room(format!("preemption: {}", message(rejected.iter().len(), &rejections)))),
        },
    }
}

/// Returns a result without preemption that keeps the pod's nominated node.
fn keep_nomination(reason: String) -> PostFilter {
    PostFilterResult::Unschedulable { reasons: vec![reason], clear: false }.into()
}

/// Returns the reason why this pod may not preempt other pods, or `None`.
fn not_eligible(
    rejected: &Rejected<'_>,
    priority: &pod::Priority,
    nominated: &pod::NominatedNode,
    cluster: &Cluster,
) -> Option<&'static str> {
    if priority.preemption == PreemptionPolicy::Never {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    // A pod without a nominated node, or whose nominated node cannot be helped by preemption, may preempt again.
    let code = rejected.code(cluster.node(nominated)?)?;
    let lower = |pod| cluster.pod(pod).is_some_and(|pod| pod.priority < priority.value);
    let waits = code != Code::UnschedulableAndUnresolvable && rejected.leaving().any(lower);
    waits.then_some("not eligible due to a terminating pod on the nominated node.")
}

/// Returns the message for `nodes` nodes without a candidate. `rejections` has the rejections of the examined nodes.
/// The other nodes were not examined, because preemption cannot help there.
fn message(nodes: usize, rejections: &[Status]) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in rejections.iter().flat_map(|rejection| &rejection.reasons) {
        *reasons.entry(reason).or_default() += 1;
    }
    if nodes > rejections.len() {
        *reasons.entry("Preemption is not helpful for scheduling").or_default() += nodes - rejections.len();
    }
    let mut lines: Vec<String> = reasons.into_iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
    // kube-scheduler sorts these lines as text.
    lines.sort_unstable();
    let end = if lines.is_empty() { "" } else { "." };
    format!("0/{nodes} nodes are available: {}{end}", lines.join(", "))
}

berth_guest::plugin!(
    name: "DefaultPreemption",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    post_filter: post_filter,
);

#[cfg(test)]
mod tests;
