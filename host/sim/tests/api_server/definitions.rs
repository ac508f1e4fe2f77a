//! Tests the deletion of CustomResourceDefinitions.

use axum::http::Request;
use berth_test_kit::wait::until_some;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::{in_time, server};
use crate::watching::open;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";
const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

async fn send(client: &Client, method: &str, path: &str, body: Value) -> (u16, Value) {
    let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = Request::builder().method(method).uri(path).header("content-type", media);
    let response = client.send(request.body(Body::from(body.into_bytes())).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let bytes = response.into_body().collect_bytes().await.unwrap();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn thing(name: &str, finalizers: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name, "finalizers": finalizers}})
}

async fn define(client: &Client) {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let body = json!({"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]}});
    let (code, answer) = send(client, "POST", DEFINITIONS, body).await;
    assert_eq!(code, 201, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_is_removed_after_its_objects() {
    let (_server, client) = server().await;
    define(&client).await;
    for (name, finalizers) in [("free", json!([])), ("held", json!(["example.com/hold"]))] {
        let (code, answer) = send(&client, "POST", THINGS, thing(name, finalizers)).await;
        assert_eq!(code, 201, "{answer}");
    }
    let mut lines = open(&client, &format!("{THINGS}?watch=1")).await;

    let (code, answer) = send(&client, "DELETE", DEFINITION, Value::Null).await;
    assert_eq!((code, &answer["metadata"]["finalizers"]), (200, &json!([FINALIZER])), "{answer}");
    until_some("the object without finalizers is deleted", async || {
        (send(&client, "GET", &format!("{THINGS}/free"), Value::Null).await.0 == 404).then_some(())
    })
    .await;
    until_some("the other object is being deleted", async || {
        let (_, answer) = send(&client, "GET", &format!("{THINGS}/held"), Value::Null).await;
        answer["metadata"].get("deletionTimestamp").map(|_| ())
    })
    .await;
    let (code, answer) = send(&client, "GET", DEFINITION, Value::Null).await;
    assert!(code == 200 && answer["status"]["conditions"][2]["type"] == "Terminating", "{answer}");
    let (code, answer) = send(&client, "POST", THINGS, thing("late", json!([]))).await;
    let why = "create not allowed while custom resource definition is terminating";
    assert!(code == 403 && answer["message"].as_str().is_some_and(|message| message.ends_with(why)), "{answer}");
    let (_, discovered) = send(&client, "GET", "/apis/example.com/v1", Value::Null).await;
    assert_eq!(discovered["resources"][0]["verbs"], json!(["delete", "deletecollection", "get", "list", "watch"]));

    let free = json!({"metadata": {"finalizers": null}});
    let (code, answer) = send(&client, "PATCH", &format!("{THINGS}/held"), free).await;
    assert_eq!(code, 200, "{answer}");
    until_some("the definition is gone", async || {
        (send(&client, "GET", DEFINITION, Value::Null).await.0 == 404).then_some(())
    })
    .await;
    let mut deleted = Vec::new();
    while let Some(event) = in_time("the end of the watch", lines.next()).await {
        if event["type"] == "DELETED" {
            deleted.push(event["object"]["metadata"]["name"].clone());
        }
    }
    assert_eq!(deleted, ["free", "held"]);
    assert_eq!(send(&client, "GET", THINGS, Value::Null).await.0, 404);
    assert_eq!(send(&client, "GET", "/apis/example.com", Value::Null).await.0, 404);

    // The definition is created again and starts without objects.
    define(&client).await;
    let (code, answer) = send(&client, "GET", THINGS, Value::Null).await;
    assert_eq!((code, &answer["items"]), (200, &json!([])));
}
