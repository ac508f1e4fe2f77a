//! Tests from which origins the server accepts requests.

use axum::http::Request;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::server;

async fn send(client: &Client, request: axum::http::request::Builder, body: &str) -> (u16, Value) {
    let response = client.send(request.body(Body::from(body.as_bytes().to_vec())).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let bytes = response.into_body().collect_bytes().await.unwrap();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_page_of_another_site_changes_nothing() {
    let (_server, client) = server().await;
    let path = "/api/v1/namespaces/default/configmaps";
    let body = json!({"metadata": {"generateName": "a-"}}).to_string();
    let post = || Request::post(path);
    for (request, expected) in [
        (post().header("content-type", "application/json"), 201),
        (post().header("content-type", "application/json").header("origin", "http://localhost:8001"), 201),
        (post().header("content-type", "application/json").header("origin", "https://example.com"), 403),
        (post().header("content-type", "application/json").header("host", "example.com"), 403),
        // The request of `kubectl create --raw`.
        (post(), 201),
        (post().header("origin", "http://localhost:8001"), 415),
        (post().header("origin", "https://example.com"), 403),
        (post().header("content-type", ""), 415),
        (post().header("content-type", "text/plain"), 415),
        (post().header("content-type", "application/x-www-form-urlencoded"), 415),
        (Request::delete(path).header("content-type", "text/plain"), 415),
    ] {
        let described = format!("{request:?}");
        let (code, answer) = send(&client, request, &body).await;
        assert_eq!(code, expected, "{described} {answer}");
    }
}
