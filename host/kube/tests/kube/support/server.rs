//! An API server that does what a test tells it: answers in the middle of nothing, cuts a watch within a line, says 410.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use berth_core::Event;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub content_type: String,
    /// In which form it wants the answer.
    pub accept: String,
    pub body: String,
}

impl Asked {
    pub fn is_watch(&self) -> bool {
        self.query.contains("watch=")
    }

    /// A parameter of the query; empty where it is not there.
    pub fn parameter(&self, name: &str) -> &str {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next().unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// What the server does with a request.
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
    /// Nothing more comes, and nothing ends.
    Open,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self::of(status, "application/json", body.to_string())
    }

    fn of(status: u16, content_type: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, headers: vec![], bytes: bytes.into(), end: End::Complete }
    }

    /// A body in Kubernetes' protobuf.
    pub fn protobuf(status: u16, body: Vec<u8>) -> Self {
        Self::of(status, "application/vnd.kubernetes.protobuf", body)
    }

    /// A Status as the API server writes it.
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        let status = if code < 400 { "Success" } else { "Failure" };
        Self::json(
            code,
            &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": status, "message": message,
                    "reason": reason, "code": code}),
        )
    }

    /// A list of objects at this resourceVersion, with more to come where `next` is not empty.
    pub fn list(version: u32, items: &[Value], next: &str) -> Self {
        let metadata = json!({"resourceVersion": version.to_string(), "continue": next});
        Self::json(200, &json!({"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": items}))
    }

    /// The lines of a watch, after which it stays open.
    pub fn watch(events: &[Value]) -> Self {
        let text: String = events.iter().map(line).collect();
        Self { end: End::Open, ..Self::of(200, "application/json", text) }
    }

    /// The same answer, but the connection breaks after it.
    pub fn cut(self) -> Self {
        Self { end: End::Cut, ..self }
    }

    /// The same answer, properly ended.
    pub fn ended(self) -> Self {
        Self { end: End::Complete, ..self }
    }

    /// The same answer without its last `bytes`.
    pub fn without_the_last(mut self, bytes: usize) -> Self {
        self.bytes.truncate(self.bytes.len() - bytes);
        self
    }

    /// The same answer with one more header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn into_response(self) -> Response {
        let bytes = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(self.bytes))]);
        let body = match self.end {
            End::Complete => Body::from_stream(bytes),
            End::Cut => Body::from_stream(bytes.chain(futures::stream::once(async {
                // What was written is sent when the body has nothing more for a moment.
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

/// A line of a watch as API servers write it: its type before its object.
fn line(event: &Value) -> String {
    match (event.get("type"), event.get("object")) {
        (Some(kind), Some(object)) => format!("{{\"type\":{kind},\"object\":{object}}}\n"),
        _ => format!("{event}\n"),
    }
}

/// A running server.
pub struct Server {
    pub client: kube::Client,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts one that answers as told.
    pub async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let log = Arc::clone(&asked);
        let answer = Arc::new(answer);
        let handle = move |request: Request| {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            async move {
                let asked = read(request).await;
                log.lock().expect("no panic").push(asked.clone());
                Ok::<_, Infallible>(answer(&asked).into_response())
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(handle);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { client: client(&format!("http://{address}")).await, asked, task }
    }

    /// One that lists and watches as told, and says 404 to all else.
    pub async fn scripted(script: Script) -> Self {
        let script = Mutex::new(script);
        Self::start(move |asked| script.lock().expect("no panic").next(asked)).await
    }

    /// What it was asked so far, as far as the filter wants it.
    pub fn asked(&self, wanted: impl Fn(&Asked) -> bool) -> Vec<Asked> {
        self.asked.lock().expect("no panic").iter().filter(|asked| wanted(asked)).cloned().collect()
    }

    /// Waits until it was asked so often.
    pub async fn asked_times(&self, times: usize, wanted: impl Fn(&Asked) -> bool) -> Vec<Asked> {
        let enough = async {
            loop {
                let asked = self.asked(&wanted);
                if asked.len() >= times {
                    return asked;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, enough).await {
            Ok(asked) => asked,
            Err(_) => panic!("asked less than {times} times; all requests: {:#?}", self.asked(|_| true)),
        }
    }
}

async fn read(request: Request) -> Asked {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let header = |name: &str| head.headers.get(name).map(|v| v.to_str().expect("text").to_owned()).unwrap_or_default();
    Asked {
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

/// Answers to lists and watches in their order; after the last, lists are empty and watches stay open.
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

    pub fn next(&mut self, asked: &Asked) -> Reply {
        let kind = match asked.path.as_str() {
            "/api/v1/pods" => 0,
            "/api/v1/nodes" => 1,
            path => return Reply::status(404, "NotFound", &format!("no {path} here")),
        };
        if asked.is_watch() {
            self.watches[kind].pop_front().unwrap_or_else(|| Reply::watch(&[]))
        } else {
            self.lists[kind].pop_front().unwrap_or_else(|| Reply::list(1, &[], ""))
        }
    }
}

/// A pod of this name (its uid is `uid-` and the name) at this resourceVersion and priority.
pub fn pod(name: &str, version: u32, priority: i32) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"),
                     "resourceVersion": version.to_string(), "generation": 1},
        "spec": {"priority": priority, "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Pending"},
    })
}

/// A node of this name at this resourceVersion.
pub fn node(name: &str, version: u32, unschedulable: bool) -> Value {
    json!({
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string()},
        "spec": {"unschedulable": unschedulable},
    })
}

/// A line of a watch.
pub fn event(kind: &str, object: &Value) -> Value {
    json!({"type": kind, "object": object})
}

/// A bookmark at this resourceVersion.
pub fn bookmark(version: u32) -> Value {
    event("BOOKMARK", &json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": version.to_string()}}))
}

/// The line that says that the watch's resourceVersion is too old.
pub fn expired() -> Value {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                        "message": "too old resource version", "reason": "Expired", "code": 410});
    event("ERROR", &status)
}

/// The events in a line each: `+pod-a@1` (its priority), `-pod-a`, `+node-n`, `-node-n`.
pub async fn events(receiver: &mut UnboundedReceiver<Event>, count: usize) -> Vec<String> {
    let mut shown = Vec::new();
    while shown.len() < count {
        match tokio::time::timeout(PATIENCE, receiver.recv()).await {
            Ok(Some(event)) => shown.push(show(&event)),
            _ => panic!("{count} events expected, got only {shown:?}"),
        }
    }
    shown
}

/// Events that are there already.
pub fn events_now(receiver: &mut UnboundedReceiver<Event>) -> Vec<String> {
    std::iter::from_fn(|| receiver.try_recv().ok()).map(|event| show(&event)).collect()
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
