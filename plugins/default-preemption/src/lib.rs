//! DefaultPreemption: where no node fits, less important pods give way.
//!
//! Reads the pod's priority, `preemptionPolicy`, nominated node and scheduler name; of the pods on nodes their priority, start time
//! and what PodDisruptionBudgets select them by; and those budgets. Asks what would be without some pods, and names the node with
//! the least harm, as kube-scheduler v1.36 does. Arguments: `DefaultPreemptionArgs`.

mod args;
mod budgets;
mod candidates;
mod cluster;
mod victims;

use std::collections::BTreeMap;

use args::Args;
use berth_guest::post_filter::{Nomination, PostFilter, Rejected};
use berth_guest::prelude::*;
use berth_guest::types::{Code, PreemptionPolicy, Status};
use candidates::Candidates;
use cluster::Cluster;

fn post_filter(
    rejected: &mut Rejected<'_>,
    priority: &pod::Priority,
    nominated: &pod::NominatedNode,
    scheduler: &pod::SchedulerName,
    args: &Args,
    cluster: &Cluster,
    cycle: &Cycle,
) -> Result<PostFilter, String> {
    if let Some(why) = not_eligible(rejected, priority, nominated, cluster) {
        return Ok(kept(format!("preemption: {why}")));
    }
    let enough = |nodes| args.candidates(nodes);
    let mut candidates = Candidates::find(rejected, cluster, priority.value, cycle.time, cycle.seed, enough);
    let not = std::mem::take(&mut candidates.not);
    if candidates.any() {
        if let Err(why) = candidates.ask_extenders(rejected) {
            return Ok(kept(format!("preemption: {why}")));
        }
        if !candidates.any() {
            return Ok(kept("preemption: no candidate node for preemption".to_owned()));
        }
    }
    match candidates.best(cluster, cycle.time) {
        Some(best) => Ok(PostFilter::Nominate(Nomination {
            node: best.node,
            evict: best.victims,
            reason: format!("{}: preempting to accommodate a higher priority pod", &**scheduler),
        })),
        None => match not.iter().find(|no| no.code == Code::Error) {
            Some(error) => Err(error.reasons.join(", ")),
            None => Ok(PostFilter::no_room(format!("preemption: {}", message(rejected.iter().len(), &not)))),
        },
    }
}

/// No room is made, and what is promised to the pod stays so.
fn kept(why: String) -> PostFilter {
    PostFilter::Unschedulable { reasons: vec![why], clear: false, intents: Vec::new() }
}

/// Why this pod takes nobody's place.
fn not_eligible(
    rejected: &Rejected<'_>,
    priority: &pod::Priority,
    nominated: &pod::NominatedNode,
    cluster: &Cluster,
) -> Option<&'static str> {
    if priority.preemption == PreemptionPolicy::Never {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    // Without a node, or with one that can't be helped, it looks for another.
    let code = rejected.code(cluster.node(nominated)?)?;
    let lower = |pod| cluster.pod(pod).is_some_and(|pod| pod.priority < priority.value);
    let waits = code != Code::UnschedulableAndUnresolvable && rejected.leaving().any(lower);
    waits.then_some("not eligible due to a terminating pod on the nominated node.")
}

/// Why none of so many nodes is a candidate: `not` of those that were tried.
fn message(nodes: usize, not: &[Status]) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in not.iter().flat_map(|no| &no.reasons) {
        *reasons.entry(reason).or_default() += 1;
    }
    if nodes > not.len() {
        *reasons.entry("Preemption is not helpful for scheduling").or_default() += nodes - not.len();
    }
    let mut lines: Vec<String> = reasons.into_iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
    // As text, as kube-scheduler sorts them.
    lines.sort_unstable();
    let end = if lines.is_empty() { "" } else { "." };
    format!("0/{nodes} nodes are available: {}{end}", lines.join(", "))
}

berth_guest::plugin!(name: "DefaultPreemption", args: Args, index: Cluster, post_filter: post_filter);

#[cfg(test)]
mod tests;
