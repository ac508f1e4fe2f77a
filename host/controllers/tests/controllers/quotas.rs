//! Case: a ResourceQuota has a status, limits pods, and frees the use of deleted pods.

use serde_json::json;

use super::cluster::Cluster;

pub async fn a_quota_counts_pods_and_frees_them(cluster: Cluster) {
    cluster.until("ServiceAccount", "default", "there", serde_json::Value::is_object).await;
    let hard = json!({ "pods": "2", "requests.cpu": "1", "count/deployments.apps": "1" });
    cluster.create("ResourceQuota", json!({ "metadata": { "name": "q" }, "spec": { "hard": hard } })).await;
    let none = json!({ "pods": "0", "requests.cpu": "0", "count/deployments.apps": "0" });
    cluster.until("ResourceQuota", "q", "counted", |held| held["status"]["used"] == none).await;
    // kube-apiserver counts a request only after its own watch of quotas has delivered the quota.
    let resources = json!({ "requests": { "cpu": "2" } });
    let spec = json!({ "containers": [{ "name": "c", "image": "busybox", "resources": resources }] });
    cluster.until_refused("Pod", json!({ "metadata": { "name": "large" }, "spec": spec }), "exceeded quota").await;
    let resources = json!({ "requests": { "cpu": "400m" } });
    let spec = json!({ "containers": [{ "name": "c", "image": "busybox", "resources": resources }] });
    let template = json!({ "metadata": { "labels": { "app": "a" } }, "spec": spec });
    let spec = json!({ "replicas": 3, "selector": { "matchLabels": { "app": "a" } }, "template": template });
    cluster.create("Deployment", json!({ "metadata": { "name": "d" }, "spec": spec })).await;
    let full = json!({ "pods": "2", "requests.cpu": "800m", "count/deployments.apps": "1" });
    cluster.until("ResourceQuota", "q", "full", |held| held["status"]["used"] == full).await;
    assert!(cluster.list("Pod", "").await.len() <= 2);
    cluster.delete("Deployment", "d").await;
    cluster.until("ResourceQuota", "q", "free", |held| held["status"]["used"] == none).await;
}
