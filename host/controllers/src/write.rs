//! What the controllers want done: plain data, so that deciding it needs no server.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use serde_json::{Value, json};

use super::kinds::Kind;
use super::metadata::{self, Key};

/// What one look at one object leads to.
#[derive(Debug, Default)]
pub struct Plan {
    /// Requests; they may be sent in any order and at once.
    pub writes: Vec<Write>,
    /// Look again after this time even if nothing changes.
    pub again: Option<Duration>,
}

impl Plan {
    /// Nothing to do.
    pub fn none() -> Self {
        Plan::default()
    }

    /// These requests.
    pub fn of(writes: impl IntoIterator<Item = Write>) -> Self {
        Plan { writes: writes.into_iter().collect(), again: None }
    }

    /// Nothing to do before this time has passed.
    pub fn later(after: Duration) -> Self {
        Plan { writes: Vec::new(), again: Some(after) }
    }

    /// Look again after this time, or earlier if that was wanted before.
    pub fn again_in(&mut self, after: Duration) {
        self.again = Some(self.again.map_or(after, |held| held.min(after)));
    }
}

/// One request to the API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The object's kind.
    pub kind: Kind,
    /// The object's key; of an object to be created under a generated name only the namespace.
    pub key: Key,
    /// What is done to it.
    pub action: Action,
    /// Objects that must not exist: they are asked for first, as the cluster as seen may lag behind.
    pub unless: Vec<Guard>,
}

/// What a request does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// POST this object. Many creates may share one body.
    Create(Arc<Value>),
    /// PATCH the object, or its subresource.
    Patch {
        /// `status`, or empty for the object itself.
        subresource: &'static str,
        /// How lists are merged.
        strategy: Strategy,
        /// The patch, which names the uid, so that it can't hit a namesake.
        body: Value,
    },
    /// DELETE the object if its uid is still this one.
    Delete {
        /// `metadata.uid` of the object that is meant.
        uid: String,
        /// What happens to the grace that the object has.
        grace: Grace,
        /// What happens to its dependents.
        propagation: Propagation,
    },
    /// Delete everything that is in this namespace and, once there is nothing, let it go.
    Empty,
}

/// How a patch is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// JSON merge patch: lists are replaced.
    Merge,
    /// Strategic merge patch: lists of conditions, containers and so on are merged by their keys.
    Strategic,
}

/// The grace of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grace {
    /// As the object says.
    Own,
    /// None: what runs is gone already.
    None,
}

/// What a deletion does to the object's dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted afterwards.
    Background,
    /// They are deleted before.
    Foreground,
    /// They stay.
    Orphan,
}

/// An object that must not exist.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// The owner that this reference names, in the written object's namespace or without one.
    Owner(OwnerReference),
    /// The object with this key; if a uid is given, only with that.
    Object(Kind, Key, Option<String>),
}

impl Write {
    /// A request without guards.
    pub fn new(kind: Kind, key: Key, action: Action) -> Self {
        Write { kind, key, action, unless: Vec::new() }
    }

    /// The same request, sent only if this doesn't exist.
    #[must_use]
    pub fn unless(mut self, guards: impl IntoIterator<Item = Guard>) -> Self {
        self.unless.extend(guards);
        self
    }

    /// POST `body` into `namespace`.
    pub fn create(kind: Kind, namespace: &str, body: impl Into<Arc<Value>>) -> Self {
        Write::new(kind, Key::new(namespace, ""), Action::Create(body.into()))
    }

    /// Merge `status` into the object's status; its lists are replaced.
    pub fn status(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        Write::patch(kind, meta, "status", Strategy::Merge, json!({ "status": status }))
    }

    /// Merge `status` into the object's status; its lists are merged by their keys.
    pub fn status_merged(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        Write::patch(kind, meta, "status", Strategy::Strategic, json!({ "status": status }))
    }

    /// Merge `body` into the object.
    pub fn merge(kind: Kind, meta: &ObjectMeta, body: Value) -> Self {
        Write::patch(kind, meta, "", Strategy::Merge, body)
    }

    /// Merge `body` into the object if nobody has written it since; for lists, which a merge replaces.
    pub fn merge_exact(kind: Kind, meta: &ObjectMeta, mut body: Value) -> Self {
        body["metadata"]["resourceVersion"] = json!(meta.resource_version);
        Write::patch(kind, meta, "", Strategy::Merge, body)
    }

    /// Merge `status` into the object's status if nobody has written it since.
    pub fn status_exact(kind: Kind, meta: &ObjectMeta, status: Value) -> Self {
        let body = json!({ "metadata": { "resourceVersion": meta.resource_version }, "status": status });
        Write::patch(kind, meta, "status", Strategy::Merge, body)
    }

    /// Takes a finalizer off the object.
    pub fn release(kind: Kind, meta: &ObjectMeta, finalizer: &str) -> Self {
        let left = metadata::finalizers_without(meta, finalizer);
        Write::merge_exact(kind, meta, json!({ "metadata": { "finalizers": left } }))
    }

    /// DELETE the object with its own grace; its dependents follow.
    pub fn delete(kind: Kind, meta: &ObjectMeta) -> Self {
        Write::deletion(kind, meta, Grace::Own, Propagation::Background)
    }

    /// DELETE the object at once.
    pub fn delete_now(kind: Kind, meta: &ObjectMeta) -> Self {
        Write::deletion(kind, meta, Grace::None, Propagation::Background)
    }

    /// DELETE with everything said.
    pub fn deletion(kind: Kind, meta: &ObjectMeta, grace: Grace, propagation: Propagation) -> Self {
        let uid = metadata::uid(meta).to_owned();
        Write::new(kind, Key::of(meta), Action::Delete { uid, grace, propagation })
    }

    fn patch(kind: Kind, meta: &ObjectMeta, subresource: &'static str, strategy: Strategy, mut body: Value) -> Self {
        body["metadata"]["uid"] = json!(meta.uid);
        Write::new(kind, Key::of(meta), Action::Patch { subresource, strategy, body })
    }
}

/// The owner reference by which a controller marks what it made.
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
