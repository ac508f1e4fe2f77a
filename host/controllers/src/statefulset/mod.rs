//! The StatefulSet controller: pods `web-0`, `web-1`… with stable names and claims, created in order or in parallel.
//!
//! Unlike kube-controller-manager, this controller keeps no ControllerRevisions. If a pod below the rolling update's
//! partition has to be created again, the new pod has the current template.

mod objects;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec, StatefulSetStatus};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::json;

use super::claim::{Claimant, claim};
use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::pod::Pod;
use super::template;
use super::write::{Plan, Write, owner_reference};

/// The label with the revision of a pod's template.
const REVISION: &str = "controller-revision-hash";
/// The number of writes after which a plan creates no further pods and claims.
const BURST: usize = 500;

/// A StatefulSet with its pods.
struct Set<'a> {
    meta: &'a ObjectMeta,
    spec: &'a StatefulSetSpec,
    reference: OwnerReference,
    /// The revision name of the current template.
    revision: String,
    pods: Vec<(i32, &'a Pod)>,
    now: Timestamp,
}

/// Returns the plan for the StatefulSet with this key.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(object) = cluster.get::<StatefulSet>(key) else { return Plan::none() };
    let Some(spec) = &object.spec else { return Plan::none() };
    let meta = &object.metadata;
    let reference = owner_reference("apps/v1", Kind::StatefulSet, meta);
    let (pods, mut writes) = claim::<Pod>(cluster, Claimant { meta, selector: &spec.selector, reference: &reference });
    let name = metadata::name(meta);
    let mut pods: Vec<_> = pods.into_iter().filter_map(|pod| Some((ordinal(name, pod)?, pod))).collect();
    pods.sort_by_key(|(ordinal, _)| *ordinal);
    let revision = format!("{name}-{}", template::hash(&spec.template, 0));
    let set = Set { meta, spec, reference, revision, pods, now };
    // Create nothing while adoptions are pending, because an adopted pod may have the same name.
    if writes.is_empty() && !metadata::deleting(meta) {
        writes = set.steps(cluster);
    }
    let mut plan = Plan::of(writes);
    if let Some(status) = set.status(object.status.as_ref()) {
        plan.writes.push(Write::status(Kind::StatefulSet, meta, json!(status)));
    }
    if !set.min_ready().is_zero()
        && let Some(left) = set.pods.iter().filter_map(|(_, pod)| set.until_available(pod)).min()
    {
        plan.rerun_in(left.unsigned_abs());
    }
    plan
}

/// Returns the ordinal in a pod's name, if the name belongs to this set.
fn ordinal(set: &str, pod: &Pod) -> Option<i32> {
    metadata::name(&pod.metadata).strip_prefix(set)?.strip_prefix('-')?.parse().ok()
}

impl Set<'_> {
    fn parallel(&self) -> bool {
        self.spec.pod_management_policy.as_deref() == Some("Parallel")
    }

    fn ordinals(&self) -> std::ops::Range<i32> {
        let start = self.spec.ordinals.as_ref().and_then(|ordinals| ordinals.start).unwrap_or(0);
        start..start.saturating_add(self.spec.replicas.unwrap_or(1))
    }

    fn min_ready(&self) -> SignedDuration {
        SignedDuration::from_secs(i64::from(self.spec.min_ready_seconds.unwrap_or(0)))
    }

    /// Returns the remaining time until the pod is available; `None` if the pod is available or not ready.
    fn until_available(&self, pod: &Pod) -> Option<SignedDuration> {
        let left = self.min_ready() - self.now.duration_since(pod.ready_since()?.0);
        Some(left).filter(|left| left.is_positive() && !self.min_ready().is_zero())
    }

    fn available(&self, pod: &Pod) -> bool {
        pod.active() && pod.ready() && self.until_available(pod).is_none()
    }

    fn pod(&self, ordinal: i32) -> Option<&Pod> {
        let index = self.pods.binary_search_by_key(&ordinal, |(existing, _)| *existing).ok()?;
        Some(self.pods[index].1)
    }

    /// Returns the next steps: creates and repairs pods in order, then deletes pods beyond `replicas`, then updates
    /// outdated pods.
    fn steps(&self, cluster: &Cluster) -> Vec<Write> {
        let mut writes = Vec::new();
        for ordinal in self.ordinals() {
            let step = self.repair_pod(cluster, ordinal);
            let settled = step.as_ref().is_some_and(Vec::is_empty);
            writes.extend(step.into_iter().flatten());
            if (!settled && !self.parallel()) || writes.len() >= BURST {
                return writes;
            }
        }
        let condemned = self.pods.iter().rev().filter(|(ordinal, _)| !self.ordinals().contains(ordinal));
        for (_, pod) in condemned {
            if !metadata::deleting(&pod.metadata) {
                writes.push(Write::delete(Kind::Pod, &pod.metadata));
            }
            if !self.parallel() {
                return writes;
            }
        }
        if writes.is_empty() { self.update() } else { writes }
    }

    /// Returns the writes for the pod with this ordinal: an empty list if the pod is available, `None` if the set
    /// must wait for the pod.
    fn repair_pod(&self, cluster: &Cluster, ordinal: i32) -> Option<Vec<Write>> {
        let Some(pod) = self.pod(ordinal) else {
            let namespace = metadata::namespace(self.meta);
            let missing = objects::claims(self, ordinal)
                .into_iter()
                .filter(|(name, _)| cluster.get::<PersistentVolumeClaim>(&Key::new(namespace, name)).is_none());
            let mut writes: Vec<Write> =
                missing.map(|(_, claim)| Write::create(Kind::PersistentVolumeClaim, namespace, claim)).collect();
            writes.push(Write::create(Kind::Pod, namespace, objects::pod(self, ordinal)));
            return Some(writes);
        };
        if metadata::deleting(&pod.metadata) {
            return None;
        }
        if pod.terminal() {
            return Some(vec![Write::delete(Kind::Pod, &pod.metadata)]);
        }
        self.available(pod).then(Vec::new)
    }

    /// Rolling update: deletes the outdated pod with the highest ordinal at or above the partition, if all pods with
    /// higher ordinals are available.
    fn update(&self) -> Vec<Write> {
        let strategy = self.spec.update_strategy.as_ref();
        if strategy.and_then(|strategy| strategy.type_.as_deref()) == Some("OnDelete") {
            return Vec::new();
        }
        let partition = strategy.and_then(|strategy| strategy.rolling_update.as_ref()?.partition).unwrap_or(0);
        let updated = self.ordinals().filter(|ordinal| *ordinal >= self.ordinals().start.saturating_add(partition));
        for pod in updated.rev().filter_map(|ordinal| self.pod(ordinal)) {
            let outdated = metadata::label(&pod.metadata, REVISION) != Some(&self.revision);
            if outdated && !metadata::deleting(&pod.metadata) {
                return vec![Write::delete(Kind::Pod, &pod.metadata)];
            }
            if !self.available(pod) {
                break;
            }
        }
        Vec::new()
    }

    /// Returns the new status, if it has changed.
    fn status(&self, old: Option<&StatefulSetStatus>) -> Option<StatefulSetStatus> {
        let absent = StatefulSetStatus::default();
        let old = old.unwrap_or(&absent);
        let count = |counts: &dyn Fn(&Pod) -> bool| {
            i32::try_from(self.pods.iter().filter(|(_, pod)| pod.active() && counts(pod)).count()).unwrap_or(i32::MAX)
        };
        let at = |revision: &str| count(&|pod| metadata::label(&pod.metadata, REVISION) == Some(revision));
        let updated = at(&self.revision);
        let wanted = self.spec.replicas.unwrap_or(1);
        let available = count(&|pod| self.available(pod));
        // The update revision becomes the current revision when `replicas` pods have this revision and `replicas` pods
        // are available.
        let current = match &old.current_revision {
            Some(revision) if !revision.is_empty() && (updated < wanted || available < wanted) => revision,
            _ => &self.revision,
        };
        let new = StatefulSetStatus {
            replicas: count(&|_| true),
            ready_replicas: Some(count(&Pod::ready)),
            available_replicas: Some(available),
            current_replicas: Some(at(current)),
            updated_replicas: Some(updated),
            current_revision: Some(current.clone()),
            update_revision: Some(self.revision.clone()),
            observed_generation: self.meta.generation,
            collision_count: old.collision_count,
            conditions: old.conditions.clone(),
        };
        (!same(&new, old)).then_some(new)
    }
}

/// Compares two statuses. An absent count equals 0.
fn same(a: &StatefulSetStatus, b: &StatefulSetStatus) -> bool {
    let numbers = |status: &StatefulSetStatus| {
        let counts =
            [status.ready_replicas, status.available_replicas, status.current_replicas, status.updated_replicas];
        (status.replicas, counts.map(|count| count.unwrap_or(0)))
    };
    numbers(a) == numbers(b)
        && (&a.current_revision, &a.update_revision) == (&b.current_revision, &b.update_revision)
        && a.observed_generation == b.observed_generation
}
