//! Cases: pods run, finish, are deleted, and lose their nodes.

use kube::core::params::DeleteParams;
use serde_json::{Value, json};

use super::cluster::{Cluster, is_true, pod_on};

async fn pod(cluster: &Cluster, name: &str, annotations: Value, node: &str) {
    let meta = json!({ "name": name, "annotations": annotations });
    let mut spec = pod_on(node, "busybox");
    spec["restartPolicy"] = json!("Never");
    cluster.create("Pod", json!({ "metadata": meta, "spec": spec })).await;
}

pub async fn containers_restart(cluster: Cluster) {
    let node = cluster.node("n").await;
    let annotations = json!({
        "sim.berth.dev/run-seconds": "0", "sim.berth.dev/exit-code": "7", "sim.berth.dev/restarts": "1",
    });
    let meta = json!({ "name": "a", "annotations": annotations });
    cluster.create("Pod", json!({ "metadata": meta, "spec": pod_on(&node, "busybox") })).await;
    let restarted = |pod: &Value| pod["status"]["containerStatuses"][0]["restartCount"] == 1;
    let pod = cluster.until("Pod", "a", "restarted", restarted).await;
    let container = &pod["status"]["containerStatuses"][0];
    assert_eq!(container["lastState"]["terminated"]["exitCode"], 7, "{container:#}");
    assert!(container["state"]["running"].is_object() && is_true(&pod, "Ready"), "{pod:#}");
}

pub async fn bound_pods_run_and_end(cluster: Cluster) {
    let node = cluster.node("n").await;
    let spec = json!({ "containers": [{ "name": "main", "image": "busybox" }] });
    cluster.create("Pod", json!({ "metadata": { "name": "waits" }, "spec": spec })).await;
    pod(&cluster, "ends", json!({ "sim.berth.dev/run-seconds": "1" }), &node).await;
    pod(&cluster, "fails", json!({ "sim.berth.dev/run-seconds": "0", "sim.berth.dev/exit-code": "7" }), &node).await;
    cluster.until("Pod", "ends", "Succeeded", |pod| pod["status"]["phase"] == "Succeeded").await;
    let failed = cluster.until("Pod", "fails", "Failed", |pod| pod["status"]["phase"] == "Failed").await;
    assert_eq!(failed["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 7);
    assert_eq!(cluster.get("Pod", "waits").await["status"]["phase"], "Pending");
    cluster.bind("waits", &node).await;
    let running = cluster.until("Pod", "waits", "running", |pod| is_true(pod, "Ready")).await;
    assert_eq!(running["status"]["phase"], "Running");
    assert!(running["status"]["podIP"].is_string() && running["status"]["hostIP"].is_string());
    assert!(
        is_true(&running, "PodScheduled") && is_true(&running, "Initialized") && is_true(&running, "ContainersReady")
    );
    assert!(running["status"]["containerStatuses"][0]["state"]["running"].is_object());
}

pub async fn deleted_pods_are_removed(cluster: Cluster) {
    let node = cluster.node("n").await;
    pod(&cluster, "runs", json!({}), &node).await;
    cluster.until("Pod", "runs", "running", |pod| is_true(pod, "Ready")).await;
    cluster.delete_with("Pod", "runs", &DeleteParams::default().grace_period(3600)).await;
    cluster.until_gone("Pod", "runs").await;
}

pub async fn pods_of_a_deleted_node_are_removed(cluster: Cluster) {
    let node = cluster.node("n").await;
    pod(&cluster, "runs", json!({}), &node).await;
    pod(&cluster, "ended", json!({ "sim.berth.dev/run-seconds": "0" }), &node).await;
    cluster.until("Pod", "ended", "Succeeded", |pod| pod["status"]["phase"] == "Succeeded").await;
    cluster.delete("Node", &node).await;
    cluster.until_gone("Pod", "runs").await;
    cluster.until_gone("Pod", "ended").await;
}
