//! Scaling a Deployment: without a rollout its one ReplicaSet follows; amid one each gets its share.

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::super::write::Write;
use super::{DESIRED, MAXIMUM, Rollout, annotated, available, replicas};

/// The writes that bring the ReplicaSets to the wanted size, keeping their proportions.
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
    // Recreate never has old and new pods at once, so there is nothing to share.
    if rollout.strategy() != "RollingUpdate" || rollout.new.is_some_and(|new| is_saturated(new, wanted)) {
        let left = rollout.old.iter().filter(|set| replicas(set) > 0);
        return left.map(|set| rollout.resize(set, 0)).collect();
    }
    proportional(rollout, active)
}

/// Whether the set has another size, or was given its size for another number of wanted pods.
fn changed(set: &ReplicaSet, size: i32, wanted: i32) -> bool {
    replicas(set) != size || annotated(set, DESIRED).is_some_and(|held| held != wanted)
}

/// Whether the new ReplicaSet does all the work already.
fn is_saturated(new: &ReplicaSet, wanted: i32) -> bool {
    replicas(new) == wanted && annotated(new, DESIRED) == Some(wanted) && available(new) == wanted
}

/// Shares what is to be added or taken among the active sets, the largest first.
fn proportional(rollout: &Rollout<'_>, mut active: Vec<&ReplicaSet>) -> Vec<Write> {
    let wanted = rollout.replicas();
    let (surge, _) = rollout.bounds();
    let allowed = if wanted > 0 { wanted + surge } else { 0 };
    let mut left = allowed - rollout.total();
    // The sort is stable: of equal sets the new one comes first, or last where pods are taken.
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

/// By how much a set of this size, scaled for `before` pods in all, changes when there may be `after`.
fn share(size: i32, before: i32, after: i32) -> i32 {
    let scaled = f64::from(size) * f64::from(after) / f64::from(before.max(1));
    #[allow(clippy::cast_possible_truncation, reason = "rounded, and bounded by the API's 32-bit numbers")]
    let scaled = scaled.round() as i32;
    scaled - size
}
