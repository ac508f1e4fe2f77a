//! Bodies in protobuf as a real API server writes them mean to the embedded one what the same objects in JSON mean.

use axum::http::Request;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::real;
use crate::support::server;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The folder's objects, each with the path that it is posted to, and rich in what is special on the wire.
fn objects() -> Vec<(String, Value)> {
    let read: Vec<Value> = super::support::yaml(include_str!("objects.yaml")).expect("the objects are YAML");
    let path = |object: &Value| object["path"].as_str().expect("a path").to_owned();
    read.into_iter().map(|mut object| (path(&object), object["object"].take())).collect()
}

/// Creates the object in `body` without keeping it. What the server chooses at random is taken out of an answer in JSON.
async fn try_out(client: &Client, path: &str, media: &str, body: Vec<u8>, accept: &str) -> Vec<u8> {
    let request = Request::post(format!("{path}?dryRun=All&fieldValidation=Strict"))
        .header("content-type", media)
        .header("accept", accept)
        .body(Body::from(body));
    let response = client.send(request.expect("a request")).await.expect("an answer");
    let code = response.status();
    let bytes = response.into_body().collect_bytes().await.expect("a whole answer").to_vec();
    assert_eq!(code, 201, "{path}: {media}: {}", String::from_utf8_lossy(&bytes));
    bytes
}

async fn kept(client: &Client, path: &str, media: &str, body: Vec<u8>) -> Value {
    let answer = try_out(client, path, media, body, "application/json").await;
    let mut object: Value = serde_json::from_slice(&answer).expect("the answer is JSON");
    for chosen in ["uid", "creationTimestamp"] {
        object["metadata"][chosen] = Value::Null;
    }
    object
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_real_server_writes_in_protobuf_is_read_as_its_json_is() {
    if std::env::var_os("KUBEBUILDER_ASSETS").is_none() {
        eprintln!("KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver: none of their protobuf is read");
        return;
    }
    let real = real::Server::start().await;
    let real = real.client().await;
    let (_server, embedded) = server().await;
    for client in [&real, &embedded] {
        let account = json!({"metadata": {"name": "default"}}).to_string().into_bytes();
        let request =
            Request::post("/api/v1/namespaces/default/serviceaccounts").header("content-type", "application/json");
        client.send(request.body(Body::from(account)).expect("a request")).await.expect("an answer");
    }
    for (path, object) in objects() {
        let body = || object.to_string().into_bytes();
        let as_json = try_out(&real, &path, "application/json", body(), "application/json").await;
        let as_protobuf = try_out(&real, &path, "application/json", body(), PROTOBUF).await;
        assert!(as_protobuf.starts_with(b"k8s\0"), "{path}: the real server answers in protobuf");
        let expected = kept(&embedded, &path, "application/json", as_json).await;
        assert_eq!(kept(&embedded, &path, PROTOBUF, as_protobuf).await, expected, "{path}");
    }
}
