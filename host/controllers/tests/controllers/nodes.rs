//! Cases: nodes are Ready and have leases, their taints follow their state, and NoExecute taints evict pods.

use serde_json::{Value, json};

use super::cluster::{Cluster, is_true, pod_on};

fn has_taint(node: &Value, key: &str) -> bool {
    node["spec"]["taints"].as_array().into_iter().flatten().any(|taint| taint["key"] == key)
}

pub async fn nodes_are_ready_leased_and_tainted(cluster: Cluster) {
    let not_ready = "node.kubernetes.io/not-ready";
    let name = format!("{}-n", cluster.namespace);
    let taint = json!({ "key": not_ready, "effect": "NoSchedule" });
    cluster.create("Node", json!({ "metadata": { "name": name }, "spec": { "taints": [taint] } })).await;
    cluster.until("Node", &name, "without the taint", |node| !has_taint(node, not_ready)).await;
    let leases = cluster.within("kube-node-lease");
    let lease = leases.until("Lease", &name, "there", Value::is_object).await;
    assert_eq!(lease["spec"]["holderIdentity"], json!(name));
    let first = lease["spec"]["renewTime"].clone();
    leases.until("Lease", &name, "renewed", |lease| lease["spec"]["renewTime"] != first).await;
    let cordon = "node.kubernetes.io/unschedulable";
    cluster.patch("Node", &name, json!({ "spec": { "unschedulable": true } })).await;
    cluster.until("Node", &name, "cordoned", |node| has_taint(node, cordon)).await;
    cluster.patch("Node", &name, json!({ "spec": { "unschedulable": false } })).await;
    cluster.until("Node", &name, "free again", |node| !has_taint(node, cordon)).await;
    cluster.delete("Node", &name).await;
    leases.until_gone("Lease", &name).await;
}

pub async fn a_no_execute_taint_evicts_pods(cluster: Cluster) {
    let node = cluster.node("n").await;
    let toleration = json!({ "key": "broken", "operator": "Exists", "effect": "NoExecute" });
    let briefly = json!({ "key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1 });
    for (name, tolerations) in
        [("stays", json!([toleration])), ("leaves", json!([])), ("leaves-later", json!([briefly]))]
    {
        let mut spec = pod_on(&node, "busybox");
        spec["tolerations"] = tolerations;
        cluster.create("Pod", json!({ "metadata": { "name": name }, "spec": spec })).await;
        cluster.until("Pod", name, "running", |pod| is_true(pod, "Ready")).await;
    }
    let taint = json!({ "key": "broken", "effect": "NoExecute" });
    cluster.patch("Node", &node, json!({ "spec": { "taints": [taint] } })).await;
    cluster.until_gone("Pod", "leaves").await;
    cluster.until_gone("Pod", "leaves-later").await;
    let pod = cluster.get("Pod", "stays").await;
    assert!(is_true(&pod, "Ready") && pod["metadata"]["deletionTimestamp"].is_null(), "{pod:#}");
}
