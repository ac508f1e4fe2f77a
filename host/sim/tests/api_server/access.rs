//! Tests which origins and which credentials the server accepts.

use axum::http::Request;
use berth_sim::Server;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::{anonymous, server, yaml};

/// Returns the token in the server's kubeconfig.
fn token(server: &Server) -> String {
    let kubeconfig: Value = yaml(&server.kubeconfig()).unwrap();
    kubeconfig["users"][0]["user"]["token"].as_str().unwrap().to_owned()
}

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

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_another_server_is_refused() {
    let (server, with_token) = server().await;
    let (other, _) = self::server().await;
    let (own, others) = (format!("Bearer {}", token(&server)), format!("Bearer {}", token(&other)));
    let client = anonymous(&server);
    for path in ["/api/v1/namespaces", "/version", "/livez", "/apis", "/openapi/v3", "/nothing"] {
        let get = || Request::get(path);
        let expected = if path == "/nothing" { 404 } else { 200 };
        assert_eq!(send(&with_token, get(), "").await.0, expected, "{path} with the kubeconfig");
        assert_eq!(send(&client, get().header("authorization", &own), "").await.0, expected, "{path} with the token");
        assert_eq!(send(&client, get(), "").await.0, expected, "{path} without credentials");
        for wrong in [others.as_str(), "Bearer berth", "Basic YWRtaW46YWRtaW4="] {
            let (code, status) = send(&client, get().header("authorization", wrong), "").await;
            assert_eq!((code, &status["code"]), (401, &json!(401)), "{path} with {wrong}");
            assert_eq!((&status["kind"], &status["reason"]), (&json!("Status"), &json!("Unauthorized")), "{path}");
            let message = status["message"].as_str().unwrap();
            assert!(message.contains("bearer token") && message.contains("kubeconfig"), "{message}");
        }
    }
}
