//! The queue: the pods of a group follow each other, and only complete groups enter. Pods without a group are skipped.

use berth_guest::Queued;
use berth_guest::prelude::*;

use crate::groups::{Members, key};
use crate::pod_group::PodGroup;
use crate::{GroupName, Groups};

/// The number of bytes in each integer of a sort key. Seven, so that the integer is not negative.
const BYTES: usize = 7;

/// Orders pods by descending priority, then by time, then by group. Pods without a group come before groups of the same
/// time.
///
/// The key has no name of a pod: all pods of a group share a pod signature and stay together.
pub(crate) fn queue_sort(
    queued: Queued,
    priority: &pod::Priority,
    namespace: &pod::Namespace,
    group: &GroupName,
    groups: &Groups,
) -> Vec<i64> {
    let key = key(namespace, group);
    let pod_group = key.as_deref().and_then(|key| groups.pod_group(key));
    let time = match pod_group {
        None => queued.first_queued,
        // The pod has not failed yet.
        Some(pod_group) if queued.queued == queued.first_queued => pod_group.created.unwrap_or(queued.first_queued),
        // Puts a group that failed behind the groups that did not.
        Some(_) => queued.queued,
    };
    let packed = key.iter().flat_map(|key| key.as_bytes().chunks(BYTES)).map(packed);
    [-i64::from(priority.value), time].into_iter().chain(packed).collect()
}

/// Returns an integer that orders as up to seven bytes do. A missing byte orders before all others.
fn packed(bytes: &[u8]) -> i64 {
    let padded = bytes.iter().copied().chain(std::iter::repeat(0));
    padded.take(BYTES).fold(0, |packed, byte| packed << 8 | i64::from(byte))
}

/// Skips pods without a group. They still get their place in the queue.
pub(crate) fn skip(namespace: &pod::Namespace, group: &GroupName) -> bool {
    key(namespace, group).is_none()
}

/// Keeps pods out of the active queue until their group has `minMember` pods without scheduling gates. A pod whose
/// PodGroup does not exist enters, and permit denies it.
pub(crate) fn pre_enqueue(namespace: &pod::Namespace, group: &GroupName, groups: &Groups) -> Verdict {
    let Some(key) = key(namespace, group) else { return Verdict::FITS };
    if let Some(problem) = groups.problem(&key) {
        return Verdict::unresolvable(problem.to_owned());
    }
    let Some(pod_group) = groups.pod_group(&key) else { return Verdict::FITS };
    let missing = incomplete(pod_group, groups.members(&key));
    groups.set_incomplete(&key, missing.is_some());
    missing.map_or(Verdict::FITS, Verdict::unresolvable)
}

/// Returns why the group can't start; `None` if it has `minMember` pods without scheduling gates.
pub(crate) fn incomplete(pod_group: &PodGroup, members: &Members) -> Option<String> {
    let (count, least) = (members.len(), pod_group.min_member);
    if count < least {
        let reason = "cannot find enough sibling pods, current pods number";
        return Some(format!("{reason}: {count}, minMember of group: {least}"));
    }
    let without_gates = count - members.gated();
    (without_gates < least).then(|| "cannot proceed due to gated pods in the same PodGroup".to_owned())
}
