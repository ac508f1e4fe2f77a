//! Case: a namespace has its default ServiceAccount, and a deleted namespace is removed when no objects are left.

use serde_json::{Value, json};

use super::cluster::{Cluster, pod_on};

pub async fn a_namespace_gets_a_service_account_and_is_emptied(cluster: Cluster) {
    let node = cluster.node("n").await;
    cluster.until("ServiceAccount", "default", "there", Value::is_object).await;
    cluster.delete("ServiceAccount", "default").await;
    cluster.until("ServiceAccount", "default", "there again", Value::is_object).await;
    cluster.until("ConfigMap", "kube-root-ca.crt", "there", Value::is_object).await;
    cluster.delete("ConfigMap", "kube-root-ca.crt").await;
    cluster.until("ConfigMap", "kube-root-ca.crt", "there again", Value::is_object).await;
    let template = json!({ "metadata": { "labels": { "app": "a" } }, "spec": pod_on(&node, "busybox") });
    let spec = json!({ "replicas": 3, "selector": { "matchLabels": { "app": "a" } }, "template": template });
    cluster.create("Deployment", json!({ "metadata": { "name": "d" }, "spec": spec })).await;
    cluster.create("ConfigMap", json!({ "metadata": { "name": "c" } })).await;
    cluster.until("Deployment", "d", "available", |held| held["status"]["availableReplicas"] == 3).await;
    cluster.delete("Namespace", &cluster.namespace).await;
    cluster.until_gone("Namespace", &cluster.namespace).await;
    for kind in ["Deployment", "ReplicaSet", "Pod", "ConfigMap", "ServiceAccount"] {
        assert!(cluster.list(kind, "").await.is_empty(), "{kind}s are left");
    }
}
