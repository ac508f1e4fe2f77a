//! Maps a change to tasks. Additional tasks are harmless, because a task without work is cheap. A missing task is an
//! error.

mod pods;
mod volumes;

use super::cluster::{Change, Cluster};
use super::collector;
use super::controller::{Controller, Task};
use super::kinds::{Kind, Object, Typed};
use super::metadata::{self, Key};
use super::namespace::ROOT_CERTIFICATES;
use super::node::Node;
use super::{resource_quota, taint_eviction};

/// Calls `add` with each task that a change may require.
pub fn route(cluster: &Cluster, change: &Change, add: &mut impl FnMut(Task)) {
    let after = cluster.object(change.kind, &change.key);
    for state in [change.before.as_ref(), after].into_iter().flatten() {
        to_owner(state, add);
    }
    to_collector(cluster, change, after, add);
    if let Some(controller) = own_controller(change.kind) {
        add(controller.task(change.key.clone()));
    }
    let namespace = change.key.namespace();
    if resource_quota::frees(change.before.as_ref(), after) {
        let quotas = cluster.keys_within(Kind::ResourceQuota, namespace).filter(|_| !namespace.is_empty());
        quotas.for_each(|key| add(Controller::ResourceQuota.task(key.clone())));
    }
    match change.kind {
        Kind::Pod => pods::changed(cluster, change, after, add),
        Kind::ResourceClaimTemplate => pods::template_changed(cluster, namespace, add),
        Kind::Job if after.is_none() => pods::job_gone(cluster, change, add),
        Kind::Node => node_changed(cluster, change, after, add),
        Kind::ServiceAccount => add(Controller::Namespace.task(Key::new("", namespace))),
        Kind::ConfigMap if change.key.name() == ROOT_CERTIFICATES => {
            add(Controller::Namespace.task(Key::new("", namespace)));
        }
        Kind::PersistentVolumeClaim => volumes::claim_changed(cluster, change, after, add),
        Kind::PersistentVolume => volumes::volume_changed(cluster, change, after, add),
        Kind::StorageClass => volumes::class_changed(cluster, add),
        Kind::ResourceQuota if resource_quota::is_changed(change.before.as_ref(), after) => {
            add(Controller::ResourceQuota.task(change.key.clone()));
        }
        Kind::ReplicaSet | Kind::ReplicationController | Kind::Deployment | Kind::StatefulSet => {
            for_all(cluster, Kind::PodDisruptionBudget, namespace, add);
            for_adopters(cluster, change, after, add);
        }
        _ => {}
    }
}

/// Returns the controller that handles objects of this kind.
fn own_controller(kind: Kind) -> Option<Controller> {
    match kind {
        Kind::Namespace => Some(Controller::Namespace),
        Kind::Node => Some(Controller::NodeLifecycle),
        Kind::ReplicaSet | Kind::ReplicationController => Some(Controller::Replicas(kind)),
        Kind::Deployment => Some(Controller::Deployment),
        Kind::StatefulSet => Some(Controller::StatefulSet),
        Kind::DaemonSet => Some(Controller::DaemonSet),
        Kind::Job => Some(Controller::Job),
        Kind::CronJob => Some(Controller::CronJob),
        Kind::PersistentVolumeClaim => Some(Controller::VolumeClaim),
        Kind::PersistentVolume => Some(Controller::Volume),
        Kind::ResourceClaim => Some(Controller::ResourceClaim),
        Kind::PodDisruptionBudget => Some(Controller::Disruption),
        Kind::Pod
        | Kind::ConfigMap
        | Kind::Service
        | Kind::ResourceQuota
        | Kind::ServiceAccount
        | Kind::StorageClass
        | Kind::ResourceClaimTemplate
        | Kind::Other(_) => None,
    }
}

/// Adds the task for the object's owner that has `controller: true`.
fn to_owner(object: &Object, add: &mut impl FnMut(Task)) {
    let Some(owner) = metadata::controller(object.meta()) else { return };
    let controller = match owner.kind.as_str() {
        "ReplicaSet" => Controller::Replicas(Kind::ReplicaSet),
        "ReplicationController" => Controller::Replicas(Kind::ReplicationController),
        "Deployment" => Controller::Deployment,
        "StatefulSet" => Controller::StatefulSet,
        "DaemonSet" => Controller::DaemonSet,
        "Job" => Controller::Job,
        "CronJob" => Controller::CronJob,
        "Pod" => Controller::PodClaims,
        _ => return,
    };
    add(controller.task(Key::new(metadata::namespace(object.meta()), &owner.name)));
}

/// Adds a task for every object of this kind in a namespace.
fn for_all(cluster: &Cluster, kind: Kind, namespace: &str, add: &mut impl FnMut(Task)) {
    if let Some(controller) = own_controller(kind) {
        cluster.keys_within(kind, namespace).for_each(|key| add(controller.task(key.clone())));
    }
}

/// Adds the tasks of possible adopters in the namespace, if the object has labels and no controller, and is new, has
/// lost its controller or has changed labels.
fn for_adopters(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    let adopters: &[Kind] = match change.kind {
        Kind::Pod => &[Kind::ReplicaSet, Kind::ReplicationController, Kind::StatefulSet, Kind::DaemonSet],
        Kind::ReplicaSet => &[Kind::Deployment],
        _ => return,
    };
    let Some(meta) = after.map(Object::meta) else { return };
    let seen = |before: &Object| before.meta().labels == meta.labels && metadata::controller(before.meta()).is_none();
    if metadata::controller(meta).is_some() || meta.labels.is_none() || change.before.as_ref().is_some_and(seen) {
        return;
    }
    adopters.iter().for_each(|kind| for_all(cluster, *kind, change.key.namespace(), add));
}

fn to_collector(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    let collect = |kind: Kind, key: &Key| Controller::Collector(kind).task(key.clone());
    if after.is_some_and(|after| collector::concerns(cluster, after.meta())) {
        add(collect(change.kind, &change.key));
    }
    // Adds tasks for the dependents of an object that is gone or waits for the deletion of its dependents.
    let uid_before = change.before.as_ref().map(|object| metadata::uid(object.meta()));
    let lost = match after {
        Some(after) if collector::awaits_dependents(after.meta()) => Some(metadata::uid(after.meta())),
        Some(after) => uid_before.filter(|uid| *uid != metadata::uid(after.meta())),
        None => uid_before,
    };
    if let Some(lost) = lost {
        cluster.dependents(lost).for_each(|(kind, key, _)| add(collect(kind, key)));
    }
    // Adds tasks for owners that are being deleted, because the object may have been the last dependent of an owner.
    for owner in change.before.iter().flat_map(|object| metadata::owners(object.meta())) {
        if let Some(object) = cluster.by_uid(&owner.uid).filter(|object| metadata::deleting(object.meta())) {
            add(collect(object.kind(), &Key::of(object.meta())));
        }
    }
}

fn node_changed(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    let before = change.before.as_ref().and_then(Node::of);
    let after = after.and_then(Node::of);
    let runs = |node: &Node| (node.kubelet(), node.is_out_of_service());
    if before.map(runs) != after.map(runs) {
        cluster.pods_of_node(change.key.name()).for_each(|(pod, _)| add(Controller::Kubelet.task(pod.clone())));
    }
    let evicting = |node: &Node| taint_eviction::no_execute(node).cloned().collect::<Vec<_>>();
    if after.map(evicting) != before.map(evicting) {
        cluster.pods_of_node(change.key.name()).for_each(|(pod, _)| add(Controller::TaintEviction.task(pod.clone())));
    }
    let eligible = |node: &Node| (node.metadata.labels.clone(), node.spec.taints.clone());
    if before.map(eligible) != after.map(eligible) {
        cluster.keys(Kind::DaemonSet).for_each(|key| add(Controller::DaemonSet.task(key.clone())));
    }
}
