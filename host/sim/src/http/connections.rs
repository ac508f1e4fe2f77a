//! Accepts connections and serves HTTP/1.1 on them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::state::State;

/// The time limit for the head of a client's next request. Clients such as kubectl, client-go and kube-rs close an
/// idle connection after 90 s. The server's limit is longer, so that the server does not close a connection on which
/// a client is about to send a request.
const REQUEST_HEAD: Duration = Duration::from_secs(120);

/// The pause after `accept` fails, for example because the process has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` until the state is stopped and the last connection has ended. The time limits are real time,
/// because they concern the network.
#[expect(clippy::disallowed_methods, reason = "the network is in real time")]
pub async fn serve(listener: TcpListener, router: Router, state: Arc<State>) {
    let mut stopped = pin!(state.stopped());
    // Dropping the set ends the connections.
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(open.spawn(connection(stream, router.clone(), state.stopped()))),
                Err(error) => {
                    tracing::debug!(%error, "cannot accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = open.join_next() => {}
            () = &mut stopped => break,
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Serves one connection. When the server stops, the connection ends after the current response.
async fn connection(stream: TcpStream, router: Router, stopped: impl Future<Output = ()>) {
    // Watch events are small and must not wait for more data, so disable Nagle's algorithm.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut serving = pin!(http(REQUEST_HEAD).serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = stopped => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection failed");
    }
}

/// Returns HTTP/1.1 with this time limit for the head of a request.
fn http(request_head: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(request_head);
    http
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the network is in real time")]
    async fn a_connection_without_a_request_ends() {
        let (_client, server) = tokio::io::duplex(1_024);
        let service = TowerToHyperService::new(Router::new());
        let connection = http(Duration::from_millis(10)).serve_connection(TokioIo::new(server), service);
        assert!(tokio::time::timeout(Duration::from_secs(30), connection).await.is_ok(), "it waits for a request");
    }
}
