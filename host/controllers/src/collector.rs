//! The garbage collector: what has lost its owners goes, and deletions that wait for dependents, or let them go, end.

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::{Kind, Object};
use super::metadata::{self, Key};
use super::write::{Grace, Guard, Plan, Propagation, Write};

/// The finalizer of an object that is deleted after its dependents.
const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an object that leaves its dependents behind.
const ORPHAN: &str = "orphan";
/// Dependents dealt with in one look.
const BATCH: usize = 500;

/// Whether a change to an object with this metadata can give the collector work on that object.
pub fn concerns(cluster: &Cluster, meta: &ObjectMeta) -> bool {
    let held = metadata::deleting(meta) && [FOREGROUND, ORPHAN].iter().any(|name| metadata::has_finalizer(meta, name));
    held || (!metadata::deleting(meta)
        && metadata::owners(meta).iter().any(|owner| state(cluster, meta, owner) != State::Solid))
}

/// Whether the object is waiting for its dependents to be deleted.
pub fn awaits_dependents(meta: &ObjectMeta) -> bool {
    metadata::deleting(meta) && metadata::has_finalizer(meta, FOREGROUND)
}

/// What the collector does about one object.
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
    metadata::owners(dependent).iter().any(|held| held.uid == owner && held.block_owner_deletion == Some(true))
}

/// Takes the owner out of its dependents' references, and then off the hook.
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
    // The finalizer is looked at again when the dependents are seen without the reference.
    Plan { writes, again: Some(Duration::from_millis(100)) }
}

fn without_owners(kind: Kind, meta: &ObjectMeta, keep: impl Fn(&OwnerReference) -> bool) -> Write {
    let left: Vec<_> = metadata::owners(meta).iter().filter(|owner| keep(owner)).collect();
    Write::merge_exact(kind, meta, json!({ "metadata": { "ownerReferences": left } }))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The owner is there.
    Solid,
    /// The owner is being deleted, and waits for this.
    Waiting,
    /// The owner is gone.
    Gone,
    /// The owner isn't known: it may be gone, or not yet seen.
    Unknown,
}

fn state(cluster: &Cluster, meta: &ObjectMeta, owner: &OwnerReference) -> State {
    match cluster.by_uid(&owner.uid).map(Object::meta) {
        Some(held) if !matches!(metadata::namespace(held), "") && held.namespace != meta.namespace => State::Unknown,
        Some(held) if awaits_dependents(held) => State::Waiting,
        Some(_) => State::Solid,
        None if cluster.is_gone(&owner.uid) => State::Gone,
        None => State::Unknown,
    }
}

/// Deletes an object whose owners are all gone, or drops the references to those that are.
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
