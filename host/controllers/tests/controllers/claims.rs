//! Cases: resource claims are created with their pods, and freed when the pods finish.

use serde_json::{Value, json};

use super::cluster::{Cluster, is_true, pod_on};

pub async fn resource_claims_are_created_and_released_with_pods(cluster: Cluster) {
    let node = cluster.node("n").await;
    let devices = json!({ "devices": { "requests": [{ "name": "gpu", "exactly": { "deviceClassName": "gpu" } }] } });
    cluster.create("ResourceClaimTemplate", json!({ "metadata": { "name": "t" }, "spec": { "spec": devices } })).await;
    cluster.create("ResourceClaim", json!({ "metadata": { "name": "shared" }, "spec": devices })).await;
    let mut spec = pod_on(&node, "busybox");
    spec["resourceClaims"] = json!([
        { "name": "own", "resourceClaimTemplateName": "t" },
        { "name": "shared", "resourceClaimName": "shared" },
    ]);
    let pod = cluster.create("Pod", json!({ "metadata": { "name": "p" }, "spec": spec })).await;
    let named = |pod: &Value| pod["status"]["resourceClaimStatuses"][0]["resourceClaimName"].is_string();
    let held = cluster.until("Pod", "p", "served", named).await;
    let own = held["status"]["resourceClaimStatuses"][0]["resourceClaimName"].as_str().expect("a name").to_owned();
    let claim = cluster.get("ResourceClaim", &own).await;
    assert_eq!(claim["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"], "own");
    assert_eq!(claim["metadata"]["ownerReferences"][0]["uid"], pod["metadata"]["uid"]);
    let reserved = json!([{ "resource": "pods", "name": "p", "uid": pod["metadata"]["uid"] }]);
    let allocation = json!({ "devices": { "results": [
        { "request": "gpu", "driver": "gpu.example.com", "pool": "p", "device": "d" },
    ] } });
    let finalizers = json!({ "metadata": { "finalizers": ["resource.kubernetes.io/delete-protection"] } });
    cluster.patch("ResourceClaim", "shared", finalizers).await;
    let status = json!({ "status": { "allocation": allocation, "reservedFor": reserved } });
    cluster.patch_in("ResourceClaim", "shared", "status", status).await;
    cluster.until("Pod", "p", "running", |pod| is_true(pod, "Ready")).await;
    assert!(cluster.get("ResourceClaim", "shared").await["status"]["reservedFor"].is_array());
    cluster.delete("Pod", "p").await;
    let free = |claim: &Value| claim["status"]["reservedFor"].is_null() && claim["status"]["allocation"].is_null();
    cluster.until("ResourceClaim", "shared", "free", free).await;
    cluster.until_gone("ResourceClaim", &own).await;
}
