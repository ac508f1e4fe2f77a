//! The steps of preemption: eligibility, candidates, extenders, choice.

use std::collections::BTreeMap;

use berth_guest::post_filter::{PostFilter, PostFilterResult, Rejected};
use berth_guest::types::{Code, PreemptionPolicy, Status};
use berth_guest::{node, pod};

use crate::candidates::Candidates;
use crate::cluster::Cluster;
use crate::rules::Rules;

/// The facts of the pod that no node fits.
#[derive(Clone, Copy, Debug)]
pub struct Preemptor<'a> {
    /// The priority and the preemption policy.
    pub priority: &'a pod::Priority,
    /// The nominated node.
    pub nominated: &'a pod::NominatedNode,
    /// The name of the scheduler, for the message of the evicted pods.
    pub scheduler: &'a pod::SchedulerName,
}

/// Nominates the node with the least harm, with its victims. Otherwise returns why no node is nominated. `now` is in
/// milliseconds since 1970.
///
/// # Errors
/// Returns the message of a plugin that failed, if no other node is a candidate.
pub fn preempt(
    rejected: &mut Rejected<'_>,
    preemptor: Preemptor<'_>,
    cluster: &Cluster,
    rules: &impl Rules,
    now: i64,
) -> Result<PostFilter, String> {
    if let Some(reason) = not_eligible(rejected, preemptor, cluster, rules) {
        return Ok(keep_nomination(reason));
    }
    let mut candidates = Candidates::find(rejected, cluster, rules, now);
    let rejections = std::mem::take(&mut candidates.rejections);
    if candidates.any() {
        if let Err(reason) = candidates.ask_extenders(rejected) {
            return Ok(keep_nomination(reason));
        }
        if !candidates.any() {
            return Ok(keep_nomination("no candidate node for preemption"));
        }
    }
    match candidates.best(cluster, now) {
        Some(best) => Ok(PostFilter::nominate(
            best.node,
            best.victims,
            format!("{}: preempting to accommodate a higher priority pod", &**preemptor.scheduler),
        )),
        None => match rejections.iter().find(|rejection| rejection.code == Code::Error) {
            Some(error) => Err(error.reasons.join(", ")),
            None => Ok(PostFilter::no_room(message(rejected.iter().len(), &rejections))),
        },
    }
}

/// Returns a result without preemption that keeps the pod's nominated node.
fn keep_nomination(reason: impl Into<String>) -> PostFilter {
    PostFilterResult::Unschedulable { reasons: vec![reason.into()], clear: false }.into()
}

/// Returns the reason why the preemptor may not preempt other pods, or `None`.
fn not_eligible(
    rejected: &Rejected<'_>,
    preemptor: Preemptor<'_>,
    cluster: &Cluster,
    rules: &impl Rules,
) -> Option<&'static str> {
    if preemptor.priority.preemption == PreemptionPolicy::Never {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    // A pod without a nominated node, or whose nominated node cannot be helped by preemption, may preempt again.
    let nominated: node::Id = cluster.node(preemptor.nominated)?;
    let code = rejected.code(nominated)?;
    let waits = code != Code::UnschedulableAndUnresolvable && rules.awaits_victims(nominated);
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
