//! Computes the number of pods that the workloads of a disruption budget want.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::ReplicationController;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;

use super::super::cluster::Cluster;
use super::super::kinds::Typed;
use super::super::metadata;
use super::super::pod::Pod;

/// Returns the sum of the replicas of the pods' controllers. Each controller counts once, and a Deployment counts
/// instead of its ReplicaSets. A pod without a controller, or whose controller has no replica count, counts as 1.
pub fn pods(cluster: &Cluster, pods: &[&Pod]) -> i32 {
    let mut scales: BTreeMap<&str, i32> = BTreeMap::new();
    let mut alone = 0;
    for pod in pods {
        match metadata::controller(&pod.metadata).and_then(|owner| scale(cluster, owner)) {
            Some((uid, replicas)) => drop(scales.insert(uid, replicas)),
            None => alone += 1,
        }
    }
    scales.values().sum::<i32>() + alone
}

/// Returns the UID and the wanted replicas of the workload that this owner reference of a pod leads to. For a
/// ReplicaSet of a Deployment, the workload is the Deployment. Returns `None` if the owner has no number of replicas.
fn scale<'a>(cluster: &'a Cluster, owner: &OwnerReference) -> Option<(&'a str, i32)> {
    if let Some(set) = object::<ReplicaSet>(cluster, owner) {
        let above = metadata::controller(&set.metadata).and_then(|owner| object::<Deployment>(cluster, owner));
        return match above {
            Some(above) => found(&above.metadata, above.spec.as_ref()?.replicas),
            None => found(&set.metadata, set.spec.as_ref()?.replicas),
        };
    }
    if let Some(set) = object::<StatefulSet>(cluster, owner) {
        return found(&set.metadata, set.spec.as_ref()?.replicas);
    }
    let set = object::<ReplicationController>(cluster, owner)?;
    found(&set.metadata, set.spec.as_ref()?.replicas)
}

fn object<'a, K: Typed + 'a>(cluster: &'a Cluster, owner: &OwnerReference) -> Option<&'a K> {
    cluster.by_uid(&owner.uid).and_then(K::of)
}

fn found(meta: &ObjectMeta, replicas: Option<i32>) -> Option<(&str, i32)> {
    Some((metadata::uid(meta), replicas.unwrap_or(1)))
}
