//! Permit and what follows from a failure: the whole group is approved, or rejected.

use berth_guest::lifecycle::{Permission, Reservation, Reserved, Undone};
use berth_guest::post_filter::{PostFilter, PostFilterResult, Rejected};
use berth_guest::prelude::*;

use crate::groups::key;
use crate::{Args, GroupName, Groups};

/// Approves the group when `minMember` of its pods have a node. Until then, pods wait. The first of them activates the
/// pending pods of the group.
pub(crate) fn permit(_: &Reserved, pod: &pod::Identity, group: &GroupName, groups: &Groups, args: &Args) -> Permission {
    let Some(key) = key(&pod.namespace, group) else { return Permission::APPROVE };
    let Some(pod_group) = groups.pod_group(&key) else { return Permission::deny("PodGroup not found") };
    let members = groups.members(&key);
    let others = members.others_with_node(&pod.uid);
    if others.len() as i64 + 1 >= pod_group.min_member {
        return Permission::APPROVE.approving(others);
    }
    let wait = Permission::wait(args.permit_wait(pod_group.schedule_timeout_seconds));
    if others.is_empty() { wait.activating(members.others_pending(&pod.uid)) } else { wait }
}

/// Rejects the waiting pods of a group if one of its pods fits no node, unless few pods are missing.
pub(crate) fn post_filter(
    _: &mut Rejected<'_>,
    time: &Time,
    pod: &pod::Identity,
    group: &GroupName,
    groups: &Groups,
    args: &Args,
) -> PostFilter {
    let Some(key) = key(&pod.namespace, group) else { return PostFilter::default() };
    let Some(pod_group) = groups.pod_group(&key) else { return because("can not find pod group".to_owned()) };
    let members = groups.members(&key);
    let with_node = members.with_node.len() as i64;
    if with_node >= pod_group.min_member || !args.rejects(pod_group.min_member, with_node) {
        return PostFilter::default();
    }
    if let Some(backoff) = args.backoff()
        && members.len() >= pod_group.min_member
    {
        groups.back_off(&key, *time, backoff);
    }
    let answer = because(format!("PodGroup {key} gets rejected due to Pod is unschedulable even after PostFilter"));
    let waiting = members.others_with_node(&pod.uid);
    waiting.into_iter().fold(answer, |answer, uid| answer.rejecting(uid, "optimistic rejection in PostFilter"))
}

/// Returns the answer of a post-filter that makes no room, with this reason for the pod's message.
fn because(reason: String) -> PostFilter {
    PostFilterResult::Unschedulable { reasons: vec![reason], clear: false }.into()
}

/// Reserves nothing. The host calls `unreserve` only for a plugin that reserves.
pub(crate) fn reserve() -> Reservation {
    Reservation::default()
}

/// Rejects the waiting pods of the group of a pod that gives up its node.
pub(crate) fn unreserve(_: &Reserved, pod: &pod::Identity, group: &GroupName, groups: &Groups) -> Undone {
    let Some(key) = key(&pod.namespace, group) else { return Undone::default() };
    if groups.pod_group(&key).is_none() {
        return Undone::default();
    }
    let waiting = groups.members(&key).others_with_node(&pod.uid);
    waiting.into_iter().fold(Undone::default(), |undone, uid| undone.rejecting(uid, "rejection in Unreserve"))
}
