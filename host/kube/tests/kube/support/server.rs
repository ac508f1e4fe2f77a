//! A scripted API server: it returns given answers, breaks the connection within a line of a watch, or reports an
//! expired resourceVersion (410).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use berth_core::Event;
use berth_kube::ClusterEvent;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

/// The time limit of each wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// A received request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    pub query: String,
    pub content_type: String,
    /// The Accept header.
    pub accept: String,
    pub body: String,
}

impl ReceivedRequest {
    pub fn is_watch(&self) -> bool {
        self.query.contains("watch=")
    }

    /// Returns a parameter of the query; empty if the parameter is missing.
    pub fn parameter(&self, name: &str) -> &str {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next().unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// An answer of the server.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    content_type: &'static str,
    headers: Vec<(&'static str, String)>,
    bytes: Vec<u8>,
    end: End,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Complete,
    /// The connection breaks.
    Cut,
    /// The body stays open and brings no more data.
    Open,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self::of(status, "application/json", body.to_string())
    }

    fn of(status: u16, content_type: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, headers: vec![], bytes: bytes.into(), end: End::Complete }
    }

    /// Returns an answer with a protobuf body.
    pub fn protobuf(status: u16, body: Vec<u8>) -> Self {
        Self::of(status, "application/vnd.kubernetes.protobuf", body)
    }

    /// Returns a Status.
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        let status = if code < 400 { "Success" } else { "Failure" };
        Self::json(
            code,
            &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": status, "message": message,
                    "reason": reason, "code": code}),
        )
    }

    /// Returns a list of objects at this resourceVersion. `next` is the continue token.
    pub fn list(version: u32, items: &[Value], next: &str) -> Self {
        let metadata = json!({"resourceVersion": version.to_string(), "continue": next});
        Self::json(200, &json!({"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": items}))
    }

    /// Returns the lines of a watch that stays open.
    pub fn watch(events: &[Value]) -> Self {
        let text: String = events.iter().map(line).collect();
        Self { end: End::Open, ..Self::of(200, "application/json", text) }
    }

    /// Makes the connection break after the answer.
    pub fn cut(self) -> Self {
        Self { end: End::Cut, ..self }
    }

    /// Makes the answer end properly.
    pub fn ended(self) -> Self {
        Self { end: End::Complete, ..self }
    }

    /// Removes this number of bytes from the end of the answer's body.
    pub fn without_the_last(mut self, bytes: usize) -> Self {
        self.bytes.truncate(self.bytes.len() - bytes);
        self
    }

    /// Adds a header to the answer.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn into_response(self) -> Response {
        let bytes = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(self.bytes))]);
        let body = match self.end {
            End::Complete => Body::from_stream(bytes),
            End::Cut => Body::from_stream(bytes.chain(futures::stream::once(async {
                // Yield, so that the data is sent before the error.
                tokio::task::yield_now().await;
                Err(std::io::Error::other("cut"))
            }))),
            End::Open => Body::from_stream(bytes.chain(futures::stream::pending())),
        };
        let mut response = Response::builder().status(self.status).header("content-type", self.content_type);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(body).expect("a response")
    }
}

/// Returns a line of a watch, with the type before the object, as API servers write it.
fn line(event: &Value) -> String {
    match (event.get("type"), event.get("object")) {
        (Some(kind), Some(object)) => format!("{{\"type\":{kind},\"object\":{object}}}\n"),
        _ => format!("{event}\n"),
    }
}

/// A running server.
pub struct Server {
    pub client: kube::Client,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    /// Notifies of each request that is added to `requests`.
    received: watch::Sender<()>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server that answers each request with the result of `answer`.
    pub async fn start(answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) -> Self {
        let requests: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let log = Arc::clone(&requests);
        let received = watch::Sender::new(());
        let notify = received.clone();
        let answer = Arc::new(answer);
        let handle = move |request: Request| {
            let (log, answer, notify) = (Arc::clone(&log), Arc::clone(&answer), notify.clone());
            async move {
                let request = read(request).await;
                log.lock().expect("no panic").push(request.clone());
                notify.send_replace(());
                Ok::<_, Infallible>(answer(&request).into_response())
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(handle);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { client: client(&format!("http://{address}")).await, requests, received, task }
    }

    /// Starts a server that follows the script for lists and watches, and answers 404 to other requests.
    pub async fn scripted(script: Script) -> Self {
        let script = Mutex::new(script);
        Self::start(move |request| script.lock().expect("no panic").next(request)).await
    }

    /// Returns the requests so far that match the filter.
    pub fn requests(&self, wanted: impl Fn(&ReceivedRequest) -> bool) -> Vec<ReceivedRequest> {
        self.requests.lock().expect("no panic").iter().filter(|request| wanted(request)).cloned().collect()
    }

    /// Waits until at least `times` requests match the filter. Returns all requests that match.
    pub async fn wait_for_requests(
        &self,
        times: usize,
        wanted: impl Fn(&ReceivedRequest) -> bool,
    ) -> Vec<ReceivedRequest> {
        let mut received = self.received.subscribe();
        let enough = received.wait_for(|()| self.requests(&wanted).len() >= times);
        let in_time = tokio::time::timeout(PATIENCE, enough).await.is_ok();
        assert!(in_time, "fewer than {times} requests match; all requests: {:#?}", self.requests(|_| true));
        self.requests(&wanted)
    }
}

async fn read(request: Request) -> ReceivedRequest {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let header = |name: &str| head.headers.get(name).map(|v| v.to_str().expect("text").to_owned()).unwrap_or_default();
    ReceivedRequest {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        content_type: header("content-type"),
        accept: header("accept"),
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

async fn client(address: &str) -> kube::Client {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kubeconfig");
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": address}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    });
    std::fs::write(&file, text.to_string()).expect("written");
    berth_kube::connect(Some(&file)).await.expect("a client")
}

/// Answers to lists and watches, in order: of pods at index 0, of nodes at index 1. After the last answer, lists are
/// empty, and watches stay open without events.
#[derive(Default)]
pub struct Script {
    lists: [VecDeque<Reply>; 2],
    watches: [VecDeque<Reply>; 2],
}

impl Script {
    pub fn pods(mut self, lists: impl IntoIterator<Item = Reply>, watches: impl IntoIterator<Item = Reply>) -> Self {
        self.lists[0].extend(lists);
        self.watches[0].extend(watches);
        self
    }

    pub fn nodes(mut self, lists: impl IntoIterator<Item = Reply>, watches: impl IntoIterator<Item = Reply>) -> Self {
        self.lists[1].extend(lists);
        self.watches[1].extend(watches);
        self
    }

    pub fn next(&mut self, request: &ReceivedRequest) -> Reply {
        let kind = match request.path.as_str() {
            "/api/v1/pods" => 0,
            "/api/v1/nodes" => 1,
            path => return Reply::status(404, "NotFound", &format!("no {path} here")),
        };
        if request.is_watch() {
            self.watches[kind].pop_front().unwrap_or_else(|| Reply::watch(&[]))
        } else {
            self.lists[kind].pop_front().unwrap_or_else(|| Reply::list(1, &[], ""))
        }
    }
}

/// Returns a pod with this name, resourceVersion and priority. Its uid is `uid-` and the name.
pub fn pod(name: &str, version: u32, priority: i32) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"),
                     "resourceVersion": version.to_string(), "generation": 1},
        "spec": {"priority": priority, "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Pending"},
    })
}

/// Returns a node with this name and resourceVersion.
pub fn node(name: &str, version: u32, unschedulable: bool) -> Value {
    json!({
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string()},
        "spec": {"unschedulable": unschedulable},
    })
}

/// Returns the JSON of one line of a watch.
pub fn event(kind: &str, object: &Value) -> Value {
    json!({"type": kind, "object": object})
}

/// Returns a bookmark with this resourceVersion.
pub fn bookmark(version: u32) -> Value {
    event("BOOKMARK", &json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": version.to_string()}}))
}

/// Returns the line of a watch that reports an expired resourceVersion (410).
pub fn expired() -> Value {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                        "message": "too old resource version", "reason": "Expired", "code": 410});
    event("ERROR", &status)
}

/// Waits for `count` events and returns them as text: `+a@1` (pod a with priority 1), `+a@1 on n` (assigned to node n),
/// `-a`, `+node n`, `-node n`, and others as in [`show`].
pub async fn events(receiver: &mut UnboundedReceiver<ClusterEvent>, count: usize) -> Vec<String> {
    let mut shown = Vec::new();
    while shown.len() < count {
        match tokio::time::timeout(PATIENCE, receiver.recv()).await {
            Ok(Some(received)) => shown.push(show(&received.event)),
            _ => panic!("{count} events expected, got only {shown:?}"),
        }
    }
    shown
}

/// Returns the events that are in the channel already.
pub fn events_now(receiver: &mut UnboundedReceiver<ClusterEvent>) -> Vec<String> {
    std::iter::from_fn(|| receiver.try_recv().ok()).map(|received| show(&received.event)).collect()
}

fn show(event: &Event) -> String {
    match event {
        Event::PodSet(pod) if pod.node_name.is_empty() => format!("+{}@{}", pod.key.name, pod.spec.priority),
        Event::PodSet(pod) => format!("+{}@{} on {}", pod.key.name, pod.spec.priority, pod.node_name),
        Event::PodRemoved(pod) => format!("-{}", pod.name),
        Event::NodeSet(node) => format!("+node {}{}", node.name, if node.unschedulable { " cordoned" } else { "" }),
        Event::NodeRemoved(name) => format!("-node {name}"),
        Event::Bound(pod) => format!("bound {}", pod.name),
        Event::BindFailed(pod, reason) => format!("not bound {}: {reason}", pod.name),
        other => format!("{other:?}"),
    }
}
