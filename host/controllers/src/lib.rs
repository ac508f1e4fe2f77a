//! Simulated kubelets and controllers, on any Kubernetes API. With this crate, an API server without controllers and
//! kubelets (`berth-sim`, or a real one) behaves like a cluster.
//!
//! In: the objects of a [`Store`], through watches; [`Options`], with the clock. Out: requests to the store that
//! create, patch, replace and delete objects.
//!
//! The controllers must never schedule pods, run containers, or use an interface other than the store's. They must
//! never read another clock than [`Options::clock`]. A controller's plan must never do I/O: the plan reads only the
//! cluster state and the time.
//!
//! - [`store`] has the trait with the requests that the controllers send, and its implementation with a kube client.
//! - [`watch`] feeds the cluster state ([`cluster`]).
//! - A change adds tasks ([`route`], [`queue`]). A task asks one controller ([`controller`]) about one object.
//! - Each controller is a function in its own module. The function does no I/O and returns writes ([`write`]), which
//!   [`send`] sends with limited concurrency.
//! - [`event_loop`] owns the cluster state and runs the controllers in one tokio task. Watches, requests and lease
//!   renewals run in other tokio tasks.

mod claim;
mod cluster;
mod collector;
mod config_map;
mod container;
mod controller;
mod cron_job;
mod daemonset;
mod deployment;
mod discovery;
mod disruption;
mod event_loop;
mod job;
mod kinds;
mod kubelet;
mod leases;
mod metadata;
mod namespace;
mod node;
mod node_lifecycle;
mod node_match;
mod objects;
mod occupied;
mod options;
mod outcome;
mod percent;
mod pod;
mod pod_claims;
mod queue;
mod replicas;
mod resource_claim;
mod resource_quota;
mod route;
mod selector;
mod send;
mod service;
mod specs;
mod statefulset;
pub mod store;
mod taint_eviction;
mod template;
mod volumes;
mod watch;
mod word;
mod write;

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the queue and the schedule take instants of any clock")]
mod tests;

use std::future::Future;
use std::sync::Arc;

pub use controller::NAMES;
pub use kubelet::{EXIT_CODE, READY_SECONDS, RESTARTS, RUN_SECONDS, START_SECONDS, STOP_SECONDS};
pub use node::KUBELET;
pub use occupied::Occupied;
pub use options::Options;
pub use store::{KubeStore, Store};

/// An error at the start of the controllers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Discovery of the API server's kinds fails.
    #[error("API discovery by the controllers failed: {0}; is the API server running, and is the token valid?")]
    Discovery(#[source] store::Error),
    /// The Leases that tell about other components can't be read.
    #[error("can't read the Leases of kube-controller-manager and of the kubelets: {0}")]
    Leases(#[source] store::Error),
    /// A component of Kubernetes runs in the cluster.
    #[error(
        "{0}; the simulated controllers would work against it, so choose an API server without controllers and kubelets"
    )]
    Occupied(Occupied),
}

/// Checks that neither kube-controller-manager nor a kubelet runs in the cluster of this store.
///
/// # Errors
/// [`Error::Occupied`] if one runs; [`Error::Leases`] if the Leases can't be read.
pub async fn check_unoccupied(store: &dyn Store, options: &Options) -> Result<(), Error> {
    match occupied::find(store, options.clock.timestamp()).await.map_err(Error::Leases)? {
        None => Ok(()),
        Some(occupied) => Err(Error::Occupied(occupied)),
    }
}

/// Runs the kubelets and controllers until `shutdown` completes. After the start, failed requests are retried and
/// logged.
///
/// # Errors
/// [`Error::Discovery`] if the first discovery fails.
pub async fn run(store: impl Store + 'static, options: Options, shutdown: impl Future) -> Result<(), Error> {
    event_loop::run(Arc::new(store), options, shutdown).await.map_err(Error::Discovery)
}
