//! Case: nodes are Ready and have leases, and their taints follow their state.

use serde_json::{Value, json};

use super::cluster::Cluster;

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
