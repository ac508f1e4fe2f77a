//! Cases: claims bind to existing or new volumes, immediately or after the scheduler has selected a node.

use serde_json::{Value, json};

use super::cluster::{Cluster, is_true};

async fn class(cluster: &Cluster, suffix: &str, provisioner: &str, mode: &str) -> String {
    let name = format!("{}-{suffix}", cluster.namespace);
    let class = json!({ "metadata": { "name": name }, "provisioner": provisioner, "volumeBindingMode": mode });
    cluster.create("StorageClass", class).await;
    name
}

async fn claim(cluster: &Cluster, name: &str, class: &str) -> Value {
    let spec = json!({
        "storageClassName": class, "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "2Gi" } },
    });
    cluster.create("PersistentVolumeClaim", json!({ "metadata": { "name": name }, "spec": spec })).await
}

/// Creates a volume, and returns the volume's name. A claim that waits for a volume can be bound to the volume
/// immediately.
async fn volume(cluster: &Cluster, suffix: &str, class: &str, size: &str) -> String {
    let name = format!("{}-{suffix}", cluster.namespace);
    let spec = json!({
        "storageClassName": class, "accessModes": ["ReadWriteOnce"], "capacity": { "storage": size },
        "persistentVolumeReclaimPolicy": "Retain", "hostPath": { "path": "/tmp" },
    });
    cluster.create("PersistentVolume", json!({ "metadata": { "name": name }, "spec": spec })).await;
    name
}

/// Waits until the volume is available. Do not use this while a claim waits that fits the volume: the claim can be bound
/// to the volume before the test sees the phase.
async fn available(cluster: &Cluster, name: &str) {
    cluster.until("PersistentVolume", name, "available", |volume| volume["status"]["phase"] == "Available").await;
}

/// Waits until the claim is bound, and returns the name of its volume.
async fn bound(cluster: &Cluster, name: &str) -> String {
    let claim =
        cluster.until("PersistentVolumeClaim", name, "bound", |claim| claim["status"]["phase"] == "Bound").await;
    let volume = claim["spec"]["volumeName"].as_str().expect("a volume").to_owned();
    let volume_bound = |volume: &Value| volume["status"]["phase"] == "Bound";
    let held = cluster.until("PersistentVolume", &volume, "bound", volume_bound).await;
    assert_eq!(held["spec"]["claimRef"]["uid"], claim["metadata"]["uid"]);
    assert_eq!(claim["status"]["capacity"], held["spec"]["capacity"]);
    volume
}

pub async fn claims_are_bound_and_volumes_released(cluster: Cluster) {
    let made = class(&cluster, "made", "disks.example.com", "Immediate").await;
    let found = class(&cluster, "found", "kubernetes.io/no-provisioner", "Immediate").await;
    claim(&cluster, "made", &made).await;
    claim(&cluster, "found", &found).await;
    let tiny = volume(&cluster, "tiny", &found, "1Gi").await;
    available(&cluster, &tiny).await;
    volume(&cluster, "large", &found, "9Gi").await;
    let kept = bound(&cluster, "found").await;
    assert_eq!(kept, format!("{}-large", cluster.namespace));
    let volume = bound(&cluster, "made").await;
    cluster.delete("PersistentVolumeClaim", "made").await;
    cluster.until_gone("PersistentVolumeClaim", "made").await;
    cluster.until_gone("PersistentVolume", &volume).await;
    cluster.delete("PersistentVolumeClaim", "found").await;
    cluster.until("PersistentVolume", &kept, "released", |volume| volume["status"]["phase"] == "Released").await;
}

pub async fn claims_wait_for_the_scheduler(cluster: Cluster) {
    let node = cluster.node("n").await;
    let made = class(&cluster, "made", "disks.example.com", "WaitForFirstConsumer").await;
    let found = class(&cluster, "found", "kubernetes.io/no-provisioner", "WaitForFirstConsumer").await;
    let reserved = volume(&cluster, "reserved", &found, "2Gi").await;
    available(&cluster, &reserved).await;
    claim(&cluster, "made", &made).await;
    let wanting = claim(&cluster, "found", &found).await;
    // A third claim is bound first. By then, the controllers have had time to bind the first two claims by mistake.
    let other = class(&cluster, "other", "disks.example.com", "Immediate").await;
    claim(&cluster, "other", &other).await;
    bound(&cluster, "other").await;
    for name in ["made", "found"] {
        assert_eq!(cluster.get("PersistentVolumeClaim", name).await["status"]["phase"], "Pending", "{name}");
    }
    let chosen = json!({ "metadata": { "annotations": { "volume.kubernetes.io/selected-node": node } } });
    cluster.patch("PersistentVolumeClaim", "made", chosen).await;
    let volume = cluster.get("PersistentVolume", &bound(&cluster, "made").await).await;
    let terms = &volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
    assert_eq!(terms[0]["matchExpressions"][0]["values"], json!([node]));
    let reference = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": cluster.namespace, "name": "found",
        "uid": wanting["metadata"]["uid"],
    });
    cluster.patch("PersistentVolume", &reserved, json!({ "spec": { "claimRef": reference } })).await;
    assert_eq!(bound(&cluster, "found").await, reserved);
    in_use(&cluster, &node).await;
}

/// Checks that a claim which a running pod uses is deleted only after the pod.
async fn in_use(cluster: &Cluster, node: &str) {
    let mut spec = super::cluster::pod_on(node, "busybox");
    spec["volumes"] = json!([{ "name": "data", "persistentVolumeClaim": { "claimName": "made" } }]);
    cluster.create("Pod", json!({ "metadata": { "name": "user" }, "spec": spec })).await;
    cluster.until("Pod", "user", "running", |pod| is_true(pod, "Ready")).await;
    let protected = |claim: &Value| claim["metadata"]["finalizers"] == json!(["kubernetes.io/pvc-protection"]);
    if !protected(&cluster.get("PersistentVolumeClaim", "made").await) {
        // The API server does not run the admission plugin that adds the finalizer.
        return;
    }
    cluster.delete("PersistentVolumeClaim", "made").await;
    assert!(cluster.get("PersistentVolumeClaim", "made").await["metadata"]["deletionTimestamp"].is_string());
    cluster.delete("Pod", "user").await;
    cluster.until_gone("PersistentVolumeClaim", "made").await;
}
