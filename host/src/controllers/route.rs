//! Which tasks follow from a change. It may name too many, never too few.

use super::cluster::{Change, Cluster};
use super::collector;
use super::hand::{Hand, Task};
use super::kinds::{Kind, Object};
use super::kubelet::Kubelet;
use super::metadata::{self, Key};
use super::node::Node;
use super::pod::Pod;

/// Calls `add` with each task that a change may lead to.
pub fn route(cluster: &Cluster, change: &Change, add: &mut impl FnMut(Task)) {
    let after = cluster.object(change.kind, &change.key);
    for state in [change.before.as_ref(), after].into_iter().flatten() {
        to_owner(state, add);
    }
    to_collector(cluster, change, after, add);
    if let Some(hand) = own_hand(change.kind) {
        add(hand.task(change.key.clone()));
    }
    match (change.kind, &change.before, after) {
        (Kind::Pod, _, Some(Object::Pod(pod))) => pod_changed(cluster, change, pod, add),
        (Kind::Node, before, after) => {
            let of =
                |object: Option<&Object>| object.and_then(|object| <Node as super::kinds::Typed>::of(object).cloned());
            node_changed(cluster, &change.key, of(before.as_ref()).as_ref(), of(after).as_ref(), add);
        }
        (Kind::ReplicaSet, before, Some(after)) => adoptable(cluster, before.as_ref(), after, Kind::ReplicaSet, add),
        (Kind::ServiceAccount, _, None) => add(Hand::Namespace.task(Key::new("", change.key.namespace()))),
        _ => {}
    }
}

/// The controller that looks at the objects of this kind.
fn own_hand(kind: Kind) -> Option<Hand> {
    match kind {
        Kind::Namespace => Some(Hand::Namespace),
        Kind::Node => Some(Hand::NodeLifecycle),
        Kind::ReplicaSet | Kind::ReplicationController => Some(Hand::Replicas(kind)),
        Kind::Deployment => Some(Hand::Deployment),
        _ => None,
    }
}

/// The controller of an object looks again when the object changes.
fn to_owner(object: &Object, add: &mut impl FnMut(Task)) {
    let Some(owner) = metadata::controller(object.meta()) else { return };
    let hand = match owner.kind.as_str() {
        "ReplicaSet" => Hand::Replicas(Kind::ReplicaSet),
        "ReplicationController" => Hand::Replicas(Kind::ReplicationController),
        "Deployment" => Hand::Deployment,
        _ => return,
    };
    add(hand.task(Key::new(metadata::namespace(object.meta()), &owner.name)));
}

fn to_collector(cluster: &Cluster, change: &Change, after: Option<&Object>, add: &mut impl FnMut(Task)) {
    let uid = |object: &Object| metadata::uid(object.meta()).to_owned();
    let collect = |kind: Kind, key: &Key| Hand::Collector(kind).task(key.clone());
    let mut lost = None;
    match (&change.before, after) {
        (before, Some(after)) => {
            if collector::concerns(cluster, after.meta()) {
                add(collect(change.kind, &change.key));
            }
            if collector::awaits_dependents(after.meta()) {
                lost = Some(uid(after));
            } else {
                lost = before.as_ref().map(uid).filter(|before| *before != uid(after));
            }
        }
        (Some(before), None) => lost = Some(uid(before)),
        (None, None) => {}
    }
    if let Some(lost) = lost {
        cluster.dependents(&lost).for_each(|(kind, key, _)| add(collect(kind, key)));
    }
    // An owner that waits for its dependents waits no longer if this was the last.
    let before = change.before.iter().flat_map(|object| metadata::owners(object.meta()));
    for owner in before {
        if let Some(object) = cluster.by_uid(&owner.uid).filter(|object| metadata::deleting(object.meta())) {
            add(collect(object.kind(), &Key::of(object.meta())));
        }
    }
}

fn pod_changed(cluster: &Cluster, change: &Change, pod: &Pod, add: &mut impl FnMut(Task)) {
    if Kubelet::concerns(pod) {
        add(Hand::Kubelet.task(change.key.clone()));
    }
    if let Some(after) = cluster.object(Kind::Pod, &change.key) {
        adoptable(cluster, change.before.as_ref(), after, Kind::Pod, add);
    }
}

/// An object without a controller may be adopted, by whom its labels say: those in its namespace look.
fn adoptable(cluster: &Cluster, before: Option<&Object>, after: &Object, kind: Kind, add: &mut impl FnMut(Task)) {
    let meta = after.meta();
    let unchanged = before
        .is_some_and(|before| before.meta().labels == meta.labels && metadata::controller(before.meta()).is_none());
    if unchanged || metadata::controller(meta).is_some() || meta.labels.is_none() {
        return;
    }
    let hands: &[Kind] = match kind {
        Kind::Pod => &[Kind::ReplicaSet, Kind::ReplicationController],
        _ => &[Kind::Deployment],
    };
    for kind in hands {
        let keys = cluster.keys_within(*kind, metadata::namespace(meta));
        keys.for_each(|key| own_hand(*kind).into_iter().for_each(|hand| add(hand.task(key.clone()))));
    }
}

fn node_changed(cluster: &Cluster, key: &Key, before: Option<&Node>, after: Option<&Node>, add: &mut impl FnMut(Task)) {
    if before.is_none() || after.is_none() {
        cluster.pods_of_node(key.name()).for_each(|(pod, _)| add(Hand::Kubelet.task(pod.clone())));
    }
}
