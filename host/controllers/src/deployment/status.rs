//! The status of a Deployment: the counts of its pods, and the conditions that `kubectl rollout status` reads.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;

use super::super::kinds::Kind;
use super::super::metadata;
use super::super::write::{Action, Plan, Write};
use super::{Rollout, available};

/// The pod counts of a Deployment, from its ReplicaSets' statuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub replicas: i32,
    pub updated: i32,
    pub ready: i32,
    pub available: i32,
}

/// Adds up the pod counts of all ReplicaSets. `updated` counts only the new ReplicaSet.
pub fn counts(rollout: &Rollout<'_>) -> Counts {
    let mut counts = Counts::default();
    for set in rollout.sets() {
        let status = set.status.clone().unwrap_or_default();
        counts.replicas += status.replicas;
        counts.ready += status.ready_replicas.unwrap_or(0);
        counts.available += available(set);
    }
    counts.updated = rollout.new.and_then(|set| set.status.as_ref()).map_or(0, |status| status.replicas);
    counts
}

/// Adds the status write to the plan if the status has changed. Requests another run at the progress deadline.
pub fn write(rollout: &Rollout<'_>, plan: &mut Plan) {
    let old = rollout.deployment.status.clone().unwrap_or_default();
    let counts = counts(rollout);
    let mut conditions = old.conditions.clone().unwrap_or_default();
    set(&mut conditions, availability(rollout, counts), rollout.now);
    if let Some(progress) = progress(rollout, &old, counts, plan) {
        set(&mut conditions, progress, rollout.now);
    }
    // The patch leaves other fields unchanged, such as `collisionCount`.
    let new = DeploymentStatus {
        replicas: Some(counts.replicas),
        updated_replicas: Some(counts.updated),
        ready_replicas: Some(counts.ready),
        available_replicas: Some(counts.available),
        unavailable_replicas: Some((rollout.total() - counts.available).max(0)),
        observed_generation: rollout.meta.generation,
        conditions: Some(conditions),
        ..DeploymentStatus::default()
    };
    if !same(&new, &old) {
        plan.writes.push(Write::status(Kind::Deployment, rollout.meta, json!(new)));
    }
}

/// Compares two statuses. An absent count equals 0.
fn same(a: &DeploymentStatus, b: &DeploymentStatus) -> bool {
    let numbers = |status: &DeploymentStatus| {
        [
            status.replicas,
            status.updated_replicas,
            status.ready_replicas,
            status.available_replicas,
            status.unavailable_replicas,
        ]
        .map(|count| count.unwrap_or(0))
    };
    numbers(a) == numbers(b) && a.observed_generation == b.observed_generation && a.conditions == b.conditions
}

/// Returns the Available condition: true if at least `replicas - maxUnavailable` pods are available.
fn availability(rollout: &Rollout<'_>, counts: Counts) -> DeploymentCondition {
    let (_, unavailable) = rollout.bounds();
    if counts.available >= rollout.replicas() - unavailable {
        let message = "Deployment has minimum availability.";
        condition("Available", true, "MinimumReplicasAvailable", message.to_owned())
    } else {
        let message = "Deployment does not have minimum availability.";
        condition("Available", false, "MinimumReplicasUnavailable", message.to_owned())
    }
}

/// Returns the new Progressing condition; `None` if the existing condition stays.
fn progress(
    rollout: &Rollout<'_>,
    old: &DeploymentStatus,
    counts: Counts,
    plan: &mut Plan,
) -> Option<DeploymentCondition> {
    let existing = old.conditions.iter().flatten().find(|existing| existing.type_ == "Progressing");
    let reason = existing.and_then(|existing| existing.reason.as_deref()).unwrap_or_default();
    if rollout.spec.paused == Some(true) {
        let message = "Deployment is paused".to_owned();
        return (reason != "DeploymentPaused")
            .then(|| condition("Progressing", false, "DeploymentPaused", message).unknown());
    }
    let creates = |write: &Write| matches!(write.action, Action::Create(_));
    if plan.writes.iter().any(creates) {
        return Some(condition("Progressing", true, "NewReplicaSetCreated", "Created new replica set".to_owned()));
    }
    let set = rollout.new.map(|set| metadata::name(&set.metadata)).unwrap_or_default();
    if rollout.complete() {
        let message = format!("ReplicaSet \"{set}\" has successfully progressed.");
        return (reason != "NewReplicaSetAvailable")
            .then(|| condition("Progressing", true, "NewReplicaSetAvailable", message));
    }
    let was = |count: Option<i32>| count.unwrap_or(0);
    let moved = counts.updated > was(old.updated_replicas)
        || counts.replicas - counts.updated < was(old.replicas) - was(old.updated_replicas)
        || counts.ready > was(old.ready_replicas)
        || counts.available > was(old.available_replicas);
    let restarted = reason == "NewReplicaSetAvailable" && rollout.meta.generation != old.observed_generation;
    if moved || restarted || existing.is_none() || reason == "DeploymentPaused" {
        let message = format!("ReplicaSet \"{set}\" is progressing.");
        return Some(condition("Progressing", true, "ReplicaSetUpdated", message));
    }
    deadline(rollout, existing?, set, plan)
}

/// Returns the condition of a failed rollout: a rollout without progress for `progressDeadlineSeconds`. Before the
/// deadline, returns `None` and requests another run at the deadline in `plan`.
fn deadline(
    rollout: &Rollout<'_>,
    existing: &DeploymentCondition,
    set: &str,
    plan: &mut Plan,
) -> Option<DeploymentCondition> {
    const FAILED: &str = "ProgressDeadlineExceeded";
    let reason = existing.reason.as_deref().unwrap_or_default();
    let seconds = rollout.spec.progress_deadline_seconds.unwrap_or(600);
    if reason == FAILED || reason == "NewReplicaSetAvailable" || seconds == i32::MAX {
        return None;
    }
    let since = existing.last_update_time.as_ref().map_or(rollout.now, |time| time.0);
    let left = SignedDuration::from_secs(i64::from(seconds)) - rollout.now.duration_since(since);
    match Duration::try_from(left) {
        Ok(left) if !left.is_zero() => {
            plan.rerun_in(left);
            None
        }
        _ => Some(condition("Progressing", false, FAILED, format!("ReplicaSet \"{set}\" has timed out progressing."))),
    }
}

fn condition(type_: &str, status: bool, reason: &str, message: String) -> DeploymentCondition {
    DeploymentCondition {
        type_: type_.to_owned(),
        status: if status { "True" } else { "False" }.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message),
        ..DeploymentCondition::default()
    }
}

trait Unknown {
    fn unknown(self) -> Self;
}

impl Unknown for DeploymentCondition {
    fn unknown(mut self) -> Self {
        self.status = "Unknown".to_owned();
        self
    }
}

/// Sets a condition. A Progressing condition always replaces the old one, so the progress deadline restarts. An
/// Available condition with the same status and reason is not updated.
fn set(conditions: &mut Vec<DeploymentCondition>, mut new: DeploymentCondition, now: Timestamp) {
    let position = conditions.iter().position(|existing| existing.type_ == new.type_);
    let before = position.map(|index| &conditions[index]);
    if new.type_ == "Available"
        && before.is_some_and(|before| before.status == new.status && before.reason == new.reason)
    {
        return;
    }
    let since =
        before.filter(|before| before.status == new.status).and_then(|before| before.last_transition_time.clone());
    new.last_transition_time = since.or(Some(Time(now)));
    new.last_update_time = Some(Time(now));
    match position {
        Some(index) => conditions[index] = new,
        None => conditions.push(new),
    }
}
