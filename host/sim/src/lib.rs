//! An API server in the process: Kubernetes' API over HTTP on the loopback interface, its objects in memory.
//!
//! It is for demonstrations, simulations and tests: kubectl, kube-rs and kube-scheduler work on it unchanged. It has no
//! controllers; those are clients of it, as of any other API server.
//!
//! The way of a request: [`http`] reads it (a body in [`berth_apimachinery::protobuf`] becomes JSON there), [`request`] finds its
//! [`resource`] in the [`registry`] (built-in kinds from the table in [`kinds`], others from their definitions in
//! [`custom`]), one of the [`verbs`] does what it asks. What is sent is checked against its shape in [`berth_apimachinery::schema`],
//! changed by a [`patch`], and subjected to its kind's [`rules`] (those of [`pods`] apart); then it is written to the
//! [`store`], from whose history watches read.

pub mod clock;
mod custom;
mod discovery;
mod events;
pub mod failure;
mod faults;
mod http;
pub mod kinds;
mod kubeconfig;
mod names;
mod openapi;
mod patch;
mod pods;
mod protobuf;
mod registry;
mod request;
pub mod resource;
mod reviews;
mod rules;
pub mod selectors;
pub mod state;
pub mod store;
mod table;
mod value;
mod verbs;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

pub use berth_apimachinery::schema::canonical_quantity;
pub use faults::{BindFault, Faults, WatchFault};
pub use store::Retention;

use failure::Failure;
use state::State;

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The port on the loopback interface; 0 takes a free one.
    pub port: u16,
    /// How much of the past watches and list pages can reach back to.
    pub retention: Retention,
    /// How often a watch that allows it gets a bookmark, if there is anything new to tell.
    pub bookmark_every: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 0, retention: Retention::default(), bookmark_every: Duration::from_secs(60) }
    }
}

/// Why a server could not be started or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The port is taken or may not be used.
    #[error(
        "can't listen on port {port} of the loopback interface: {source}; choose another port, or 0 for a free one"
    )]
    Listen {
        /// The port asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// The first objects could not be made.
    #[error("can't create the first objects: {0}")]
    FirstObjects(#[from] Failure),
    /// The server ended by itself.
    #[error("the embedded API server ended: {0}")]
    Ended(String),
}

/// A running API server. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct Server {
    state: Arc<State>,
    port: u16,
    task: Option<JoinHandle<std::io::Result<()>>>,
}

/// The namespaces that a new cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The priority classes that a new cluster has.
const PRIORITY_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

impl Server {
    /// Starts a server on the current tokio runtime. When this returns, it answers.
    ///
    /// # Errors
    /// Where the port can't be had.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let port = options.port;
        let listener = http::listen(port).await.map_err(|source| Error::Listen { port, source })?;
        let port = listener.local_addr().map_err(|source| Error::Listen { port, source })?.port();
        let state = Arc::new(State::new(options));
        first_objects(&state)?;
        let task = tokio::spawn(http::serve(listener, state.clone()));
        Ok(Self { state, port, task: Some(task) })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A kubeconfig in YAML, for kubectl and other clients.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::yaml(&self.url())
    }

    /// The objects, to be looked at in the process.
    pub fn store(&self) -> &State {
        &self.state
    }

    /// The switches for faults.
    pub fn faults(&self) -> &Faults {
        &self.state.faults
    }

    /// Forgets the history, as a compaction of etcd does: watches and list pages from before it are answered 410.
    pub fn compact(&self) {
        for resource in self.state.registry.all() {
            resource.objects.compact();
        }
    }

    /// Ends all watches, finishes the requests under way, and stops.
    ///
    /// # Errors
    /// Where the server had ended by itself before.
    pub async fn shutdown(mut self) -> Result<(), Error> {
        self.state.stop();
        match self.task.take() {
            None => Ok(()),
            Some(task) => match task.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(Error::Ended(error.to_string())),
                Err(error) => Err(Error::Ended(error.to_string())),
            },
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.stop();
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

fn first_objects(state: &Arc<State>) -> Result<(), Failure> {
    for name in NAMESPACES {
        put(state, "", "namespaces", json!({"metadata": {"name": name}}))?;
    }
    for (name, value) in PRIORITY_CLASSES {
        let class = json!({"metadata": {"name": name}, "value": value, "preemptionPolicy": "PreemptLowerPriority"});
        put(state, "scheduling.k8s.io", "priorityclasses", class)?;
    }
    Ok(())
}

fn put(state: &Arc<State>, group: &str, plural: &str, object: Value) -> Result<(), Failure> {
    let resource = state.registry.find(group, "v1", plural).ok_or_else(Failure::no_such_path)?;
    verbs::store_new(state, &resource, "", object, false)?;
    Ok(())
}
