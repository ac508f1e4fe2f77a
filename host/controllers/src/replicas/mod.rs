//! The controller of ReplicaSets and ReplicationControllers: maintains the number of pods and the status.

mod preference;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{PodTemplateSpec, ReplicationController};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use kube::core::ObjectMeta;
use serde_json::{Value, json};

use super::claim::{Claimant, claim};
use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::pod::Pod;
use super::write::{Plan, Write, owner_reference};
use super::{selector, template};

/// The maximum number of pods that one plan creates or deletes, so that a large set does not delay other sets.
const BURST: usize = 500;

/// The common fields of ReplicaSets and ReplicationControllers.
struct Set<'a> {
    kind: Kind,
    api_version: &'static str,
    meta: &'a ObjectMeta,
    replicas: i32,
    min_ready: SignedDuration,
    selector: LabelSelector,
    template: Option<&'a PodTemplateSpec>,
    status: Counts,
}

/// The counts in the status of a ReplicaSet or ReplicationController, and the observed generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    replicas: i32,
    labeled: i32,
    ready: i32,
    available: i32,
    observed: i64,
}

/// Returns the plan for the set with this key.
pub fn plan(cluster: &Cluster, kind: Kind, key: &Key, now: Timestamp) -> Plan {
    let set = match kind {
        Kind::ReplicaSet => cluster.get::<ReplicaSet>(key).and_then(of_replica_set),
        _ => cluster.get::<ReplicationController>(key).and_then(of_replication_controller),
    };
    set.map_or_else(Plan::none, |set| reconcile(cluster, &set, now))
}

fn of_replica_set(object: &ReplicaSet) -> Option<Set<'_>> {
    let (spec, status) = (object.spec.as_ref()?, object.status.clone().unwrap_or_default());
    Some(Set {
        kind: Kind::ReplicaSet,
        api_version: "apps/v1",
        meta: &object.metadata,
        replicas: spec.replicas.unwrap_or(1),
        min_ready: seconds(spec.min_ready_seconds),
        selector: spec.selector.clone(),
        template: spec.template.as_ref(),
        status: Counts {
            replicas: status.replicas,
            labeled: status.fully_labeled_replicas.unwrap_or(0),
            ready: status.ready_replicas.unwrap_or(0),
            available: status.available_replicas.unwrap_or(0),
            observed: status.observed_generation.unwrap_or(0),
        },
    })
}

fn of_replication_controller(object: &ReplicationController) -> Option<Set<'_>> {
    let (spec, status) = (object.spec.as_ref()?, object.status.clone().unwrap_or_default());
    Some(Set {
        kind: Kind::ReplicationController,
        api_version: "v1",
        meta: &object.metadata,
        replicas: spec.replicas.unwrap_or(1),
        min_ready: seconds(spec.min_ready_seconds),
        selector: LabelSelector { match_labels: spec.selector.clone(), match_expressions: None },
        template: spec.template.as_ref(),
        status: Counts {
            replicas: status.replicas,
            labeled: status.fully_labeled_replicas.unwrap_or(0),
            ready: status.ready_replicas.unwrap_or(0),
            available: status.available_replicas.unwrap_or(0),
            observed: status.observed_generation.unwrap_or(0),
        },
    })
}

fn seconds(seconds: Option<i32>) -> SignedDuration {
    SignedDuration::from_secs(i64::from(seconds.unwrap_or(0).max(0)))
}

impl Set<'_> {
    /// Returns the writes that create `count` pods. All writes share one body.
    fn create(&self, reference: &OwnerReference, count: usize) -> Vec<Write> {
        let Some(template) = self.template else { return Vec::new() };
        let mut pod = template::pod(template, reference);
        pod["metadata"]["generateName"] = json!(format!("{}-", metadata::name(self.meta)));
        vec![Write::create(Kind::Pod, metadata::namespace(self.meta), Arc::new(pod)); count]
    }
}

fn reconcile(cluster: &Cluster, set: &Set<'_>, now: Timestamp) -> Plan {
    let reference = owner_reference(set.api_version, set.kind, set.meta);
    let claimant = Claimant { meta: set.meta, selector: &set.selector, reference: &reference };
    let (pods, writes) = claim::<Pod>(cluster, claimant);
    let active: Vec<&Pod> = pods.into_iter().filter(|pod| pod.active()).collect();
    let mut plan = Plan::of(writes);
    if !metadata::deleting(set.meta) {
        let wanted = usize::try_from(set.replicas).unwrap_or(0);
        let missing = wanted.saturating_sub(active.len());
        // Create no pods while adoptions are pending, because adopted pods count only after the adoption.
        if plan.writes.is_empty() && missing > 0 {
            plan.writes.extend(set.create(&reference, missing.min(BURST)));
        }
        let extra = active.len().saturating_sub(wanted);
        let unwanted = preference::least_wanted(&active, extra.min(BURST), now);
        plan.writes.extend(unwanted.into_iter().map(|pod| Write::delete(Kind::Pod, &pod.metadata)));
    }
    let (counts, next) = count(set, &active, now);
    if counts != set.status {
        plan.writes.push(Write::status(set.kind, set.meta, status(counts)));
    }
    if let Some(next) = next {
        plan.rerun_in(next);
    }
    plan
}

/// Counts the active pods. Also returns the time until the next ready pod becomes available (`minReadySeconds`); `None`
/// if no ready pod is unavailable.
fn count(set: &Set<'_>, active: &[&Pod], now: Timestamp) -> (Counts, Option<Duration>) {
    let mut counts = Counts { observed: set.meta.generation.unwrap_or(0), ..Counts::default() };
    let labels = set.template.and_then(|template| template.metadata.as_ref()).and_then(|meta| meta.labels.clone());
    let labels = LabelSelector { match_labels: labels, match_expressions: None };
    let mut next: Option<Duration> = None;
    for pod in active {
        counts.replicas += 1;
        counts.labeled += i32::from(selector::matches(Some(&labels), &pod.metadata));
        let Some(since) = pod.ready_since() else { continue };
        counts.ready += 1;
        match Duration::try_from(set.min_ready - now.duration_since(since.0)) {
            Ok(left) if !left.is_zero() && !set.min_ready.is_zero() => {
                next = Some(next.map_or(left, |earlier| earlier.min(left)));
            }
            _ => counts.available += 1,
        }
    }
    (counts, next)
}

fn status(counts: Counts) -> Value {
    json!({
        "replicas": counts.replicas,
        "fullyLabeledReplicas": counts.labeled,
        "readyReplicas": counts.ready,
        "availableReplicas": counts.available,
        "observedGeneration": counts.observed,
    })
}
