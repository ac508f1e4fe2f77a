//! The HTTPS server for probes and metrics.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::join3;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

use super::access::{self, AccessError, AuthenticationOptions, AuthorizationOptions, Gate};
use super::subject::Subject;
use super::tls::{self, Certificate, TlsError};
use super::{api, connections, routes};
use berth_supervisor::Supervisor;

/// The backlog of the listening socket: the maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 128;

/// Options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on. Port 0 selects any free port.
    pub address: SocketAddr,
    /// Whether other processes may listen on the same address.
    pub sharing: Sharing,
    /// Certificates, TLS versions and cipher suites.
    pub tls: tls::Options,
    /// Authentication of clients.
    pub authentication: AuthenticationOptions,
    /// Authorization of clients.
    pub authorization: AuthorizationOptions,
    /// The maximum number of simultaneous connections. Default: 512.
    pub connections: usize,
    /// Reports the end of the server's task.
    pub supervisor: Supervisor,
}

/// Whether other processes may listen on the same address.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sharing {
    /// `--permit-port-sharing`: sets SO_REUSEPORT.
    pub port: bool,
}

impl Options {
    /// Returns options for this address, with kube-scheduler's defaults for the other flags, and at most 512
    /// connections.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            sharing: Sharing::default(),
            tls: tls::Options::default(),
            authentication: AuthenticationOptions::default(),
            authorization: AuthorizationOptions::default(),
            connections: 512,
            supervisor: Supervisor::default(),
        }
    }
}

/// A running server. Dropping it ends the server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    certificate: Arc<Certificate>,
    task: JoinHandle<()>,
}

/// The reason that the server can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The server can't listen on the address.
    #[error(
        "can't listen on {address} for health and metrics: {source}; choose another address with --bind-address and \
         --secure-port (0 serves nothing, `any` takes a free port)"
    )]
    Address {
        /// The address.
        address: SocketAddr,
        /// The I/O error.
        source: std::io::Error,
    },
    /// A certificate or a TLS flag can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A certificate authority file or kubeconfig can't be used, or the lookup in the cluster failed.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts the server in a task of its own.
    ///
    /// # Errors
    /// The address is in use or not an address of this machine, a file that a flag names can't be used, or
    /// the lookup of authorities in the cluster failed.
    pub async fn start(options: &Options, subject: Arc<Subject>) -> Result<Self, StartError> {
        let fail = |source| StartError::Address { address: options.address, source };
        let listener = listen(options).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let certificate = Arc::new(Certificate::load(&options.tls, address.ip())?);
        let config = tls::server_config(&options.tls.choice, Arc::clone(&certificate)).map_err(TlsError::Nothing)?;
        let (gate, following) = Gate::new(&options.authentication, &options.authorization).await?;
        let gated = axum::middleware::from_fn_with_state(Arc::new(gate), access::admit);
        let serving = connections::serve(
            listener,
            Some(config),
            routes::router(Arc::clone(&subject)).merge(api::router(subject, api::Rights::OfCaller)).layer(gated),
            options.connections,
        );
        let followed = Arc::clone(&certificate);
        let serving = async move {
            join3(serving, followed.follow(), following).await;
        };
        let task = tokio::spawn(options.supervisor.endless("the server of health and metrics", serving));
        Ok(Self { address, certificate, task })
    }

    /// Returns a function that returns the SHA-256 of the current certificate, in hexadecimal digits.
    pub fn fingerprint(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let certificate = Arc::clone(&self.certificate);
        move || certificate.fingerprint()
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn listen(options: &Options) -> std::io::Result<TcpListener> {
    let socket = if options.address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows a restart while connections of the previous process are in TIME_WAIT. Two processes still can't listen
    // on one address.
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    if options.sharing.port {
        socket.set_reuseport(true)?;
    }
    socket.bind(options.address)?;
    socket.listen(BACKLOG)
}
