//! Runs the cases against a real kube-apiserver and etcd, from `KUBEBUILDER_ASSETS`.

use berth_test_kit::{ControlPlane, control_plane};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cases_pass_against_a_real_api_server() {
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    crate::cases::run_all(&server.client().await.expect("a client")).await;
}
