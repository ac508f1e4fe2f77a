//! The HTTPS server for probes and scrapes.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::join3;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

use super::access::{self, AccessError, AuthenticationOptions, AuthorizationOptions, Gate};
use super::subject::Subject;
use super::tls::{self, Certificate, TlsError};
use super::{connections, routes};
use berth_supervisor::Supervisor;

/// How connections are waited for at once.
const BACKLOG: u32 = 128;

/// Where and to whom it is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Port 0 is any free one.
    pub address: SocketAddr,
    /// With whom the address is shared.
    pub sharing: Sharing,
    /// Certificates, versions, suites.
    pub tls: tls::Options,
    /// Who asks.
    pub authentication: AuthenticationOptions,
    /// What they may.
    pub authorization: AuthorizationOptions,
    /// How many connections there may be at once. Default: 512.
    pub connections: usize,
    /// Watches over the server's task.
    pub supervisor: Supervisor,
}

/// Whether others may listen at the same place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sharing {
    /// `--permit-port-sharing`: SO_REUSEPORT.
    pub port: bool,
}

impl Options {
    /// At this address, with all else as kube-scheduler has it without flags.
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

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can't be had.
    #[error(
        "can't listen on {address} for health and metrics: {source}; choose another address with --bind-address and \
         --secure-port (0 serves nothing, `any` takes a free port)"
    )]
    Address {
        /// The address.
        address: SocketAddr,
        /// The system's word.
        source: std::io::Error,
    },
    /// Certificates or flags of TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Authorities, kubeconfigs, the lookup.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves.
    ///
    /// # Errors
    /// The address is taken, or none of this machine's; a file that flags name is not what it should be.
    pub async fn start(options: &Options, subject: Arc<Subject>) -> Result<Self, StartError> {
        let fail = |source| StartError::Address { address: options.address, source };
        let listener = listen(options).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let certificate = Arc::new(Certificate::load(&options.tls, address.ip())?);
        let config = tls::server_config(&options.tls.choice, Arc::clone(&certificate)).map_err(TlsError::Nothing)?;
        let (gate, following) = Gate::new(&options.authentication, &options.authorization).await?;
        let gated = axum::middleware::from_fn_with_state(Arc::new(gate), access::admit);
        let serving = connections::serve(listener, config, routes::router(subject).layer(gated), options.connections);
        let serving = async move {
            join3(serving, certificate.follow(), following).await;
        };
        let task = tokio::spawn(options.supervisor.endless("the server of health and metrics", serving));
        Ok(Self { address, task })
    }

    /// Where it serves.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn listen(options: &Options) -> std::io::Result<TcpListener> {
    let socket = if options.address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Where a process before has just ended; no two listen at one place by this.
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    if options.sharing.port {
        socket.set_reuseport(true)?;
    }
    socket.bind(options.address)?;
    socket.listen(BACKLOG)
}
