//! A proxy before an API server, any API server, that has faults on demand.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use kube::Client;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::wait::{self, PATIENCE};

/// No test sends more.
const MOST_BYTES: usize = 1 << 20;

/// Headers that are between two neighbours.
const OF_THE_CONNECTION: [HeaderName; 5] =
    [header::HOST, header::AUTHORIZATION, header::CONTENT_LENGTH, header::CONNECTION, header::TRANSFER_ENCODING];

/// What is done instead of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every request is refused with this status.
    Refuse(StatusCode),
    /// Every request is done, and the connection breaks before the answer.
    LoseAnswer,
}

/// A running proxy; it ends when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    onward: Client,
    fault: Mutex<Option<Fault>>,
    /// Requests that had a fault.
    hits: watch::Sender<usize>,
    /// Counts cuts.
    cut: watch::Sender<usize>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Starts one that does what it is asked as `onward`.
    ///
    /// # Errors
    /// The system's.
    pub async fn start(onward: Client) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared =
            Shared { onward, fault: Mutex::default(), hits: watch::Sender::new(0), cut: watch::Sender::new(0) };
        let shared = Arc::new(shared);
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        // It only ends with the test.
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap_or_default() });
        Ok(Self { address, shared, task })
    }

    /// A client as Berth's own, through the proxy.
    ///
    /// # Errors
    /// None that is known.
    pub async fn client(&self) -> Result<Client> {
        let kubeconfig = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: proxy\n\
             clusters: [{{name: proxy, cluster: {{server: \"http://{}\"}}}}]\n\
             users: [{{name: proxy, user: {{}}}}]\n\
             contexts: [{{name: proxy, context: {{cluster: proxy, user: proxy}}}}]\n",
            self.address
        );
        Ok(berth::kube::connect_to(&kubeconfig).await?)
    }

    /// From now on every request has this fault. What is streaming goes on.
    pub fn begin(&self, fault: Fault) {
        *self.shared.lock() = Some(fault);
    }

    /// From now on all is well.
    pub fn end(&self) {
        *self.shared.lock() = None;
    }

    /// Breaks every answer that is streaming, as watches are, in its midst.
    pub fn cut(&self) {
        self.shared.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Waits until so many more requests had a fault.
    ///
    /// # Errors
    /// There were not as many in time.
    pub async fn until_hit(&self, times: usize) -> Result<()> {
        let what = format!("{times} requests have met the fault");
        wait::begin(&what);
        let mut hits = self.shared.hits.subscribe();
        let enough = *hits.borrow() + times;
        let hit = tokio::time::timeout(PATIENCE, hits.wait_for(|hits| *hits >= enough)).await;
        hit.with_context(|| format!("waited {PATIENCE:?} in vain until {what}"))??;
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Fault>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pass_on(&self, request: Request) -> Result<Response> {
        let (head, body) = request.into_parts();
        let bytes = axum::body::to_bytes(body, MOST_BYTES).await?;
        let mut onward = axum::http::Request::builder().method(head.method).uri(head.uri);
        for (name, value) in head.headers.iter().filter(|(name, _)| !OF_THE_CONNECTION.contains(name)) {
            onward = onward.header(name, value);
        }
        let cut = self.cut.subscribe();
        let answer = self.onward.send(onward.body(bytes.into())?).await?;
        let (mut head, body) = answer.into_parts();
        OF_THE_CONNECTION.iter().for_each(|name| drop(head.headers.remove(name)));
        Ok(Response::from_parts(head, until_cut(Body::new(body), cut)))
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let fault = *shared.lock();
    let answer = match fault {
        Some(Fault::Refuse(status)) => refusal(status),
        Some(Fault::LoseAnswer) => {
            // Done or not: the client is not to know.
            let _ = shared.pass_on(request).await;
            broken()
        }
        None => shared.pass_on(request).await.unwrap_or_else(|_| broken()),
    };
    if fault.is_some() {
        shared.hits.send_modify(|hits| *hits += 1);
    }
    answer
}

/// As an API server that is overloaded, or that has lost its etcd.
fn refusal(status: StatusCode) -> Response {
    let reason = status.canonical_reason().unwrap_or_default().replace(' ', "");
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": status.as_u16(),
        "reason": reason, "message": format!("the proxy refuses with {status}"),
    });
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::RETRY_AFTER, "1")];
    (status, headers, body.to_string()).into_response()
}

/// An answer that ends before it has begun.
fn broken() -> Response {
    Response::new(Body::from_stream(stream::once(async { Err::<Vec<u8>, _>(io::Error::other("broken on purpose")) })))
}

fn until_cut(body: Body, cut: watch::Receiver<usize>) -> Body {
    Body::from_stream(stream::unfold((body.into_data_stream(), cut), |(mut data, mut cut)| async move {
        let next = tokio::select! {
            biased;
            _ = cut.changed() => Err(io::Error::other("cut on purpose")),
            next = data.next() => next?.map_err(io::Error::other),
        };
        Some((next, (data, cut)))
    }))
}
