//! Runs tables of requests with expected responses against the in-memory API server and against a real kube-apiserver.

use std::collections::BTreeMap;
use std::path::Path;

use axum::http::Request;
use berth_test_kit::wait::until_some;
use berth_test_kit::{ControlPlane, control_plane};
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::server;

/// A sequence of requests in its own namespace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    steps: Vec<Step>,
}

/// A request with its expected response. `$NS` is replaced with the case's namespace, and another `$NAME` with the
/// value that an earlier step kept under this name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The method and the path.
    send: String,
    #[serde(default)]
    body: Option<Value>,
    /// A body that is not JSON.
    #[serde(default)]
    text: Option<String>,
    /// A body that is not text, with one character for each byte.
    #[serde(default)]
    bytes: Option<String>,
    /// The media type. The default is JSON. `strategic`, `merge`, `json-patch` and `apply` are patches, and
    /// `protobuf` is Kubernetes' protobuf.
    #[serde(default, rename = "as")]
    media: Option<String>,
    #[serde(default)]
    accept: Option<String>,
    /// The expected HTTP status.
    code: u16,
    /// The expected reason of a `Status`.
    #[serde(default)]
    reason: Option<String>,
    /// A part of the expected message of a `Status`.
    #[serde(default)]
    message: Option<String>,
    /// The expected values by JSON pointer.
    #[serde(default)]
    has: BTreeMap<String, Value>,
    /// JSON pointers that must not exist.
    #[serde(default)]
    lacks: Vec<String>,
    /// The names under which values are kept for later steps, by JSON pointer.
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// Repeat the request until the response matches, for effects of background tasks.
    #[serde(default)]
    eventually: bool,
}

fn read_cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api_server/cases");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file of cases");
        let cases: Vec<Case> =
            super::support::yaml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        found.extend(cases.into_iter().map(|case| (file.clone(), case)));
    }
    found.sort_by(|a, b| (&a.0, &a.1.name).cmp(&(&b.0, &b.1.name)));
    assert!(found.len() > 30, "the tables of cases are there: {}", found.len());
    found
}

/// The kept values, by name.
type Kept = BTreeMap<String, String>;

fn fill(text: &str, kept: &Kept) -> String {
    // Replace the longest names first, so that `$UID` does not match in `$UID2`.
    let mut names: Vec<&String> = kept.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.into_iter().fold(text.to_owned(), |text, name| text.replace(&format!("${name}"), &kept[name]))
}

fn fill_value(value: &Value, kept: &Kept) -> Value {
    serde_json::from_str(&fill(&value.to_string(), kept)).expect("a filled value is JSON still")
}

struct Answer {
    code: u16,
    body: Value,
    raw: String,
}

async fn send(client: &Client, step: &Step, kept: &Kept) -> Answer {
    let line = fill(&step.send, kept);
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let media = match step.media.as_deref() {
        None => "application/json",
        Some("strategic") => "application/strategic-merge-patch+json",
        Some("merge") => "application/merge-patch+json",
        Some("json-patch") => "application/json-patch+json",
        Some("apply") => "application/apply-patch+yaml",
        Some("protobuf") => "application/vnd.kubernetes.protobuf",
        Some(other) => other,
    };
    let body = match (&step.text, &step.bytes, &step.body) {
        (Some(text), _, _) => fill(text, kept).into_bytes(),
        (None, Some(bytes), _) => {
            fill(bytes, kept).chars().map(|c| u8::try_from(c).expect("characters that are bytes")).collect()
        }
        (None, None, Some(value)) => fill_value(value, kept).to_string().into_bytes(),
        (None, None, None) => Vec::new(),
    };
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("accept", step.accept.as_deref().unwrap_or("application/json"));
    if !body.is_empty() {
        request = request.header("content-type", media);
    }
    let request = request.body(Body::from(body)).expect("a request");
    let response = client.send(request).await.unwrap_or_else(|error| panic!("{line} gets no answer: {error:?}"));
    let code = response.status().as_u16();
    let bytes = response.into_body().collect_bytes().await.expect("a whole answer");
    let raw = String::from_utf8_lossy(&bytes).into_owned();
    Answer { code, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null), raw }
}

/// Returns the differences between the response and the expectations.
fn differences(step: &Step, answer: &Answer, kept: &Kept) -> Vec<String> {
    let mut wrong = Vec::new();
    if answer.code != step.code {
        wrong.push(format!("code {} instead of {}", answer.code, step.code));
    }
    let text = |name: &str| answer.body[name].as_str().unwrap_or_default().to_owned();
    if let Some(reason) = step.reason.as_ref().filter(|reason| **reason != text("reason")) {
        wrong.push(format!("reason {:?} instead of {reason:?}", text("reason")));
    }
    if let Some(message) =
        step.message.as_ref().map(|message| fill(message, kept)).filter(|message| !text("message").contains(message))
    {
        wrong.push(format!("message {:?} lacks {message:?}", text("message")));
    }
    for (pointer, expected) in &step.has {
        let (expected, found) = (fill_value(expected, kept), answer.body.pointer(pointer));
        if found != Some(&expected) {
            wrong.push(format!("{pointer} is {} instead of {expected}", found.unwrap_or(&Value::Null)));
        }
    }
    for pointer in &step.lacks {
        if let Some(found) = answer.body.pointer(pointer) {
            wrong.push(format!("{pointer} is there: {found}"));
        }
    }
    if !wrong.is_empty() {
        wrong.push(format!("the answer was {:.1500}", answer.raw));
    }
    wrong
}

async fn run(client: &Client, case: &Case, namespace: &str) -> Result<(), String> {
    let mut kept = Kept::from([("NS".to_owned(), namespace.to_owned())]);
    prepare(client, namespace).await;
    for (index, step) in case.steps.iter().enumerate() {
        let answer = match step.eventually {
            false => send(client, step, &kept).await,
            true => {
                until_some(&step.send, async || {
                    let answer = send(client, step, &kept).await;
                    differences(step, &answer, &kept).is_empty().then_some(answer)
                })
                .await
            }
        };
        let wrong = differences(step, &answer, &kept);
        if !wrong.is_empty() {
            return Err(format!("step {} ({}):\n    {}", index + 1, step.send, wrong.join("\n    ")));
        }
        for (name, pointer) in &step.keep {
            let value =
                answer.body.pointer(pointer).unwrap_or_else(|| panic!("{}: {pointer} is to be kept", case.name));
            kept.insert(name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    Ok(())
}

/// Creates a namespace with the ServiceAccount that the admission of a real API server requires.
async fn prepare(client: &Client, namespace: &str) {
    for (path, body) in [
        ("/api/v1/namespaces".to_owned(), json!({"metadata": {"name": namespace}})),
        (format!("/api/v1/namespaces/{namespace}/serviceaccounts"), json!({"metadata": {"name": "default"}})),
    ] {
        let request = Request::post(path)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string().into_bytes()));
        let response = client.send(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.status().as_u16(), 201, "preparing {namespace}");
    }
}

async fn run_all(client: &Client) {
    let mut failed = Vec::new();
    for (index, (file, case)) in read_cases().iter().enumerate() {
        if let Err(problem) = run(client, case, &format!("case-{index}")).await {
            failed.push(format!("{file}: {}: {problem}", case.name));
        }
    }
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_server_answers_as_expected() {
    let (_server, client) = server().await;
    run_all(&client).await;
}

/// Runs the cases against a real API server, if `KUBEBUILDER_ASSETS` names a folder with its binaries. This test shows
/// that the expectations are those of kube-apiserver.
#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_answers_the_same() {
    if std::env::var_os("KUBEBUILDER_ASSETS").is_none() {
        eprintln!(
            "KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver: the expectations are not compared with theirs"
        );
        return;
    }
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    run_all(&server.client().await.expect("a client")).await;
}
