//! A proxy in front of any API server. It injects faults on demand, and records binds and Lease writes.

mod fault;
mod record;
mod request;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::body::Body;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use kube::Client;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::fault::Faults;
pub use self::fault::{Fault, RequestSelector};
use self::record::Entry;
pub use self::record::{Bind, End, LeaseWrite, Record};
use self::request::RequestInfo;
use berth_test_kit::wait::{self, Look, PATIENCE};

/// The maximum size of a request body in bytes. No test sends more.
const MAX_BODY_BYTES: usize = 1 << 20;

/// The headers that belong to one connection and are not passed on.
const CONNECTION_HEADERS: [HeaderName; 5] =
    [header::HOST, header::AUTHORIZATION, header::CONTENT_LENGTH, header::CONNECTION, header::TRANSFER_ENCODING];

/// A running proxy. Dropping this value ends it.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    upstream: Client,
    faults: Faults,
    /// The number of requests that had a fault.
    hits: watch::Sender<usize>,
    /// The number of cuts.
    cut: watch::Sender<usize>,
    record: watch::Sender<Record>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Starts a proxy that passes requests on through the client `upstream`.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub async fn start(upstream: Client) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            upstream,
            faults: Faults::default(),
            hits: watch::Sender::new(0),
            cut: watch::Sender::new(0),
            record: watch::Sender::default(),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        // The server runs until the task is aborted.
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap_or_default() });
        Ok(Self { address, shared, task })
    }

    /// Returns a client through the proxy, configured as Berth's own client.
    ///
    /// # Errors
    /// Returns an error if the client can't be configured.
    pub async fn client(&self) -> Result<Client> {
        Ok(berth_kube::connect_to(&self.kubeconfig()).await?)
    }

    /// Writes a kubeconfig for a process that is to connect through the proxy. Returns its path.
    ///
    /// # Errors
    /// Returns the file system's error.
    pub fn write_kubeconfig(&self, directory: &Path) -> Result<PathBuf> {
        let path = directory.join(format!("kubeconfig-proxy-{}", self.address.port()));
        std::fs::write(&path, self.kubeconfig()).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: proxy\n\
             clusters: [{{name: proxy, cluster: {{server: \"http://{}\"}}}}]\n\
             users: [{{name: proxy, user: {{}}}}]\n\
             contexts: [{{name: proxy, context: {{cluster: proxy, user: proxy}}}}]\n",
            self.address
        )
    }

    /// Gives every request this fault from now on. Responses that are streaming continue.
    pub fn begin(&self, fault: Fault) {
        self.begin_for(RequestSelector::All, fault);
    }

    /// Gives these requests this fault from now on, instead of an earlier fault for the same selector. If several faults
    /// match a request, the fault that began first applies.
    pub fn begin_for(&self, selector: RequestSelector, fault: Fault) {
        self.shared.faults.begin(selector, fault);
    }

    /// Ends all faults, and passes held requests on.
    pub fn end(&self) {
        self.shared.faults.end();
    }

    /// Returns the requests recorded so far.
    pub fn record(&self) -> Record {
        self.shared.record.borrow().clone()
    }

    /// Calls `look` after each change of the record until `look` returns [`Look::Yes`].
    ///
    /// # Errors
    /// Returns an error if `look` did not return [`Look::Yes`] within [`PATIENCE`].
    pub async fn until<T>(&self, condition: &str, mut look: impl FnMut(&Record) -> Look<T>) -> Result<T> {
        wait::begin(condition);
        let mut record = self.shared.record.subscribe();
        let mut found = String::new();
        let yes = async {
            loop {
                match look(&record.borrow_and_update()) {
                    Look::Yes(answer) => return Ok(answer),
                    Look::NotYet(now) => found = now,
                }
                record.changed().await.context("the proxy has ended")?;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, yes).await;
        in_time.unwrap_or_else(|_| bail!("timed out after {PATIENCE:?} waiting until {condition}; last seen: {found}"))
    }

    /// Breaks every response that is streaming, such as a watch.
    pub fn cut(&self) {
        self.shared.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Waits until `times` more requests have had a fault.
    ///
    /// # Errors
    /// Returns an error if fewer requests have had a fault in time.
    pub async fn until_hit(&self, times: usize) -> Result<()> {
        let condition = format!("{times} more requests have had a fault");
        wait::begin(&condition);
        let mut hits = self.shared.hits.subscribe();
        let enough = *hits.borrow() + times;
        let hit = tokio::time::timeout(PATIENCE, hits.wait_for(|hits| *hits >= enough)).await;
        hit.with_context(|| format!("timed out after {PATIENCE:?} waiting until {condition}"))??;
        Ok(())
    }
}

impl Shared {
    async fn forward(&self, head: Parts, body: Bytes) -> Result<Response> {
        let mut forwarded = axum::http::Request::builder().method(head.method).uri(head.uri);
        for (name, value) in head.headers.iter().filter(|(name, _)| !CONNECTION_HEADERS.contains(name)) {
            forwarded = forwarded.header(name, value);
        }
        let cut = self.cut.subscribe();
        let answer = self.upstream.send(forwarded.body(body.into())?).await?;
        let (mut head, body) = answer.into_parts();
        CONNECTION_HEADERS.iter().for_each(|name| drop(head.headers.remove(name)));
        Ok(Response::from_parts(head, body_until_cut(Body::new(body), cut)))
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let request = RequestInfo::from_parts(&head);
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY_BYTES).await else { return broken_response() };
    let mut entry = Entry::begin(&shared.record, &request, &body);
    let fault = shared.faults.fault_of(&request);
    if fault.is_some() {
        shared.hits.send_modify(|hits| *hits += 1);
    }
    match fault {
        Some(Fault::Refuse(status)) => {
            entry.answered(status);
            return refusal(status);
        }
        // The task ends when the caller closes the connection.
        Some(Fault::Silence) => std::future::pending().await,
        Some(Fault::Slow(delay)) => wait::pass(delay).await,
        Some(Fault::Hold) => shared.faults.until_released(&request).await,
        Some(Fault::LoseAnswer) | None => {}
    }
    let Ok(answer) = shared.forward(head, body).await else { return broken_response() };
    entry.answered(answer.status());
    // With `LoseAnswer`, the API server has answered the request, but the client gets no answer.
    if fault == Some(Fault::LoseAnswer) { broken_response() } else { answer }
}

/// Returns a refusal like that of an API server that is overloaded, or that has lost its etcd.
fn refusal(status: StatusCode) -> Response {
    let reason = status.canonical_reason().unwrap_or_default().replace(' ', "");
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": status.as_u16(),
        "reason": reason, "message": format!("the proxy refuses with {status}"),
    });
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::RETRY_AFTER, "1")];
    (status, headers, body.to_string()).into_response()
}

/// Returns a response whose body fails at once.
fn broken_response() -> Response {
    Response::new(Body::from_stream(stream::once(async { Err::<Vec<u8>, _>(io::Error::other("broken on purpose")) })))
}

fn body_until_cut(body: Body, cut: watch::Receiver<usize>) -> Body {
    Body::from_stream(stream::unfold((body.into_data_stream(), cut), |(mut data, mut cut)| async move {
        let next = tokio::select! {
            biased;
            _ = cut.changed() => Err(io::Error::other("cut on purpose")),
            next = data.next() => next?.map_err(io::Error::other),
        };
        Some((next, (data, cut)))
    }))
}
