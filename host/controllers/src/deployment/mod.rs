//! The Deployment controller: a ReplicaSet for each pod template. The newest ReplicaSet gets all pods in the end.
//!
//! A plan creates the new ReplicaSet, or else advances the rollout by one step, and updates the status. The
//! ReplicaSets' status changes cause the next plan.

mod revision;
mod rolling;
mod scaling;
mod status;

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::core::ObjectMeta;
use serde_json::json;

use super::claim::{Claimant, claim};
use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::pod::Pod;
use super::write::{Plan, Write, owner_reference};
use super::{percent, selector};

/// The annotation with the Deployment's replicas when the ReplicaSet was last scaled.
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
/// The annotation with the Deployment's replicas plus `maxSurge` when the ReplicaSet was last scaled; 0 if the
/// Deployment had no replicas.
const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";

/// A Deployment with its ReplicaSets.
struct Rollout<'a> {
    cluster: &'a Cluster,
    meta: &'a ObjectMeta,
    spec: &'a DeploymentSpec,
    deployment: &'a Deployment,
    reference: OwnerReference,
    /// The ReplicaSet of the current template; `None` if this ReplicaSet does not exist yet.
    new: Option<&'a ReplicaSet>,
    /// The other ReplicaSets, oldest first.
    old: Vec<&'a ReplicaSet>,
    now: Timestamp,
}

/// Returns the plan for the Deployment with this key.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(deployment) = cluster.get::<Deployment>(key) else { return Plan::none() };
    let Some(spec) = &deployment.spec else { return Plan::none() };
    if selector::is_empty(&spec.selector) {
        return Plan::none();
    }
    let meta = &deployment.metadata;
    let reference = owner_reference("apps/v1", Kind::Deployment, meta);
    let claimant = Claimant { meta, selector: &spec.selector, reference: &reference };
    let (mut sets, writes) = claim::<ReplicaSet>(cluster, claimant);
    if !writes.is_empty() {
        return Plan::of(writes);
    }
    sets.sort_by_key(|set| (set.metadata.creation_timestamp.clone(), set.metadata.name.clone()));
    let new = sets.iter().copied().find(|set| revision::is_of(set, &spec.template));
    let old = sets.into_iter().filter(|set| new.is_none_or(|new| new.metadata.uid != set.metadata.uid)).collect();
    Rollout { cluster, meta, spec, deployment, reference, new, old, now }.reconcile()
}

impl<'a> Rollout<'a> {
    fn reconcile(&self) -> Plan {
        let mut writes = Vec::new();
        if !metadata::deleting(self.meta) {
            writes = self.steps();
        }
        let mut plan = Plan::of(writes);
        status::write(self, &mut plan);
        plan
    }

    /// Returns the next steps of the rollout; empty if the rollout has to wait.
    fn steps(&self) -> Vec<Write> {
        let paused = self.spec.paused == Some(true);
        if paused || self.is_scaling() {
            return scaling::scale(self);
        }
        let marks = revision::marks(self);
        if !marks.is_empty() {
            return marks;
        }
        match self.strategy() {
            "Recreate" => self.recreate(),
            _ => rolling::step(self),
        }
    }

    /// Returns the next steps with the strategy Recreate: scales the old ReplicaSets to 0, and creates or scales the
    /// new ReplicaSet after all old pods are gone or finished.
    fn recreate(&self) -> Vec<Write> {
        let down: Vec<Write> = self.old.iter().filter(|set| replicas(set) > 0).map(|set| self.resize(set, 0)).collect();
        if !down.is_empty() {
            return down;
        }
        let left = self.old.iter().any(|set| {
            let pods = self.cluster.controlled::<Pod>(metadata::uid(&set.metadata));
            pods.into_iter().any(|pod| !pod.terminal())
        });
        match self.new {
            _ if left => Vec::new(),
            None => revision::create(self, self.replicas()),
            Some(new) if replicas(new) != self.replicas() => vec![self.resize(new, self.replicas())],
            Some(_) => revision::clean_up(self),
        }
    }

    /// Returns true if the Deployment's replicas have changed since its ReplicaSets were scaled.
    fn is_scaling(&self) -> bool {
        let active = self.sets().filter(|set| replicas(set) > 0);
        let mut desired = active.filter_map(|set| annotated(set, DESIRED));
        desired.any(|desired| desired != self.replicas())
    }

    /// Returns all ReplicaSets, the new one first.
    fn sets(&self) -> impl Iterator<Item = &'a ReplicaSet> + '_ {
        self.new.into_iter().chain(self.old.iter().copied())
    }

    /// Returns the sum of `spec.replicas` over all ReplicaSets.
    fn total(&self) -> i32 {
        self.sets().map(replicas).sum()
    }

    /// Returns `spec.replicas`.
    fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1)
    }

    fn strategy(&self) -> &str {
        self.spec.strategy.as_ref().and_then(|strategy| strategy.type_.as_deref()).unwrap_or("RollingUpdate")
    }

    /// Returns `maxSurge` and `maxUnavailable` as numbers of pods.
    fn bounds(&self) -> (i32, i32) {
        if self.strategy() == "Recreate" {
            return (0, 0);
        }
        let rolling = self.spec.strategy.as_ref().and_then(|strategy| strategy.rolling_update.as_ref());
        let quarter = IntOrString::String("25%".to_owned());
        let surge = rolling.and_then(|rolling| rolling.max_surge.as_ref()).unwrap_or(&quarter);
        let unavailable = rolling.and_then(|rolling| rolling.max_unavailable.as_ref()).unwrap_or(&quarter);
        let surge = percent::resolve(surge, self.replicas(), percent::Round::Up);
        let unavailable = percent::resolve(unavailable, self.replicas(), percent::Round::Down);
        // With both at 0, no step of the rollout would be possible.
        if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable.min(self.replicas())) }
    }

    /// Returns the annotations that record for which size of the Deployment a ReplicaSet was scaled.
    fn size_marks(&self) -> BTreeMap<&'static str, String> {
        let (surge, _) = self.bounds();
        let maximum = if self.replicas() > 0 { self.replicas() + surge } else { 0 };
        BTreeMap::from([(DESIRED, self.replicas().to_string()), (MAXIMUM, maximum.to_string())])
    }

    /// Returns the write that sets the replicas of a ReplicaSet.
    fn resize(&self, set: &ReplicaSet, replicas: i32) -> Write {
        let body = json!({ "metadata": { "annotations": self.size_marks() }, "spec": { "replicas": replicas } });
        Write::merge(Kind::ReplicaSet, &set.metadata, body)
    }

    /// Returns true if the rollout is complete: all wanted pods are new and available, and no other pod exists.
    fn complete(&self) -> bool {
        let status = status::counts(self);
        let wanted = self.replicas();
        status.updated == wanted && status.replicas == wanted && status.available == wanted
    }
}

/// Returns `spec.replicas` of a ReplicaSet.
fn replicas(set: &ReplicaSet) -> i32 {
    set.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1)
}

/// Returns `status.availableReplicas` of a ReplicaSet.
fn available(set: &ReplicaSet) -> i32 {
    set.status.as_ref().and_then(|status| status.available_replicas).unwrap_or(0)
}

fn annotated(set: &ReplicaSet, annotation: &str) -> Option<i32> {
    metadata::annotation(&set.metadata, annotation)?.parse().ok()
}
