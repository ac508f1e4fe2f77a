//! Tests watches in their wire format.

use std::time::Duration;

use axum::http::Request;
use berth_sim::{Options, Retention};
use futures::{AsyncBufReadExt, TryStreamExt};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::{in_time, server, server_with};

/// The events of a watch, one in each line.
pub struct Lines {
    inner: std::pin::Pin<Box<dyn futures::AsyncBufRead + Send>>,
}

impl Lines {
    /// Returns the next event; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.inner.read_line(&mut line).await.expect("the stream can be read") {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))),
        }
    }

    /// Returns the rest of the stream as text.
    pub async fn rest(&mut self) -> String {
        use futures::AsyncReadExt;
        let mut text = String::new();
        self.inner.read_to_string(&mut text).await.expect("the stream can be read");
        text
    }
}

/// Opens a watch.
pub async fn open(client: &Client, path: &str) -> Lines {
    let response = client.send(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status().as_u16(), 200, "{path}");
    let stream = response.into_body().into_data_stream().map_err(std::io::Error::other);
    Lines { inner: Box::pin(stream.into_async_read()) }
}

fn configs(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), "default")
}

async fn create(client: &Client, name: &str, labels: Value) {
    let map = serde_json::from_value(json!({"metadata": {"name": name, "labels": labels}})).unwrap();
    configs(client).create(&PostParams::default(), &map).await.unwrap();
}

async fn label(client: &Client, name: &str, value: Value) {
    let patch = Patch::Merge(json!({"metadata": {"labels": {"x": value}}}));
    configs(client).patch(name, &PatchParams::default(), &patch).await.unwrap();
}

fn brief(event: &Value) -> (String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &event["object"]["metadata"];
    (text(&event["type"]), text(&metadata["name"]), text(&metadata["labels"]["x"]))
}

fn expect(kind: &str, name: &str, label: &str) -> (String, String, String) {
    (kind.to_owned(), name.to_owned(), label.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_enter_and_leave_a_selection() {
    let (_server, client) = server().await;
    create(&client, "a", json!({"x": "1"})).await;
    create(&client, "b", json!({"x": "2"})).await;
    let mut lines = open(&client, "/api/v1/namespaces/default/configmaps?watch=1&labelSelector=x%3D1").await;
    assert_eq!(brief(&in_time("a", lines.next()).await.unwrap()), expect("ADDED", "a", "1"));
    label(&client, "b", json!("1")).await;
    label(&client, "b", json!("1")).await; // changes nothing, so the watch sends no event
    label(&client, "a", json!("2")).await;
    label(&client, "a", json!("3")).await; // did not match before this change either, so the watch sends no event
    configs(&client).patch("b", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "v"}}))).await.unwrap();
    configs(&client).delete("b", &DeleteParams::default()).await.unwrap();
    for expected in [
        expect("ADDED", "b", "1"),
        // The event contains the last state that matched, with the resource version of the change that ended the
        // match.
        expect("DELETED", "a", "1"),
        expect("MODIFIED", "b", "1"),
        expect("DELETED", "b", "1"),
    ] {
        assert_eq!(brief(&in_time("an event", lines.next()).await.unwrap()), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_list_ends_its_initial_events_with_a_bookmark() {
    let (_server, client) =
        server_with(Options { bookmark_every: Duration::from_millis(20), ..Options::default() }).await;
    create(&client, "a", json!({})).await;
    let path = "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    let mut lines = open(&client, path).await;
    assert_eq!(brief(&in_time("a", lines.next()).await.unwrap()), expect("ADDED", "a", ""));
    let bookmark = in_time("the bookmark", lines.next()).await.unwrap();
    assert_eq!((&bookmark["type"], &bookmark["object"]["kind"]), (&json!("BOOKMARK"), &json!("ConfigMap")));
    assert_eq!(bookmark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    // Changes of other kinds increase the resource version, and bookmarks report it.
    let first: u64 = bookmark["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    let spaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(client.clone());
    spaces
        .create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "n"}})).unwrap())
        .await
        .unwrap();
    let later = in_time("a later bookmark", lines.next()).await.unwrap();
    let second: u64 = later["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    assert!(later["type"] == "BOOKMARK" && second > first, "{later}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_from_a_compacted_version_expires() {
    let (server, client) =
        server_with(Options { retention: Retention { changes: 3, bytes: 1 << 20 }, ..Options::default() }).await;
    for name in ["a", "b", "c", "d", "e"] {
        create(&client, name, json!({})).await;
    }
    let mut lines = open(&client, "/api/v1/configmaps?watch=1&resourceVersion=2").await;
    let gone = in_time("the error", lines.next()).await.unwrap();
    assert_eq!(
        (&gone["type"], &gone["object"]["code"], &gone["object"]["reason"]),
        (&json!("ERROR"), &json!(410), &json!("Expired"))
    );
    assert!(lines.next().await.is_none(), "the watch ends with the error");
    // A continue token from before a compaction is expired too.
    let page = configs(&client).list(&kube::api::ListParams::default().limit(1)).await.unwrap();
    let token = page.metadata.continue_.unwrap();
    create(&client, "f", json!({})).await;
    server.compact();
    let next = configs(&client).list(&kube::api::ListParams::default().limit(1).continue_token(&token)).await;
    match next.unwrap_err() {
        kube::Error::Api(status) => assert_eq!((status.code, status.reason.as_str()), (410, "Expired")),
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_an_earlier_server_are_too_old() {
    let (earlier, client) = server().await;
    create(&client, "a", json!({})).await;
    let version = configs(&client).get("a").await.unwrap().metadata.resource_version.unwrap();
    in_time("the earlier server's end", earlier.shutdown()).await.unwrap();
    let (_server, client) = server().await;
    // After these changes, the later server has made more changes than the earlier server. The earlier server's version
    // is too old nevertheless, because the later server started with a higher version.
    for name in ["a", "b", "c"] {
        create(&client, name, json!({})).await;
    }
    let mut lines = open(&client, &format!("/api/v1/configmaps?watch=1&resourceVersion={version}")).await;
    let gone = in_time("the error", lines.next()).await.unwrap();
    assert_eq!((&gone["type"], &gone["object"]["code"]), (&json!("ERROR"), &json!(410)), "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_from_a_future_version_is_rejected() {
    let (_server, client) = server().await;
    let rule = "&resourceVersionMatch=NotOlderThan";
    for (more, expected) in [
        ("".to_owned(), (410, "Expired")),
        (format!("&sendInitialEvents=false{rule}"), (410, "Expired")),
        (format!("&sendInitialEvents=true{rule}"), (504, "Timeout")),
    ] {
        let path = format!("/api/v1/configmaps?watch=1&resourceVersion={}{more}", u64::MAX / 2);
        let mut lines = open(&client, &path).await;
        let error = in_time("the error", lines.next()).await.unwrap();
        assert_eq!(error["type"], "ERROR", "{error}");
        let object = &error["object"];
        assert_eq!((&object["code"], &object["reason"]), (&json!(expected.0), &json!(expected.1)), "{error}");
        let cause = &object["details"]["causes"][0]["reason"];
        assert_eq!(cause == "ResourceVersionTooLarge", expected.0 == 504, "{error}");
        assert!(lines.next().await.is_none(), "the watch ends with the error");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watches_end_in_time_and_with_the_server() {
    let (server, client) = server().await;
    let mut short = open(&client, "/api/v1/configmaps?watch=1&timeoutSeconds=1").await;
    assert_eq!(in_time("the end of a watch with a time-out", short.rest()).await, "");
    let mut long = open(&client, "/api/v1/configmaps?watch=1").await;
    in_time("the server's end", server.shutdown()).await.unwrap();
    assert_eq!(in_time("the end of a watch", long.rest()).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_watched_too() {
    let (_server, client) = server().await;
    let request = Request::get("/api/v1/namespaces?watch=1&resourceVersion=0&includeObject=Object")
        .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
        .body(Body::empty());
    let response = client.send(request.unwrap()).await.unwrap();
    let stream = response.into_body().into_data_stream().map_err(std::io::Error::other);
    let mut lines = Lines { inner: Box::pin(stream.into_async_read()) };
    let event = in_time("a row", lines.next()).await.unwrap();
    assert_eq!(
        (&event["object"]["kind"], &event["object"]["rows"][0]["cells"][0]),
        (&json!("Table"), &json!("default"))
    );
    assert_eq!(event["object"]["rows"][0]["object"]["kind"], "Namespace");
}
