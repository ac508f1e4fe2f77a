//! An in-memory Kubernetes API server, for demonstrations, simulations and tests. kubectl, client-go, kube-rs and
//! kube-scheduler use it unchanged. Berth has its own server because no other in-memory API server in Rust works with
//! kubectl, client-go and kube-scheduler.
//!
//! In: HTTP requests on the loopback interface, with bodies in JSON, YAML or, for built-in kinds, Kubernetes'
//! protobuf. Out: JSON responses and watch streams, as kube-apiserver answers them. Tests in the same process can
//! also read the objects ([`Server::store`]) and inject [`Faults`].
//!
//! The server draws a bearer token at its start and rejects a request with another token. It accepts requests without
//! credentials, and it has no authorization: an accepted request can read and change every object. Therefore the
//! server must never listen on an address outside the loopback interface. The server writes nothing to disk. The only
//! controllers inside the server delete the content of a namespace or of a CustomResourceDefinition that is being
//! deleted. Other controllers are clients, as with any API server.
//!
//! A request passes these modules in order:
//! - [`http`] reads the request. A body in [`berth_apimachinery::protobuf`] becomes JSON there.
//! - [`request`] finds the [`resource`] in the [`registry`]: a built-in kind from the table in [`kinds`], or a custom
//!   resource from its definition in [`custom`].
//! - One of the [`verbs`] handles the request. It checks a body against the type in [`berth_apimachinery::schema`],
//!   applies a [`patch`], and applies the kind's [`rules`] ([`pods`] for pods). [`managed_fields`] records which client
//!   owns which field, and does server-side apply.
//! - For a request that creates or enlarges an object, the ResourceQuotas are asked ([`quota`]).
//! - The [`store`] keeps the object and the history that watches read.
//!
//! A [`Loader`] fills the store with the objects of another cluster, without requests.

pub mod clock;
mod clock_api;
mod custom;
mod discovery;
mod events;
pub mod failure;
mod faults;
mod http;
mod in_process;
pub mod kinds;
mod kubeconfig;
mod load;
mod managed_fields;
mod names;
mod objects;
mod openapi;
mod own_objects;
mod patch;
mod pods;
mod protobuf;
mod quota;
mod registry;
mod request;
pub mod resource;
mod reviews;
mod rules;
pub mod selectors;
pub mod state;
pub mod store;
mod table;
mod unavailable;
mod value;
mod verbs;

use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;
use tokio::task::JoinHandle;

pub use clock_api::clock_api;
pub use faults::{BindFault, Faults, WatchFault};
pub use in_process::InProcess;
pub use load::{Loaded, Loader, Refused};
pub use objects::Objects;
pub use store::Retention;

use failure::Failure;
use http::Credentials;
use state::State;

/// The options of a [`Server`].
#[derive(Debug, Clone)]
pub struct Options {
    /// The TCP port on the loopback interface. 0 chooses a free port.
    pub port: u16,
    /// The limits of the history that each collection keeps for watches and for list pages.
    pub retention: Retention,
    /// The interval between bookmarks on a watch that allows bookmarks. A bookmark is sent only if the resource
    /// version has advanced since the last event of the watch.
    pub bookmark_every: Duration,
    /// The clock of the server. Timestamps, watches and injected delays use it. The time limits of connections do
    /// not, because they concern the network.
    pub clock: Arc<dyn Clock>,
    /// The seed of the UIDs and the generated names; `None` for a random seed.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            retention: Retention::default(),
            bookmark_every: Duration::from_secs(60),
            clock: berth_clock::real(),
            seed: None,
        }
    }
}

/// An error when a server starts or stops.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server cannot listen on the port.
    #[error(
        "can't listen on port {port} of the loopback interface: {source}; choose another port, or 0 for a free one"
    )]
    Listen {
        /// The requested port.
        port: u16,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The server cannot create the initial namespaces and priority classes.
    #[error("can't create the first objects: {0}")]
    FirstObjects(#[from] Failure),
    /// The operating system has no random numbers for the bearer token.
    #[error("can't create the bearer token of the in-memory API server: {0}; is /dev/urandom available?")]
    Random(String),
    /// The server stopped without a call to [`Server::shutdown`].
    #[error("the in-memory API server ended: {0}")]
    Ended(String),
}

/// A running API server. Dropping the value stops the server and does not wait for open requests.
#[derive(Debug)]
pub struct Server {
    state: Arc<State>,
    port: u16,
    credentials: Arc<Credentials>,
    task: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server on the current tokio runtime. The server accepts requests when this function returns.
    ///
    /// # Errors
    /// [`Error::Listen`] if the port is not available; [`Error::Random`] if no token can be drawn;
    /// [`Error::FirstObjects`] if an initial object cannot be created.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let port = options.port;
        let listener = http::listen(port).await.map_err(|source| Error::Listen { port, source })?;
        let address = listener.local_addr().map_err(|source| Error::Listen { port, source })?;
        let credentials =
            Arc::new(Credentials::generate(address.ip()).map_err(|error| Error::Random(error.to_string()))?);
        let state = Arc::new(State::new(options));
        own_objects::create(&state)?;
        let task = tokio::spawn(http::serve(listener, state.clone(), credentials.clone()));
        Ok(Self { state, port: address.port(), credentials, task: Some(task) })
    }

    /// Serves paths with these prefixes through their routers, after the checks of host, origin and credentials. The
    /// server has no authorization. Later calls have no effect.
    pub fn serve_further(&self, further: Vec<(&'static str, axum::Router)>) {
        self.state.serve_further(further);
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns a kubeconfig in YAML for kubectl and other clients. The kubeconfig contains the server's bearer token.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::yaml(&self.url(), self.credentials.token())
    }

    /// Returns the server's state, so that code in the same process can read the objects.
    pub fn store(&self) -> &State {
        &self.state
    }

    /// Returns access to all objects at once.
    pub fn objects(&self) -> Objects {
        Objects::new(self.state.clone())
    }

    /// Returns the fault injection of this server.
    pub fn faults(&self) -> &Faults {
        &self.state.faults
    }

    /// Forgets the history, like a compaction of etcd: a watch or a list page that continues from a resource version
    /// before this call gets 410.
    pub fn compact(&self) {
        for resource in self.state.registry.all() {
            resource.objects.compact();
        }
    }

    /// Ends all watches, finishes the open requests, and stops the server.
    ///
    /// # Errors
    /// [`Error::Ended`] if the server had already failed.
    pub async fn shutdown(mut self) -> Result<(), Error> {
        self.state.stop();
        match self.task.take() {
            None => Ok(()),
            Some(task) => match task.await {
                Ok(()) => Ok(()),
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
