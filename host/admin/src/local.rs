//! The server for a browser on this machine: a web page and `/berth/v1`, over HTTP on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use berth_loopback::Pages;
use berth_supervisor::Supervisor;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::subject::Subject;
use super::{api, connections};
use crate::status::refuse;

/// The maximum number of simultaneous connections.
const CONNECTIONS: usize = 64;

/// A running server. Everybody who can reach the port sees all that `/berth/v1` shows. No request changes anything.
/// Dropping the server ends it.
#[derive(Debug)]
pub struct LocalServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// The server can't listen on its port.
#[derive(Debug, thiserror::Error)]
#[error(
    "can't listen on {address} for the web page: {source}; choose another port with --ui=PORT, or `any` for a free port"
)]
pub struct LocalServerError {
    address: SocketAddr,
    source: std::io::Error,
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl LocalServer {
    /// Starts the server on this port of 127.0.0.1; 0 selects any free port. `page` is the router of the web page.
    ///
    /// # Errors
    /// The port is not available.
    pub async fn start(
        port: u16,
        page: Router,
        subject: Arc<Subject>,
        supervisor: &Supervisor,
    ) -> Result<Self, LocalServerError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let fail = |source| LocalServerError { address, source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let serving = connections::serve(listener, None, router(page, subject), CONNECTIONS);
        let task = tokio::spawn(supervisor.endless("the server of the web page", serving));
        Ok(Self { address, task })
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn router(page: Router, subject: Arc<Subject>) -> Router {
    page.merge(api::router(subject, api::Rights::All)).layer(from_fn(admit))
}

/// Refuses requests of web pages of other servers.
async fn admit(request: Request, next: Next) -> Response {
    match berth_loopback::check(request.uri(), request.headers(), Pages::OfThisServer) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(StatusCode::FORBIDDEN, "Forbidden", refusal.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use tower_service::Service;

    use super::*;

    #[tokio::test]
    async fn only_pages_of_this_server_may_ask() {
        let page = Router::new().route("/ui/", get(|| async { "page" }));
        let mut router = router(page, Arc::default());
        for (host, origin, expected) in [
            ("127.0.0.1:10280", None, 200),
            ("localhost:8080", Some("http://localhost:8080"), 200),
            ("localhost:8080", Some("http://localhost:8081"), 403),
            ("localhost:8080", Some("https://example.com"), 403),
            ("example.com", None, 403),
        ] {
            for path in ["/ui/", "/berth/v1/queue"] {
                let mut request = axum::http::Request::get(path).header("host", host);
                if let Some(origin) = origin {
                    request = request.header("origin", origin);
                }
                let response = router.call(request.body(Body::empty()).expect("a request")).await.expect("no error");
                // Before the scheduler exists, questions fail.
                let served = if path == "/ui/" { 200 } else { 503 };
                let expected = if expected == 200 { served } else { expected };
                assert_eq!(response.status().as_u16(), expected, "{path} {host} {origin:?}");
            }
        }
    }
}
