//! Connections, as they come out of their handshakes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::server::TlsStream;
use tracing::debug;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How many connections there are at once, with those in their handshakes. Others wait in the system's queue.
const MOST: usize = 512;

/// A pause after the system refused a connection, for one when it has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for clients.
pub struct TlsListener {
    address: SocketAddr,
    connected: Receiver<(TlsStream<TcpStream>, Place)>,
    task: JoinHandle<()>,
}

/// A connection's place among the most; it is free again when the last of it is dropped.
#[derive(Clone)]
pub struct Place {
    address: SocketAddr,
    _held: Option<Arc<OwnedSemaphorePermit>>,
}

/// Who is at the other end.
#[derive(Clone)]
pub struct Peer {
    /// Its certificate, and those that it sent to vouch for it. Nobody has looked at them yet.
    pub certificates: Arc<[CertificateDer<'static>]>,
    _place: Place,
}

impl TlsListener {
    /// Takes connections and leads them through their handshakes side by side: one that is slow holds up no other.
    ///
    /// # Errors
    /// The system does not say where it listens.
    pub fn new(listener: TcpListener, config: Arc<ServerConfig>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, connected) = channel(1);
        let task = tokio::spawn(accept(listener, TlsAcceptor::from(config), sender));
        Ok(Self { address, connected, task })
    }
}

impl Drop for TlsListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, sender: Sender<(TlsStream<TcpStream>, Place)>) {
    let places = Arc::new(Semaphore::new(MOST));
    while let Ok(held) = Arc::clone(&places).acquire_owned().await {
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                debug!("no connection: {error}");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let (acceptor, sender) = (acceptor.clone(), sender.clone());
        let place = Place { address, _held: Some(Arc::new(held)) };
        tokio::spawn(async move {
            match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                // If nobody takes it, the server has ended.
                Ok(Ok(stream)) => drop(sender.send((stream, place)).await),
                Ok(Err(error)) => debug!("handshake with {address}: {error}"),
                Err(_) => debug!("handshake with {address}: not within {HANDSHAKE:?}"),
            }
        });
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = Place;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.connected.recv().await {
            Some(connected) => connected,
            // Its task goes on for as long as this is there.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Place> {
        Ok(Place { address: self.address, _held: None })
    }
}

impl Connected<IncomingStream<'_, TlsListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TlsListener>) -> Self {
        let certificates = stream.io().get_ref().1.peer_certificates().unwrap_or_default();
        let certificates = certificates.iter().map(|certificate| certificate.clone().into_owned()).collect();
        Self { certificates, _place: stream.remote_addr().clone() }
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address.fmt(f)
    }
}
