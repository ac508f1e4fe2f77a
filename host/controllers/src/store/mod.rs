//! The trait [`Store`]: the requests to a Kubernetes API that the controllers need.
//!
//! [`KubeStore`] sends the requests to an API server with a kube client. A store in the same process can implement
//! [`Store`] without a client.

mod error;
mod kube;
mod kube_watch;

use std::fmt;

use ::kube::core::params::DeleteParams;
use ::kube::core::{ApiResource, ObjectMeta};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;

pub use self::kube::KubeStore;
pub use super::kinds::{Kind, Object, Served};
pub use super::write::Strategy;
pub use error::Error;

/// A result that a store returns later.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// An object in the store, or a collection of objects.
#[derive(Clone, Debug)]
pub struct Target {
    /// The resource.
    pub resource: ApiResource,
    /// The namespace. Empty for a cluster-wide kind, and for a collection in all namespaces.
    pub namespace: String,
    /// The name. Empty for a collection.
    pub name: String,
}

impl Target {
    /// Returns the object called `name` in this namespace, or the collection if `name` is empty. A cluster-wide kind
    /// ignores the namespace.
    pub fn of(served: &Served, namespace: &str, name: &str) -> Self {
        let namespace = if served.namespaced { namespace } else { "" };
        Target { resource: served.resource.clone(), namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

/// An event of a watch.
#[derive(Debug)]
pub enum WatchEvent {
    /// A list of the kind starts. Objects that have no `Applied` before `ListFinished` no longer exist.
    ListStarted(Kind),
    /// The current state of an object.
    Applied(Object),
    /// The list of the kind is complete.
    ListFinished(Kind),
    /// The last state of an object that was deleted.
    Deleted(Object),
}

/// A Kubernetes API. Except in watch events, objects are JSON, because a store has its objects in this form.
///
/// `get`, `patch`, `replace` and `delete` return an error with the status code 404 if the object does not exist.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the kinds that the API serves, each in one version.
    fn discover(&self) -> Reply<'_, Vec<Served>>;

    /// Lists all objects of a kind, and then reports their changes. The stream does not end: after an error, the store
    /// starts a new list.
    fn watch(&self, kind: Kind, served: &Served) -> BoxStream<'static, WatchEvent>;

    /// Returns an object, as JSON text.
    fn get(&self, target: Target) -> Reply<'_, String>;

    /// Returns the metadata of at most `limit` objects of a collection.
    fn list(&self, target: Target, limit: u32) -> Reply<'_, Vec<ObjectMeta>>;

    /// Creates an object in a collection, and returns the stored object.
    fn create<'a>(&'a self, target: Target, object: &'a Value) -> Reply<'a, String>;

    /// Merges a patch into an object, or into a subresource of the object if `subresource` is not empty. Returns the
    /// stored object.
    fn patch<'a>(
        &'a self,
        target: Target,
        subresource: &'static str,
        strategy: Strategy,
        patch: &'a Value,
    ) -> Reply<'a, String>;

    /// Replaces a subresource of an object, and returns the stored object.
    fn replace<'a>(&'a self, target: Target, subresource: &'static str, object: &'a Value) -> Reply<'a, String>;

    /// Deletes an object. Returns a `Status`, or the object if its deletion waits for a grace period or finalizers.
    fn delete<'a>(&'a self, target: Target, params: &'a DeleteParams) -> Reply<'a, String>;

    /// Deletes all objects of a collection.
    fn delete_collection<'a>(&'a self, target: Target, params: &'a DeleteParams) -> Reply<'a, ()>;
}
