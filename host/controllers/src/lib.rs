//! What a cluster's other hands do, played through the Kubernetes API by one component: with it a bare API server,
//! the embedded one or a real one without controllers and kubelets, behaves like a cluster.
//!
//! Watches ([`watch`]) feed the cluster as last seen ([`cluster`]); a change leads to tasks ([`route`], [`queue`]); a
//! task asks one controller ([`hand`]) about one object; the controller, a pure function in a file of its own, answers
//! with writes ([`write`]), which are sent concurrently but bounded ([`send`]). [`shell`] holds it all together.

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

/// Why the controllers couldn't start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server can't be asked which kinds it serves.
    #[error("the controllers can't discover what the API server serves: {0}; is it running, and is the token good?")]
    Discovery(#[source] kube::Error),
}

/// Plays the cluster's other hands until `shutdown` completes. Once it runs, failures are retried and logged.
///
/// # Errors
/// When the API server doesn't answer the first question, which is what it serves.
pub async fn run(client: Client, options: Options, shutdown: impl Future) -> Result<(), Error> {
    shell::run(client, options, shutdown).await.map_err(Error::Discovery)
}
