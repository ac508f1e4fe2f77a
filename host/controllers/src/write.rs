//! The writes that controllers request. Writes are plain data, so that tests need no API server.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::{Value, json};

use super::kinds::Kind;
use super::metadata::{self, Key};

/// The result of one run of a controller for one object.
#[derive(Debug, Default)]
pub struct Plan {
    /// The writes, which can be sent concurrently and in any order.
    pub writes: Vec<Write>,
    /// The delay until the next run, if no change causes an earlier one.
    pub rerun_after: Option<Duration>,
}

impl Plan {
    /// Returns a plan without requests.
    pub fn none() -> Self {
        Plan::default()
    }

    /// Returns a plan with these requests.
    pub fn of(writes: impl IntoIterator<Item = Write>) -> Self {
        Plan { writes: writes.into_iter().collect(), rerun_after: None }
    }

    /// Returns a plan without requests, with another run after this time.
    pub fn later(after: Duration) -> Self {
        Plan { writes: Vec::new(), rerun_after: Some(after) }
    }

    /// Requests another run after this time, unless an earlier run is requested.
    pub fn rerun_in(&mut self, after: Duration) {
        self.rerun_after = Some(self.rerun_after.map_or(after, |earlier| earlier.min(after)));
    }
}

/// One operation on the API server. All operations except [`Action::Empty`] are one request, after the requests for the
/// guards.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The object's kind.
    pub kind: Kind,
    /// The object's key. For [`Action::Create`], only the namespace.
    pub key: Key,
    /// The operation.
    pub action: Action,
    /// The write is sent only if none of these objects exists. The API server is asked about each object first, because
    /// the cluster state can be outdated.
    pub unless: Vec<Guard>,
}

/// The kind of operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// POST this object. Several creates can share one body.
    Create(Arc<Value>),
    /// PATCH the object, or its subresource.
    Patch {
        /// `status`, or empty for the object itself.
        subresource: &'static str,
        /// The patch format, which determines how lists are merged.
        strategy: Strategy,
        /// The patch. The patch contains the UID, so that the API server rejects it for another object with the same
        /// name.
        body: Value,
    },
    /// DELETE the object if it still has this UID.
    Delete {
        /// `metadata.uid` of the object.
        uid: String,
        /// The grace period.
        grace: Grace,
        /// The treatment of the object's dependents.
        propagation: Propagation,
    },
    /// Delete the objects in the namespace that [`Write::key`] names, and remove the namespace's finalizer if no
    /// objects are left.
    Empty,
}

/// The patch format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// A JSON merge patch: lists are replaced.
    Merge,
    /// A strategic merge patch: lists such as conditions and containers are merged by their keys.
    Strategic,
}

/// The grace period of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grace {
    /// The object's own grace period.
    Own,
    /// No grace period, because the containers have already stopped.
    None,
}

/// The treatment of a deleted object's dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The dependents are deleted afterwards.
    Background,
    /// The dependents are deleted first.
    Foreground,
    /// The dependents are kept.
    Orphan,
}

/// An object that must not exist.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// The owner that this reference names, in the namespace of the written object or cluster-wide.
    Owner(OwnerReference),
    /// The object with this key and, if given, this UID.
    Object(Kind, Key, Option<String>),
}

impl Write {
    /// Returns a request without guards.
    pub fn new(kind: Kind, key: Key, action: Action) -> Self {
        Write { kind, key, action, unless: Vec::new() }
    }

    /// Adds guards: the request is sent only if none of these objects exists.
    #[must_use]
    pub fn unless(mut self, guards: impl IntoIterator<Item = Guard>) -> Self {
        self.unless.extend(guards);
        self
    }

    /// POSTs `body` into `namespace`.
    pub fn create(kind: Kind, namespace: &str, body: impl Into<Arc<Value>>) -> Self {
        Write::new(kind, Key::new(namespace, ""), Action::Create(body.into()))
    }

    /// Merges `status` into the object's status. Lists are replaced.
    pub fn status(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        Write::patch(kind, meta, "status", Strategy::Merge, json!({ "status": status }))
    }

    /// Merges `status` into the object's status. Lists are merged by their keys.
    pub fn status_merged(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        Write::patch(kind, meta, "status", Strategy::Strategic, json!({ "status": status }))
    }

    /// Merges `body` into the object.
    pub fn merge(kind: Kind, meta: &ObjectMeta, body: Value) -> Self {
        Write::patch(kind, meta, "", Strategy::Merge, body)
    }

    /// Merges `body` into the object, if the object still has the resource version in `meta`. Use this for lists, which
    /// a merge patch replaces.
    pub fn merge_exact(kind: Kind, meta: &ObjectMeta, mut body: Value) -> Self {
        body["metadata"]["resourceVersion"] = json!(meta.resource_version);
        Write::patch(kind, meta, "", Strategy::Merge, body)
    }

    /// Merges `status` into the object's status, if the object still has the resource version in `meta`.
    pub fn status_exact(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        let body = json!({ "metadata": { "resourceVersion": meta.resource_version }, "status": status });
        Write::patch(kind, meta, "status", Strategy::Merge, body)
    }

    /// Removes a finalizer from the object, if the object still has the resource version in `meta`.
    pub fn release(kind: Kind, meta: &ObjectMeta, finalizer: &str) -> Self {
        let left = metadata::finalizers_without(meta, finalizer);
        Write::merge_exact(kind, meta, json!({ "metadata": { "finalizers": left } }))
    }

    /// DELETEs the object with its own grace period. Its dependents are deleted afterwards.
    pub fn delete(kind: Kind, meta: &ObjectMeta) -> Self {
        Write::deletion(kind, meta, Grace::Own, Propagation::Background)
    }

    /// DELETEs the object without a grace period.
    pub fn delete_now(kind: Kind, meta: &ObjectMeta) -> Self {
        Write::deletion(kind, meta, Grace::None, Propagation::Background)
    }

    /// DELETEs the object with this grace period and propagation.
    pub fn deletion(kind: Kind, meta: &ObjectMeta, grace: Grace, propagation: Propagation) -> Self {
        let uid = metadata::uid(meta).to_owned();
        Write::new(kind, Key::of(meta), Action::Delete { uid, grace, propagation })
    }

    fn patch(kind: Kind, meta: &ObjectMeta, subresource: &'static str, strategy: Strategy, mut body: Value) -> Self {
        body["metadata"]["uid"] = json!(meta.uid);
        Write::new(kind, Key::of(meta), Action::Patch { subresource, strategy, body })
    }
}

/// Returns the owner reference for objects that a controller creates.
pub fn owner_reference(api_version: &str, kind: Kind, meta: &ObjectMeta) -> OwnerReference {
    OwnerReference {
        api_version: api_version.to_owned(),
        kind: kind.to_string(),
        name: metadata::name(meta).to_owned(),
        uid: metadata::uid(meta).to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}
