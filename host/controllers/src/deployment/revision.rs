//! A Deployment's ReplicaSets as revisions of its template: comparison, creation, numbering and clean-up.

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::json;

use super::super::kinds::Kind;
use super::super::metadata::{self, Key};
use super::super::template;
use super::super::write::Write;
use super::{Rollout, replicas};

/// The label with the hash of the pod template, which distinguishes the pods of a Deployment's ReplicaSets.
const HASH: &str = "pod-template-hash";
/// The annotation with the number of a revision, on ReplicaSets and on their Deployment.
const REVISION: &str = "deployment.kubernetes.io/revision";
/// The default of `spec.revisionHistoryLimit`: the number of inactive ReplicaSets to keep for a rollback.
const HISTORY: i32 = 10;

/// Returns true if the ReplicaSet has this template.
pub fn is_of(set: &ReplicaSet, wanted: &PodTemplateSpec) -> bool {
    let Some(mut template) = set.spec.as_ref().and_then(|spec| spec.template.clone()) else { return false };
    unlabel(&mut template);
    let mut wanted = wanted.clone();
    unlabel(&mut wanted);
    template == wanted
}

/// Removes the hash from a template's labels. Makes absent metadata and labels equal to empty ones.
fn unlabel(template: &mut PodTemplateSpec) {
    let meta = template.metadata.get_or_insert_default();
    meta.labels.get_or_insert_default().remove(HASH);
    meta.creation_timestamp = None;
}

/// Returns the write that creates the new ReplicaSet. If the name is in use, returns the write that increases
/// `status.collisionCount`, which leads to another name.
pub fn create(rollout: &Rollout<'_>, size: i32) -> Vec<Write> {
    let collisions = rollout.deployment.status.as_ref().and_then(|status| status.collision_count).unwrap_or(0);
    let hash = template::hash(&rollout.spec.template, collisions);
    let namespace = metadata::namespace(rollout.meta);
    let name = format!("{}-{hash}", metadata::name(rollout.meta));
    if rollout.cluster.get::<ReplicaSet>(&Key::new(namespace, &name)).is_some() {
        let status = json!({ "collisionCount": collisions + 1 });
        return vec![Write::status(Kind::Deployment, rollout.meta, status)];
    }
    let mut template = rollout.spec.template.clone();
    let meta = template.metadata.get_or_insert_default();
    meta.labels.get_or_insert_default().insert(HASH.to_owned(), hash.clone());
    let labels = meta.labels.clone();
    let mut selector = rollout.spec.selector.clone();
    selector.match_labels.get_or_insert_default().insert(HASH.to_owned(), hash);
    let mut annotations: Vec<(&str, String)> = rollout.size_marks().into_iter().collect();
    let own = rollout.meta.annotations.iter().flatten().filter(|(name, _)| *name != REVISION);
    annotations.extend(own.map(|(name, value)| (name.as_str(), value.clone())));
    annotations.push((REVISION, (latest(rollout) + 1).to_string()));
    let spec = ReplicaSetSpec {
        replicas: Some(size),
        min_ready_seconds: rollout.spec.min_ready_seconds,
        selector,
        template: Some(template),
    };
    let body = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": annotations.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            "ownerReferences": [rollout.reference],
        },
        "spec": spec,
    });
    vec![Write::create(Kind::ReplicaSet, namespace, body)]
}

/// Returns the writes that set the revision number of the new ReplicaSet and of the Deployment, and `minReadySeconds`
/// of the new ReplicaSet. Empty if nothing has to change.
pub fn marks(rollout: &Rollout<'_>) -> Vec<Write> {
    let Some(new) = rollout.new else { return Vec::new() };
    let mut writes = Vec::new();
    let mut revision = number(new);
    if revision <= latest(rollout) {
        revision = latest(rollout) + 1;
        writes.push(mark(Kind::ReplicaSet, &new.metadata, revision));
    }
    if metadata::annotation(rollout.meta, REVISION) != Some(&revision.to_string()) {
        writes.push(mark(Kind::Deployment, rollout.meta, revision));
    }
    let min_ready = rollout.spec.min_ready_seconds.unwrap_or(0);
    if new.spec.as_ref().and_then(|spec| spec.min_ready_seconds).unwrap_or(0) != min_ready {
        let body = json!({ "spec": { "minReadySeconds": min_ready } });
        writes.push(Write::merge(Kind::ReplicaSet, &new.metadata, body));
    }
    writes
}

fn mark(kind: Kind, meta: &kube::core::ObjectMeta, revision: i64) -> Write {
    Write::merge(kind, meta, json!({ "metadata": { "annotations": { REVISION: revision.to_string() } } }))
}

/// Returns the highest revision number of the old ReplicaSets; 0 if there are none.
fn latest(rollout: &Rollout<'_>) -> i64 {
    rollout.old.iter().map(|set| number(set)).max().unwrap_or(0)
}

fn number(set: &ReplicaSet) -> i64 {
    metadata::annotation(&set.metadata, REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns the deletions of the oldest inactive ReplicaSets beyond the history limit, after a complete rollout.
pub fn clean_up(rollout: &Rollout<'_>) -> Vec<Write> {
    if !rollout.complete() {
        return Vec::new();
    }
    let limit = usize::try_from(rollout.spec.revision_history_limit.unwrap_or(HISTORY)).unwrap_or(0);
    let idle = |set: &ReplicaSet| {
        let status = set.status.clone().unwrap_or_default();
        let seen = status.observed_generation >= set.metadata.generation;
        replicas(set) == 0 && status.replicas == 0 && seen && !metadata::deleting(&set.metadata)
    };
    let mut idle: Vec<_> = rollout.old.iter().filter(|set| idle(set)).collect();
    idle.sort_by_key(|set| number(set));
    let excess = idle.len().saturating_sub(limit);
    idle.into_iter().take(excess).map(|set| Write::delete(Kind::ReplicaSet, &set.metadata)).collect()
}
