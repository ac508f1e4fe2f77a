//! Tests that the in-memory API server reads protobuf bodies of a real API server as the same objects as in JSON.

use axum::http::Request;
use berth_test_kit::{ControlPlane, control_plane};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::server;

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Returns the objects of `objects.yaml` with the paths to which they are posted. The objects cover the
/// special encodings of protobuf.
fn objects() -> Vec<(String, Value)> {
    let read: Vec<Value> = super::support::yaml(include_str!("objects.yaml")).expect("the objects are YAML");
    let path = |object: &Value| object["path"].as_str().expect("a path").to_owned();
    read.into_iter().map(|mut object| (path(&object), object["object"].take())).collect()
}

/// Posts a body with media type `media`, and accepts `accept` as the response.
async fn post(client: &Client, path: &str, media: &str, body: Vec<u8>, accept: &str) -> (u16, Vec<u8>) {
    let request = Request::post(path).header("content-type", media).header("accept", accept).body(Body::from(body));
    let response = client.send(request.expect("a request")).await.expect("an answer");
    let code = response.status().as_u16();
    (code, response.into_body().collect_bytes().await.expect("a whole answer").to_vec())
}

/// Creates an object as a dry run, and returns the response.
async fn try_out(client: &Client, path: &str, media: &str, body: Vec<u8>, accept: &str) -> Result<Vec<u8>, String> {
    match post(client, &format!("{path}?dryRun=All&fieldValidation=Strict"), media, body, accept).await {
        (201, answer) => Ok(answer),
        (code, answer) => Err(format!("{path}: {media}: {code}: {}", String::from_utf8_lossy(&answer))),
    }
}

/// Creates an object as a dry run, and returns the object without the fields that the server generates.
async fn tried_out(client: &Client, path: &str, media: &str, body: Vec<u8>) -> Result<Value, String> {
    let answer = try_out(client, path, media, body, JSON).await?;
    let mut object: Value = serde_json::from_slice(&answer).map_err(|error| format!("{path}: {error}"))?;
    for chosen in ["uid", "creationTimestamp"] {
        object["metadata"][chosen] = Value::Null;
    }
    // The real server writes the time of each of the two requests, which can be different seconds.
    for managed in object["metadata"]["managedFields"].as_array_mut().into_iter().flatten() {
        managed["time"] = Value::Null;
    }
    Ok(object)
}

async fn compare(real: &Client, embedded: &Client, path: &str, object: &Value) -> Result<(), String> {
    let body = || object.to_string().into_bytes();
    let as_json = try_out(real, path, JSON, body(), JSON).await?;
    let as_protobuf = try_out(real, path, JSON, body(), PROTOBUF).await?;
    if !as_protobuf.starts_with(b"k8s\0") {
        return Err(format!("{path}: the real server doesn't answer in protobuf"));
    }
    let expected = tried_out(embedded, path, JSON, as_json).await?;
    let found = tried_out(embedded, path, PROTOBUF, as_protobuf).await?;
    match found == expected {
        true => Ok(()),
        false => Err(format!("{path}: {found}\n    instead of {expected}")),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protobuf_of_a_real_server_equals_its_json() {
    if std::env::var_os("KUBEBUILDER_ASSETS").is_none() {
        eprintln!("KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver: none of their protobuf is read");
        return;
    }
    let real = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    let real = real.client().await.expect("a client");
    let (_server, embedded) = server().await;
    let account = json!({"metadata": {"name": "default"}}).to_string().into_bytes();
    let (code, _) = post(&real, "/api/v1/namespaces/default/serviceaccounts", JSON, account, JSON).await;
    assert_eq!(code, 201, "the real server's admission wants a service account");
    let mut failed = Vec::new();
    for (path, object) in objects() {
        failed.extend(compare(&real, &embedded, &path, &object).await.err());
    }
    assert!(failed.is_empty(), "{} objects differ:\n{}", failed.len(), failed.join("\n"));
}

/// This test does not compare the response with a real API server, because kube-apiserver v1.36 closes the connection.
#[tokio::test(flavor = "multi_thread")]
async fn custom_resources_have_no_protobuf() {
    let (_server, client) = server().await;
    let (path, definition) = objects().pop().expect("the last object is a definition");
    let (code, answer) = post(&client, &path, JSON, definition.to_string().into_bytes(), JSON).await;
    assert_eq!(code, 201, "{}", String::from_utf8_lossy(&answer));
    let (code, answer) =
        post(&client, "/apis/example.com/v1/namespaces/default/things", PROTOBUF, b"k8s\0".to_vec(), JSON).await;
    let answer: Value = serde_json::from_slice(&answer).expect("a Status");
    assert_eq!((code, answer["reason"].as_str()), (415, Some("UnsupportedMediaType")), "{answer}");
}
