//! The PodDisruptionBudget controller: computes how many pods may be evicted now.

mod expected;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::percent::{self, Round};
use super::pod::Pod;
use super::selector;
use super::write::{Plan, Write};

/// The time after which an eviction that led to no deletion is dropped from the status.
const EVICTION_LIFETIME: SignedDuration = SignedDuration::from_mins(2);

/// Returns the plan for the budget with this key.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(budget) = cluster.get::<PodDisruptionBudget>(key) else { return Plan::none() };
    let Some(spec) = &budget.spec else { return Plan::none() };
    let pods: Vec<&Pod> = cluster
        .within::<Pod>(key.namespace())
        .map(|(_, pod)| pod)
        .filter(|pod| !pod.terminal() && selector::matches(spec.selector.as_ref(), &pod.metadata))
        .collect();
    let old = budget.status.clone().unwrap_or_default();
    let (evicted, next) = evictions(&old, &pods, now);
    let (expected, desired) = bounds(cluster, spec, &pods);
    let healthy = |pod: &&&Pod| {
        pod.ready() && !metadata::deleting(&pod.metadata) && !evicted.contains_key(metadata::name(&pod.metadata))
    };
    let healthy = count(pods.iter().filter(healthy).count());
    let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
    let generation = budget.metadata.generation;
    let new = PodDisruptionBudgetStatus {
        current_healthy: Some(healthy),
        desired_healthy: Some(desired),
        expected_pods: Some(expected),
        disruptions_allowed: Some(allowed),
        disrupted_pods: Some(evicted).filter(|evicted| !evicted.is_empty()),
        observed_generation: generation,
        conditions: Some(conditions(&old, allowed, generation, now)),
    };
    let changed = (new != old).then(|| Write::status(Kind::PodDisruptionBudget, &budget.metadata, patch(&new, &old)));
    Plan { rerun_after: next, ..Plan::of(changed) }
}

/// Returns the number of pods that the budget expects, and the number of pods that must stay healthy.
fn bounds(cluster: &Cluster, spec: &PodDisruptionBudgetSpec, pods: &[&Pod]) -> (i32, i32) {
    use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
    match (&spec.max_unavailable, &spec.min_available) {
        (Some(most), _) => {
            let expected = expected::pods(cluster, pods);
            (expected, (expected - percent::resolve(most, expected, Round::Up)).max(0))
        }
        (None, Some(IntOrString::Int(least))) => (count(pods.len()), (*least).max(0)),
        (None, Some(least)) => {
            let expected = expected::pods(cluster, pods);
            (expected, percent::resolve(least, expected, Round::Up))
        }
        (None, None) => (count(pods.len()), 0),
    }
}

/// Returns the granted evictions whose pods are not being deleted yet, by pod name, and the time until the next of
/// these evictions expires. Leaves out expired evictions.
fn evictions(
    old: &PodDisruptionBudgetStatus,
    pods: &[&Pod],
    now: Timestamp,
) -> (BTreeMap<String, Time>, Option<Duration>) {
    let waits =
        |name: &str| pods.iter().any(|pod| metadata::name(&pod.metadata) == name && !metadata::deleting(&pod.metadata));
    let evicted_pods = old.disrupted_pods.iter().flatten();
    let left = |time: &Time| EVICTION_LIFETIME - now.duration_since(time.0);
    let evicted: BTreeMap<String, Time> = evicted_pods
        .filter(|(name, time)| waits(name) && left(time).is_positive())
        .map(|(name, time)| (name.clone(), time.clone()))
        .collect();
    let next = evicted.values().map(left).min().map(SignedDuration::unsigned_abs);
    (evicted, next)
}

fn conditions(
    old: &PodDisruptionBudgetStatus,
    allowed: i32,
    generation: Option<i64>,
    now: Timestamp,
) -> Vec<Condition> {
    let mut conditions = old.conditions.clone().unwrap_or_default();
    let (status, reason) = if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    let position = conditions.iter().position(|existing| existing.type_ == "DisruptionAllowed");
    let before = position.map(|index| conditions.remove(index)).filter(|before| before.status == status);
    conditions.push(Condition {
        type_: "DisruptionAllowed".to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: String::new(),
        last_transition_time: before.map_or(Time(now), |before| before.last_transition_time),
        observed_generation: generation,
    });
    conditions
}

/// Returns the status as a merge patch, with null for evictions that are no longer in the status.
fn patch(new: &PodDisruptionBudgetStatus, old: &PodDisruptionBudgetStatus) -> Value {
    let mut value = json!(new);
    for name in old.disrupted_pods.iter().flatten().map(|(name, _)| name) {
        if value["disruptedPods"][name].is_null() {
            value["disruptedPods"][name] = Value::Null;
        }
    }
    value
}

fn count(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
