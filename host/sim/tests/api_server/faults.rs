//! Tests the fault injection.

use axum::http::Request;
use berth_sim::{BindFault, WatchFault};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, PostParams, WatchEvent, WatchParams};
use kube::client::Body;
use serde_json::json;
use std::time::Duration;

use crate::support::{in_time, server};
use crate::watching::{Lines, open};

#[tokio::test(flavor = "multi_thread")]
async fn new_watches_get_the_queued_faults() {
    let (server, client) = server().await;
    let path = "/api/v1/configmaps?watch=1&resourceVersion=1";
    let plain = async || {
        let response = client.send(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        let code = response.status().as_u16();
        (code, String::from_utf8(response.into_body().collect_bytes().await.unwrap().to_vec()).unwrap())
    };
    for fault in [WatchFault::Empty, WatchFault::CutMidLine, WatchFault::Gone, WatchFault::GoneStatus] {
        server.faults().next_watch("configmaps", fault);
        let (code, body) = in_time("the faulty watch", plain()).await;
        let line: Result<serde_json::Value, _> = serde_json::from_str(&body);
        match fault {
            WatchFault::Empty | WatchFault::End => assert_eq!((code, body.as_str()), (200, "")),
            WatchFault::CutMidLine => assert!(code == 200 && !body.is_empty() && line.is_err()),
            WatchFault::Gone => assert_eq!((code, &line.unwrap()["object"]["code"]), (200, &json!(410))),
            WatchFault::GoneStatus => assert_eq!((code, &line.unwrap()["reason"]), (410, &json!("Expired"))),
        }
    }
    // All faults are used up, so the next watch works.
    let configs: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let version = configs.list(&Default::default()).await.unwrap().metadata.resource_version.unwrap();
    let mut events = Box::pin(configs.watch(&WatchParams::default(), &version).await.unwrap());
    let map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
    configs.create(&PostParams::default(), &map).await.unwrap();
    assert!(matches!(in_time("an event", events.try_next()).await.unwrap(), Some(WatchEvent::Added(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn open_watches_are_ended() {
    let (server, client) = server().await;
    for fault in [WatchFault::End, WatchFault::CutMidLine, WatchFault::Gone] {
        let mut lines: Lines = open(&client, "/api/v1/namespaces?watch=1&resourceVersion=0").await;
        assert_eq!(in_time("an event", lines.next()).await.unwrap()["type"], "ADDED");
        server.faults().open_watches("namespaces", fault);
        let rest = in_time("the end", lines.rest()).await;
        let last = rest.lines().last().unwrap_or_default();
        match fault {
            WatchFault::CutMidLine => assert!(serde_json::from_str::<serde_json::Value>(last).is_err()),
            WatchFault::Gone => assert!(last.contains("\"ERROR\"") && last.contains("410")),
            _ => assert!(last.is_empty() || last.ends_with('}')),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bindings_fail_or_answer_late_or_lose_their_answer() {
    let (server, client) = server().await;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    for (name, fault, code, bound) in [
        ("fails", BindFault::Fail, Some(500), false),
        ("conflicts", BindFault::Conflict, Some(409), false),
        ("late", BindFault::Slow(Duration::from_millis(20)), Some(201), true),
        ("silent", BindFault::LoseAnswer, None, true),
    ] {
        let pod: Pod = serde_json::from_value(
            json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}),
        )
        .unwrap();
        pods.create(&PostParams::default(), &pod).await.unwrap();
        server.faults().next_binding(fault);
        let binding = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": "n"}}).to_string();
        let request = Request::post(format!("/api/v1/namespaces/default/pods/{name}/binding"))
            .header("content-type", "application/json");
        let answer = client.send(request.body(Body::from(binding.into_bytes())).unwrap()).await;
        let answered = match answer {
            Ok(response) => {
                let code = response.status().as_u16();
                response.into_body().collect_bytes().await.ok().map(|_| code)
            }
            Err(_) => None,
        };
        assert_eq!(answered, code, "{name}");
        let node = pods.get(name).await.unwrap().spec.unwrap().node_name;
        assert_eq!(node.is_some(), bound, "{name}");
    }
}
