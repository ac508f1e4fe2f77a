//! Accepts connections, performs their TLS handshakes if the server has TLS, and limits their number and duration.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tower_service::Service;
use tracing::debug;

/// The time limit of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The time limit for the head of the next request. kube-scheduler's server has the same limit for the first request.
const REQUEST_HEAD: Duration = Duration::from_secs(32);

/// The age of a request after which its connection may be closed for a new connection. The API server limits a
/// request to one minute, too.
const REQUEST: Duration = Duration::from_secs(60);

/// The pause after the system refuses a connection, for example because the process has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The client at the other end of a connection.
#[derive(Clone)]
pub struct Peer {
    /// The client's certificate and its intermediate certificates; empty if the client sent none, and without TLS. The
    /// handshake does not verify the certificates against an authority.
    pub certificates: Arc<[CertificateDer<'static>]>,
}

/// Accepts and serves connections, at most `most` at once. The future never completes. At the limit, a connection
/// without a request is closed, or else a connection whose request is too old. So idle clients can't lock out probes.
/// Without `tls`, the server speaks plain HTTP.
pub(super) async fn serve(listener: TcpListener, tls: Option<Arc<ServerConfig>>, router: Router, most: usize) {
    let acceptor = tls.map(TlsAcceptor::from);
    let places = Arc::new(Places::default());
    let mut tasks = JoinSet::new();
    let mut number = 0;
    loop {
        places.wait_for_free(most).await;
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                debug!(%error, "accepting a connection failed; trying again");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        while tasks.try_join_next().is_some() {}
        number += 1;
        let place = Place { places: Arc::clone(&places), number };
        // Hold the lock while spawning, so that the entry exists before the task can end and remove it.
        let mut open = places.lock();
        let handle = tasks.spawn(connection(stream, address, acceptor.clone(), router.clone(), place));
        open.insert(number, Connection { handle, waiting: true, since: Instant::now(), closing: false });
    }
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    place: Place,
) {
    let Some(acceptor) = acceptor else {
        return requests(stream, address, Arc::default(), router, place).await;
    };
    let stream = match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return debug!(%address, %error, "TLS handshake failed"),
        Err(_) => return debug!(%address, timeout = ?HANDSHAKE, "TLS handshake timed out"),
    };
    let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let certificates = certificates.iter().map(|certificate| certificate.clone().into_owned()).collect();
    requests(stream, address, certificates, router, place).await;
}

/// Answers the requests of a connection.
async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    address: SocketAddr,
    certificates: Arc<[CertificateDer<'static>]>,
    router: Router,
    place: Place,
) {
    let peer = Peer { certificates };
    let service = service_fn(|request| answer(&router, request, &peer, &place));
    if let Err(error) = http(REQUEST_HEAD).serve_connection(TokioIo::new(stream), service).await {
        debug!(%address, %error, "connection failed");
    }
}

/// Returns an HTTP/1.1 server. A client has the time `request_head` to send the head of its next request.
fn http(request_head: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(request_head);
    http
}

async fn answer(
    router: &Router,
    request: Request<Incoming>,
    peer: &Peer,
    place: &Place,
) -> Result<Response, Infallible> {
    place.set_waiting(false);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer.clone()));
    let answer = router.clone().call(request).await;
    place.set_waiting(true);
    answer
}

/// The open connections, by their numbers in the order of acceptance.
#[derive(Default)]
struct Places {
    open: Mutex<BTreeMap<u64, Connection>>,
    freed: Notify,
}

struct Connection {
    handle: AbortHandle,
    /// Whether the connection waits for its handshake or for a request. Otherwise the server is answering a request.
    waiting: bool,
    /// The time of the last change of `waiting`.
    since: Instant,
    /// Whether the connection's task was aborted to free a place.
    closing: bool,
}

/// The place of one connection. Dropping it frees the place.
struct Place {
    places: Arc<Places>,
    number: u64,
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when there are fewer than `most` connections (or none, if `most` is 0).
    async fn wait_for_free(&self, most: usize) {
        while !self.has_free(most.max(1)) {
            // The timeout rechecks the age of requests even if no connection ends.
            let _ = tokio::time::timeout(PAUSE, self.freed.notified()).await;
        }
    }

    /// Returns whether a place is free. If no place is free, aborts one connection. No connection is aborted if an
    /// aborted connection has not ended yet, or if all are answering requests that are not too old.
    fn has_free(&self, most: usize) -> bool {
        let mut open = self.lock();
        if open.len() < most {
            return true;
        }
        if !open.values().any(|connection| connection.closing)
            && let Some(connection) = longest_waiting(open.values_mut())
        {
            connection.closing = true;
            connection.handle.abort();
        }
        false
    }
}

/// Returns the connection to close: the connection that has waited longest for its handshake or a request, else the
/// connection with the oldest request that exceeds [`REQUEST`].
fn longest_waiting<'a>(connections: impl Iterator<Item = &'a mut Connection>) -> Option<&'a mut Connection> {
    let may_close = |connection: &&mut Connection| connection.waiting || connection.since.elapsed() > REQUEST;
    connections.filter(may_close).min_by_key(|connection| (!connection.waiting, connection.since))
}

impl Place {
    fn set_waiting(&self, waiting: bool) {
        if let Some(connection) = self.places.lock().get_mut(&self.number) {
            (connection.waiting, connection.since) = (waiting, Instant::now());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().remove(&self.number);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_without_a_request_is_closed() {
        let (_client, server) = tokio::io::duplex(1_024);
        let service = service_fn(|_| async { Ok::<_, Infallible>(Response::new(Body::empty())) });
        let connection = http(Duration::from_millis(10)).serve_connection(TokioIo::new(server), service);
        assert!(tokio::time::timeout(Duration::from_secs(30), connection).await.is_ok(), "it waits for a request");
    }
}
