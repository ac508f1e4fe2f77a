//! The HTTP server for probes and scrapes.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::checks::Checks;
use super::metrics;
use super::subject::Subject;

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// The address can't be had.
#[derive(Debug, thiserror::Error)]
#[error(
    "can't listen on {address} for health and metrics: {source}; choose another address with --bind-address and --port (0 \
     is any free port)"
)]
pub struct StartError {
    address: SocketAddr,
    source: std::io::Error,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves on this address; port 0 is any free one.
    ///
    /// # Errors
    /// The address is taken, or none of this machine's.
    pub async fn start(address: SocketAddr, subject: Arc<Subject>) -> Result<Self, StartError> {
        let fail = |source| StartError { address, source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let router = router(subject);
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!("health and metrics are served no more: {error}");
            }
        });
        Ok(Self { address, task })
    }

    /// Where it serves.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn router(subject: Arc<Subject>) -> Router {
    let probe = |look: fn(&crate::scheduler::Vitals) -> Checks| {
        get(move |State(subject): State<Arc<Subject>>, RawQuery(query): RawQuery| async move {
            answer(&look(&subject.vitals), is_verbose(query.as_deref()))
        })
    };
    Router::new()
        .route("/healthz", probe(Checks::healthy))
        .route("/livez", probe(Checks::live))
        .route("/readyz", probe(Checks::ready))
        .route("/metrics", get(scrape))
        .fallback(|| async { (StatusCode::NOT_FOUND, "here are /healthz, /livez, /readyz and /metrics\n") })
        .with_state(subject)
}

fn is_verbose(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.split('&').any(|part| part == "verbose" || part.starts_with("verbose=")))
}

fn answer(checks: &Checks, verbose: bool) -> Response {
    match checks.passed() {
        true if verbose => checks.to_string().into_response(),
        true => "ok".into_response(),
        false => (StatusCode::INTERNAL_SERVER_ERROR, checks.to_string()).into_response(),
    }
}

async fn scrape(State(subject): State<Arc<Subject>>) -> Response {
    match subject.metrics().await {
        Ok(text) => ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
