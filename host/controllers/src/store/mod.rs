//! The store that the controllers work on: what they need of a Kubernetes API.
//!
//! [`KubeStore`] is the API server behind a kube client. A store in the same process can implement [`Store`] without
//! a client.

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
    /// A list of the kind starts. Objects that the list does not contain are deleted.
    ListStarted(Kind),
    /// The current state of an object.
    Applied(Object),
    /// The list is complete.
    ListFinished(Kind),
    /// The object was deleted. This was its last state.
    Deleted(Object),
}

/// A Kubernetes API. Objects are JSON, because a store has them in this form.
///
/// Every method that reads or changes one object returns the error status 404 if the object does not exist.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the kinds that the API serves, each in one version.
    fn discover(&self) -> Reply<'_, Vec<Served>>;

    /// Lists all objects of a kind, and then reports their changes. The stream does not end: after an error, the store
    /// starts a new list.
    fn watch(&self, kind: Kind, served: &Served) -> BoxStream<'static, WatchEvent>;

    /// Returns an object.
    fn get(&self, target: Target) -> Reply<'_, String>;

    /// Returns the metadata of at most `limit` objects of a collection.
    fn list(&self, target: Target, limit: u32) -> Reply<'_, Vec<ObjectMeta>>;

    /// Creates an object in a collection, and returns the stored object.
    fn create<'a>(&'a self, target: Target, object: &'a Value) -> Reply<'a, String>;

    /// Merges a patch into an object, or into its `subresource` if that is not empty. Returns the stored object.
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
