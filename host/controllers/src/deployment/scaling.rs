//! Scales a Deployment. With one active ReplicaSet, this ReplicaSet gets the new size. During a rollout, each active
//! ReplicaSet gets its share.

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::super::write::Write;
use super::{DESIRED, MAXIMUM, Rollout, annotated, available, replicas};

/// Returns the writes that scale the ReplicaSets to the wanted size and keep their proportions.
pub fn scale(rollout: &Rollout<'_>) -> Vec<Write> {
    let wanted = rollout.replicas();
    let active: Vec<&ReplicaSet> = rollout.sets().filter(|set| replicas(set) > 0).collect();
    if active.len() <= 1 {
        let only = active.first().copied().or(rollout.new).or(rollout.old.last().copied());
        return only
            .filter(|set| changed(set, wanted, wanted))
            .map(|set| rollout.resize(set, wanted))
            .into_iter()
            .collect();
    }
    // The old ReplicaSets need no share with Recreate, which never has old and new pods at the same time, or if all
    // wanted pods of the new ReplicaSet are available.
    if rollout.strategy() != "RollingUpdate" || rollout.new.is_some_and(|new| is_saturated(new, wanted)) {
        let left = rollout.old.iter().filter(|set| replicas(set) > 0);
        return left.map(|set| rollout.resize(set, 0)).collect();
    }
    proportional(rollout, active)
}

/// Returns true if the ReplicaSet has another size, or was scaled for another number of wanted pods.
fn changed(set: &ReplicaSet, size: i32, wanted: i32) -> bool {
    replicas(set) != size || annotated(set, DESIRED).is_some_and(|current| current != wanted)
}

/// Returns true if the new ReplicaSet has all wanted replicas and all are available.
fn is_saturated(new: &ReplicaSet, wanted: i32) -> bool {
    replicas(new) == wanted && annotated(new, DESIRED) == Some(wanted) && available(new) == wanted
}

/// Distributes the added or removed replicas over the active ReplicaSets, the largest first.
fn proportional(rollout: &Rollout<'_>, mut active: Vec<&ReplicaSet>) -> Vec<Write> {
    let wanted = rollout.replicas();
    let (surge, _) = rollout.bounds();
    let allowed = if wanted > 0 { wanted + surge } else { 0 };
    let mut left = allowed - rollout.total();
    // The sort is stable, so ReplicaSets of equal size keep the order of `active`, the new one first.
    active.sort_by_key(|set| -replicas(set));
    let mut sizes: Vec<i32> = active.iter().map(|set| replicas(set)).collect();
    for (size, set) in sizes.iter_mut().zip(&active) {
        let share = share(*size, annotated(set, MAXIMUM).unwrap_or(wanted), allowed);
        let change = if left > 0 { share.clamp(0, left) } else { share.clamp(left, 0) };
        *size = (*size + change).max(0);
        left -= change;
    }
    if let Some(first) = sizes.first_mut() {
        *first = (*first + left).max(0);
    }
    let resized = active.into_iter().zip(sizes).filter(|(set, size)| changed(set, *size, wanted));
    resized.map(|(set, size)| rollout.resize(set, size)).collect()
}

/// Returns the change in size of a ReplicaSet with `size` replicas, scaled for `before` replicas in total, when the
/// total becomes `after`.
fn share(size: i32, before: i32, after: i32) -> i32 {
    let scaled = f64::from(size) * f64::from(after) / f64::from(before.max(1));
    #[allow(clippy::cast_possible_truncation, reason = "rounded, and bounded by the API's 32-bit numbers")]
    let scaled = scaled.round() as i32;
    scaled - size
}
