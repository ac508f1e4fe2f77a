//! Tests what kubectl prints where a simulated cluster has nothing to answer with.

use crate::kubectl::{Kubectl, POD};

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_says_that_containers_are_simulated() {
    let kubectl = Kubectl::new().await;
    kubectl.with("create -f -", POD, &[]).await;
    let running = "patch pod web --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\"}}'";
    kubectl.ok(running, &["patched"]).await;
    kubectl.fails("logs web", "", "pod \"web\" has no logs, because its containers are simulated").await;
    for (line, why) in [
        ("exec web -- ls", "cannot run a command in pod \"web\", because its containers are simulated"),
        ("attach web", "cannot attach to pod \"web\", because its containers are simulated"),
        ("port-forward pod/web 1:1", "cannot forward ports to pod \"web\", because its containers are simulated"),
        (
            "get --raw /api/v1/nodes/n1/proxy/stats/summary",
            "cannot connect to node \"n1\", because the cluster is simulated",
        ),
        ("get --raw /apis/metrics.k8s.io/v1beta1/nodes", "a simulated cluster has no metrics API"),
        ("top nodes", "Metrics API not available"),
        ("logs none", "pods \"none\" not found"),
    ] {
        kubectl.fails(line, "", why).await;
    }
}
