//! Simulated kubelets and controllers, as a client of any Kubernetes API server. With them, an API server without
//! controllers and kubelets (`berth-sim`, or a real one) behaves like a cluster.
//!
//! In: the objects of the API server, through watches, and [`Options`]. Out: requests to the API server that create,
//! patch and delete objects.
//!
//! The controllers must never schedule pods, run containers, or use an interface other than the API server's. A
//! controller's plan must never do I/O: it reads only the cluster state and the clock.
//!
//! - [`watch`] feeds the cluster state ([`cluster`]).
//! - A change adds tasks ([`route`], [`queue`]). A task asks one controller ([`hand`]) about one object.
//! - The controller is a pure function in its own file. It returns writes ([`write`]), which [`send`] sends with
//!   limited concurrency.
//! - [`shell`] runs the event loop.

mod claim;
mod cluster;
mod collector;
mod daemonset;
mod deployment;
mod discovery;
mod disruption;
mod hand;
mod job;
mod kinds;
mod kubelet;
mod leases;
mod metadata;
mod namespace;
mod node;
mod node_lifecycle;
mod node_match;
mod options;
mod percent;
mod pod;
mod pod_claims;
mod queue;
mod replicas;
mod resource_claim;
mod route;
mod selector;
mod send;
mod shell;
mod statefulset;
mod store;
mod template;
mod volumes;
mod watch;
mod write;

#[cfg(test)]
mod tests;

use std::future::Future;

use kube::Client;

pub use kubelet::{EXIT_CODE, RUN_SECONDS};
pub use options::{Deletion, Options};

/// An error at the start of the controllers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Discovery of the API server's kinds fails.
    #[error("the controllers can't discover what the API server serves: {0}; is it running, and is the token good?")]
    Discovery(#[source] kube::Error),
}

/// Runs the kubelets and controllers until `shutdown` completes. After the start, failed requests are retried and
/// logged.
///
/// # Errors
/// [`Error::Discovery`] if the first discovery fails.
pub async fn run(client: Client, options: Options, shutdown: impl Future) -> Result<(), Error> {
    shell::run(client, options, shutdown).await.map_err(Error::Discovery)
}
