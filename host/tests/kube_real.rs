//! The shell against a real kube-apiserver and etcd, from `KUBEBUILDER_ASSETS`.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod controllers_server;
mod kube_cases;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_api_server_is_understood() {
    let server = controllers_server::Server::start().await;
    kube_cases::run_all(&server.client().await).await;
}
