//! Tests the server with a clock that stands still until the test moves it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Request;
use berth_clock::ManualClock;
use berth_sim::{BindFault, Options, Server};
use futures::FutureExt;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use berth_test_kit::wait::until_some;

use crate::support::{in_time, server_with};
use crate::watching::{Lines, open};

const HOUR: Duration = Duration::from_secs(3600);

async fn stopped_clock() -> (Arc<ManualClock>, Server, Client) {
    let clock = Arc::new(ManualClock::at("2030-01-02T03:04:05Z".parse().unwrap()));
    let (server, client) = server_with(Options { clock: clock.clone(), ..Options::default() }).await;
    (clock, server, client)
}

async fn send(client: &Client, request: axum::http::request::Builder, body: &Value) -> Value {
    let request = request.header("content-type", "application/json").body(Body::from(body.to_string().into_bytes()));
    let response = client.send(request.unwrap()).await.unwrap();
    let bytes = response.into_body().collect_bytes().await.unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn create(client: &Client, plural: &str, object: Value) -> Value {
    send(client, Request::post(format!("/api/v1/namespaces/default/{plural}")), &object).await
}

#[tokio::test(flavor = "multi_thread")]
async fn timestamps_and_ages_are_of_the_given_clock() {
    let (clock, _server, client) = stopped_clock().await;
    let map = create(&client, "configmaps", json!({"metadata": {"name": "a", "finalizers": ["example.com/a"]}})).await;
    assert_eq!(map["metadata"]["creationTimestamp"], "2030-01-02T03:04:05Z");
    clock.advance(2 * HOUR);
    let table = Request::get("/api/v1/namespaces/default/configmaps/a")
        .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    assert_eq!(send(&client, table, &json!({})).await["rows"][0]["cells"], json!(["a", 0, "120m"]));
    let deleted = send(&client, Request::delete("/api/v1/namespaces/default/configmaps/a"), &json!({})).await;
    assert_eq!(deleted["metadata"]["deletionTimestamp"], "2030-01-02T05:04:05Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn watches_end_by_the_given_clock() {
    let (clock, _server, client) = stopped_clock().await;
    let path = "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true&timeoutSeconds=3600";
    let mut lines = open(&client, path).await;
    create(&client, "configmaps", json!({"metadata": {"name": "a"}})).await;
    assert_eq!(kind(&mut lines).await, "ADDED");
    assert!(lines.next().now_or_never().is_none(), "the watch continues while the clock stands still");
    clock.advance(HOUR);
    assert_eq!(in_time("the end of the watch", lines.rest()).await, "");
}

async fn kind(lines: &mut Lines) -> String {
    let event = in_time("an event", lines.next()).await.unwrap();
    event["type"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_injected_delay_is_of_the_given_clock() {
    let (clock, server, client) = stopped_clock().await;
    create(&client, "pods", json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .await;
    server.faults().next_binding(BindFault::Slow(HOUR));
    let binding = json!({"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}});
    let mut bound = Box::pin(create(&client, "pods/p/binding", binding));
    assert!((&mut bound).now_or_never().is_none(), "the delay is an hour");
    // The delay begins when the server reads the request, so move the clock until the delay has passed.
    let status = until_some("the binding", async || {
        clock.advance(HOUR);
        (&mut bound).now_or_never()
    });
    assert_eq!(status.await["status"], "Success");
}
