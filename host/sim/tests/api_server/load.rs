//! Load tests: many objects, and response times that do not depend on their number.

use std::time::Duration;

use axum::http::Request;
use futures::StreamExt;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::{in_time, server};
use crate::watching::open;

async fn post(client: &Client, path: &str, body: Value) -> u16 {
    let request =
        Request::post(path).header("content-type", "application/json").body(Body::from(body.to_string().into_bytes()));
    client.send(request.unwrap()).await.unwrap().status().as_u16()
}

/// Creates 1,000 nodes and creates and binds 10,000 pods, with several watches. Every watch must get one event
/// for the creation and one for the binding of each pod, in the order of their resource versions.
#[tokio::test(flavor = "multi_thread")]
async fn many_pods_are_created_bound_and_watched() {
    const NODES: usize = 1_000;
    const PODS: usize = 10_000;
    let (server, client) = server().await;
    let made: Vec<u16> = futures::stream::iter(0..NODES)
        .map(|n| {
            post(
                &client,
                "/api/v1/nodes",
                json!({"metadata": {"name": format!("n{n}")}, "status": {"capacity": {"cpu": "8", "pods": "110"}}}),
            )
        })
        .buffer_unordered(32)
        .collect()
        .await;
    assert!(made.iter().all(|code| *code == 201));
    let mut watchers = Vec::new();
    for _ in 0..4 {
        let mut lines = open(&client, "/api/v1/pods?watch=1&resourceVersion=0").await;
        watchers.push(tokio::spawn(async move {
            let (mut added, mut bound, mut last) = (0, 0, 0);
            while bound < PODS {
                let event = in_time("an event", lines.next()).await.expect("the watch continues");
                let version: u64 = event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
                assert!(version > last, "versions rise");
                last = version;
                added += usize::from(event["type"] == "ADDED");
                bound += usize::from(event["type"] == "MODIFIED" && event["object"]["spec"]["nodeName"].is_string());
            }
            (added, bound)
        }));
    }
    let codes: Vec<(u16, u16)> = futures::stream::iter(0..PODS)
        .map(|p| {
            let client = client.clone();
            async move {
                let pod = json!({"metadata": {"name": format!("p{p}"), "labels": {"app": "load"}},
                    "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}]}});
                let made = post(&client, "/api/v1/namespaces/default/pods", pod).await;
                let binding = json!({"metadata": {"name": format!("p{p}")}, "target": {"kind": "Node", "name": format!("n{}", p % NODES)}});
                (made, post(&client, &format!("/api/v1/namespaces/default/pods/p{p}/binding"), binding).await)
            }
        })
        .buffer_unordered(32)
        .collect()
        .await;
    assert!(codes.iter().all(|codes| *codes == (201, 201)));
    for watcher in watchers {
        assert_eq!(in_time("a watcher", watcher).await.unwrap(), (PODS, PODS));
    }
    let pods = server.store().registry.find("", "v1", "pods").unwrap().objects.len();
    assert_eq!(pods, PODS);
    tokio::time::timeout(Duration::from_secs(60), server.shutdown()).await.unwrap().unwrap();
}
