//! Tests the controllers against a real kube-apiserver and etcd from `KUBEBUILDER_ASSETS`, and against the in-memory API
//! server on a clock that the test moves.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod cases;
mod claims;
mod clock;
mod cluster;
mod collection;
mod namespaces;
mod nodes;
mod pods;
mod volumes;
mod workloads;

use berth_controllers::{KubeStore, Options};
use berth_test_kit::ApiServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_api_server_becomes_a_cluster() {
    let server = ApiServer::start().await;
    let client = server.client().await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let controllers = tokio::spawn(berth_controllers::run(KubeStore::new(client.clone()), Options::default(), stopped));
    let failed = cases::run_all(client).await;
    stop.send(()).expect("the controllers still run");
    controllers.await.expect("the controllers don't panic").expect("the controllers end well");
    assert!(failed.is_empty(), "failed: {failed:?}");
}
