//! The differences between the original and the ports that are on purpose. Each is normalized here, as narrowly as
//! possible:
//!
//! | difference | reason | where |
//! |---|---|---|
//! | the ports' reasons have no pod names | the reasons are in the pod's own event | [`reason`] |
//! | the resource gap is printed differently | a Go map is hard to read | [`reason`] |
//! | pre-enqueue rejects pods of incomplete groups | such a pod needs no attempt | [`is_of_pre_enqueue`] |
//! | pre-enqueue does not read the back-off | pre-enqueue is not asked again when a back-off ends | [`is_backoff`] |
//! | after a failure, the original sorts all pods of the group by the time of the failure, the ports sort each failed pod by the start of its wait | a sort key without state | [`sort_time`] |
//! | a PodGroup that is created or removed changes the order at once, the ports sort the pods anew after their next attempt | a sort key depends on the pod alone | the order is compared if the PodGroup did not change since the pod was queued |
//! | a pod that is gated when its PodGroup is removed stays gated | permit would deny the pod | gated pods are checked while their PodGroup exists |
//! | pods of equal priority and time are sorted by the pod's name, the ports sort them by group | groups do not interleave | the comparison of the order ignores pods of equal time |
//! | the original remembers for a while that `minResources` were free | the ports check in each attempt | the oracle drops this memory before each PreFilter |
//! | a node whose pods request more than it has enlarges the resource gap | pods can't use less than nothing | cases have no such nodes |
//! | pods that are finished or being deleted count as members | the host does not send them | cases have no such pods |
//! | without any time to wait (argument and PodGroup say 0), the original rejects the pod at once, the ports wait 60 s | a pod that can't wait can't be scheduled | cases have at most one of the two zeros |
//! | no reason for a pod without group in PostFilter | the reason says nothing about the pod | the reason is compared for pods of groups |

use berth_core::queue::QueuedPod;
use serde_json::Value;

/// A part of the reason if a group has too few pods.
pub const TOO_FEW: &str = "cannot find enough sibling pods";

/// A part of the reason if too many pods of a group have scheduling gates.
pub const GATED: &str = "gated pods";

/// Returns a reason in the form in which reasons are compared. `pod` is the pod's `namespace/name`.
pub fn reason(reason: &str, pod: &str) -> String {
    let name = pod.split('/').next_back().unwrap_or_default();
    let reason = reason.replace(&format!("Pod {name} is"), "Pod is");
    let reason = reason.strip_prefix(&format!("pre-filter pod {name} ")).unwrap_or(&reason);
    let reason = reason.strip_prefix("pre-filter ").unwrap_or(reason);
    match reason.starts_with("resource gap: ") {
        true => "resource gap".to_owned(),
        false => reason.to_owned(),
    }
}

/// Returns whether a reason of the original's PreFilter is one for which the ports reject the pod in pre-enqueue.
pub fn is_of_pre_enqueue(reason: &str) -> bool {
    reason.contains(TOO_FEW) || reason.contains(GATED)
}

/// Returns whether a reason of the original's PreFilter is the back-off of the group.
pub fn is_backoff(reason: &str) -> bool {
    reason.ends_with("failed recently")
}

/// Returns the time by which the ports sort a pod, in milliseconds since 1970. `group` is the pod's PodGroup.
pub fn sort_time(entry: &QueuedPod, group: Option<&Value>) -> u64 {
    match group.and_then(|group| group["metadata"]["creationTimestamp"].as_str()) {
        None => entry.first_seen.0,
        Some(created) if entry.queued == entry.first_seen => millis(created),
        Some(_) => entry.queued.0,
    }
}

/// Returns a time of the first day of 2026, the only day in the cases, in milliseconds since 1970.
fn millis(time: &str) -> u64 {
    let seconds = time.strip_prefix("2026-01-01T").and_then(|time| time.strip_suffix('Z')).unwrap_or_default();
    let seconds = seconds.split(':').fold(0, |sum, part| sum * 60 + part.parse::<u64>().unwrap_or_default());
    crate::berth::START.0 + seconds * 1000
}
