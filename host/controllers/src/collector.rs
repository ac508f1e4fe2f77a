//! The garbage collector: deletes objects that have owner references but no remaining owner, and completes foreground
//! and orphan deletions.

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::{Kind, Object};
use super::metadata::{self, Key};
use super::write::{Grace, Guard, Plan, Propagation, Write};

/// The finalizer of an object that waits for the deletion of its dependents.
const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an object whose dependents are kept.
const ORPHAN: &str = "orphan";
/// The maximum number of dependents that one plan handles.
const BATCH: usize = 500;

/// Returns true if the collector may have work on an object with this metadata.
pub fn concerns(cluster: &Cluster, meta: &ObjectMeta) -> bool {
    let waits = metadata::deleting(meta) && [FOREGROUND, ORPHAN].iter().any(|name| metadata::has_finalizer(meta, name));
    waits
        || (!metadata::deleting(meta)
            && metadata::owners(meta).iter().any(|owner| state(cluster, meta, owner) != State::Solid))
}

/// Returns true if the object waits for the deletion of its dependents.
pub fn awaits_dependents(meta: &ObjectMeta) -> bool {
    metadata::deleting(meta) && metadata::has_finalizer(meta, FOREGROUND)
}

/// Returns the collector's plan for one object.
pub fn plan(cluster: &Cluster, kind: Kind, key: &Key) -> Plan {
    let Some(meta) = cluster.object(kind, key).map(Object::meta) else { return Plan::none() };
    if awaits_dependents(meta) {
        let uid = metadata::uid(meta);
        let blocking = cluster.dependents(uid).any(|(_, _, object)| blocks(object.meta(), uid));
        return Plan::of((!blocking).then(|| Write::release(kind, meta, FOREGROUND)));
    }
    if metadata::deleting(meta) {
        return if metadata::has_finalizer(meta, ORPHAN) { orphan(cluster, kind, meta) } else { Plan::none() };
    }
    Plan::of(collect(cluster, kind, meta))
}

fn blocks(dependent: &ObjectMeta, owner: &str) -> bool {
    metadata::owners(dependent)
        .iter()
        .any(|reference| reference.uid == owner && reference.block_owner_deletion == Some(true))
}

/// Removes the owner from its dependents' owner references, and then removes the owner's finalizer.
fn orphan(cluster: &Cluster, kind: Kind, meta: &ObjectMeta) -> Plan {
    let uid = metadata::uid(meta);
    let writes: Vec<Write> = cluster
        .dependents(uid)
        .map(|(kind, _, object)| without_owners(kind, object.meta(), |owner| owner.uid != uid))
        .take(BATCH)
        .collect();
    if writes.is_empty() {
        return Plan::of([Write::release(kind, meta, ORPHAN)]);
    }
    // The next run removes the finalizer, if the cluster state then shows no dependent with a reference to the owner.
    Plan { writes, rerun_after: Some(Duration::from_millis(100)) }
}

fn without_owners(kind: Kind, meta: &ObjectMeta, keep: impl Fn(&OwnerReference) -> bool) -> Write {
    let left: Vec<_> = metadata::owners(meta).iter().filter(|owner| keep(owner)).collect();
    Write::merge_exact(kind, meta, json!({ "metadata": { "ownerReferences": left } }))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The owner exists and does not wait for its dependents.
    Solid,
    /// The owner is being deleted and waits for its dependents.
    Waiting,
    /// The owner is deleted.
    Gone,
    /// The owner is unknown: deleted, not seen yet, or in another namespace.
    Unknown,
}

fn state(cluster: &Cluster, meta: &ObjectMeta, owner: &OwnerReference) -> State {
    match cluster.by_uid(&owner.uid).map(Object::meta) {
        Some(found) if !matches!(metadata::namespace(found), "") && found.namespace != meta.namespace => State::Unknown,
        Some(found) if awaits_dependents(found) => State::Waiting,
        Some(_) => State::Solid,
        None if cluster.is_gone(&owner.uid) => State::Gone,
        None => State::Unknown,
    }
}

/// Deletes an object whose owners are all gone, unknown or waiting for their dependents. The deletion is sent only if
/// the API server confirms that the unknown owners do not exist. If an owner remains, removes the references to the
/// owners that are gone or wait for their dependents.
fn collect(cluster: &Cluster, kind: Kind, meta: &ObjectMeta) -> Option<Write> {
    let owners = metadata::owners(meta);
    let of = |wanted: State| owners.iter().filter(move |owner| state(cluster, meta, owner) == wanted);
    if owners.is_empty() {
        return None;
    }
    if of(State::Solid).next().is_some() {
        let lost = of(State::Gone).next().is_some() || of(State::Waiting).next().is_some();
        let keep = |owner: &OwnerReference| matches!(state(cluster, meta, owner), State::Solid | State::Unknown);
        return lost.then(|| without_owners(kind, meta, keep));
    }
    let waiting = of(State::Waiting).next().is_some();
    let has_dependents = cluster.dependents(metadata::uid(meta)).next().is_some();
    let propagation = if metadata::has_finalizer(meta, ORPHAN) {
        Propagation::Orphan
    } else if metadata::has_finalizer(meta, FOREGROUND) || (waiting && has_dependents) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let unsure = of(State::Unknown).cloned().map(Guard::Owner);
    Some(Write::deletion(kind, meta, Grace::Own, propagation).unless(unsure))
}
