//! Runs the cases against a real kube-apiserver and etcd, from `KUBEBUILDER_ASSETS`.

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_api_server_is_understood() {
    let server = berth_test_kit::ApiServer::start().await;
    crate::cases::run_all(&server.client().await).await;
}
