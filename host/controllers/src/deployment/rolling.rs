//! Rolling update: adds new pods within `maxSurge`, and removes old pods within `maxUnavailable`.

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::super::write::Write;
use super::{Rollout, available, replicas, revision};

/// Returns the next step: creates or scales the new ReplicaSet as far as `maxSurge` allows, or else scales the
/// old ReplicaSets down as far as `maxUnavailable` allows, or else deletes ReplicaSets beyond the history limit.
pub fn step(rollout: &Rollout<'_>) -> Vec<Write> {
    let Some(new) = rollout.new else { return revision::create(rollout, room(rollout, 0)) };
    let size = replicas(new);
    let wanted = if size > rollout.replicas() { rollout.replicas() } else { room(rollout, size) };
    if wanted != size {
        return vec![rollout.resize(new, wanted)];
    }
    let down = shrink(rollout, new);
    if down.is_empty() { revision::clean_up(rollout) } else { down }
}

/// Returns the allowed size of the new ReplicaSet, whose current size is `size`.
fn room(rollout: &Rollout<'_>, size: i32) -> i32 {
    let (surge, _) = rollout.bounds();
    let room = rollout.replicas() + surge - rollout.total();
    size + room.clamp(0, (rollout.replicas() - size).max(0))
}

fn shrink(rollout: &Rollout<'_>, new: &ReplicaSet) -> Vec<Write> {
    let (_, unavailable) = rollout.bounds();
    let least = rollout.replicas() - unavailable;
    let mut sizes: Vec<i32> = rollout.old.iter().map(|set| replicas(set)).collect();
    // Unavailable pods of the new ReplicaSet are not deleted, so they count against `maxUnavailable`.
    let mut removable = rollout.total() - least - (replicas(new) - available(new)).max(0);
    for (size, set) in sizes.iter_mut().zip(&rollout.old) {
        let unhealthy = (*size - available(set)).clamp(0, removable.max(0));
        *size -= unhealthy;
        removable -= unhealthy;
    }
    let up: i32 = rollout.sets().map(available).sum();
    let mut removable = (up - least).min(removable);
    for (size, set) in sizes.iter_mut().zip(&rollout.old) {
        let healthy = (*size).min(available(set)).clamp(0, removable.max(0));
        *size -= healthy;
        removable -= healthy;
    }
    let changed = rollout.old.iter().zip(sizes).filter(|(set, size)| replicas(set) != *size);
    changed.map(|(set, size)| rollout.resize(set, size)).collect()
}
