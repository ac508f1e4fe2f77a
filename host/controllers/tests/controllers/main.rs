//! Tests the controllers against a real kube-apiserver and etcd from `KUBEBUILDER_ASSETS`.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod cases;
mod claims;
mod cluster;
mod collection;
mod namespaces;
mod nodes;
mod pods;
mod volumes;
mod workloads;

use berth_controllers::Options;
use berth_test_kit::{ControlPlane, control_plane};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_api_server_becomes_a_cluster() {
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    let client = server.client().await.expect("a client");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let controllers = tokio::spawn(berth_controllers::run(client.clone(), Options::default(), stopped));
    let failed = cases::run_all(client).await;
    stop.send(()).expect("the controllers still run");
    controllers.await.expect("the controllers don't panic").expect("the controllers end well");
    assert!(failed.is_empty(), "failed: {failed:?}");
}
