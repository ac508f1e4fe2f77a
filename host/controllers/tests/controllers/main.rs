//! Tests the controllers against a real kube-apiserver and etcd from `KUBEBUILDER_ASSETS`, and against the in-memory API
//! server, also on a clock that the test moves.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the time limits of tests are real time")]

mod cases;
mod claims;
mod clock;
mod cluster;
mod collection;
mod namespaces;
mod nodes;
mod pods;
mod quotas;
mod volumes;
mod workloads;

use berth_controllers::{KubeStore, Options};
use berth_test_kit::{ControlPlane, control_plane};
use kube::Client;

/// Runs all cases against this API server, with the controllers.
async fn run_cases(client: Client) {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let store = KubeStore::new(client.clone());
    let controllers = tokio::spawn(berth_controllers::run(store, Options::default(), stopped));
    let failed = cases::run_all(client).await;
    stop.send(()).expect("the controllers still run");
    controllers.await.expect("the controllers don't panic").expect("the controllers end well");
    assert!(failed.is_empty(), "failed: {failed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_api_server_becomes_a_cluster() {
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    run_cases(server.client().await.expect("a client")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_in_memory_api_server_becomes_a_cluster() {
    let server = berth_sim::Server::start(berth_sim::Options::default()).await.expect("a server");
    run_cases(clock::client_of(&server).await).await;
}
