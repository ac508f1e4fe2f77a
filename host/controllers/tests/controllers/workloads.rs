//! Cases: workloads have the pods that they request.

use serde_json::{Value, json};

use super::cluster::{Cluster, is_true, name, pod_on};

/// Returns a workload's spec: its selector, and a template on this node.
fn spec(node: &str, more: Value) -> Value {
    let mut spec = json!({
        "selector": { "matchLabels": { "app": "a" } },
        "template": { "metadata": { "labels": { "app": "a" } }, "spec": pod_on(node, "image:1") },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    spec
}

/// Returns true if `kubectl rollout status` would report success for a Deployment with this number of replicas.
fn rolled_out(deployment: &Value, replicas: i64) -> bool {
    let status = &deployment["status"];
    let counts = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"];
    status["observedGeneration"] == deployment["metadata"]["generation"]
        && counts.iter().all(|count| status[count].as_i64().unwrap_or(0) == replicas)
}

pub async fn a_deployment_rolls_out(cluster: Cluster) {
    let node = cluster.node("n").await;
    cluster
        .create("Deployment", json!({ "metadata": { "name": "d" }, "spec": spec(&node, json!({ "replicas": 4 })) }))
        .await;
    cluster.until("Deployment", "d", "rolled out", |held| rolled_out(held, 4)).await;
    cluster.patch_in("Deployment", "d", "scale", json!({ "spec": { "replicas": 6 } })).await;
    cluster.until("Deployment", "d", "scaled", |held| rolled_out(held, 6)).await;
    let image =
        json!({ "spec": { "template": { "spec": { "containers": [{ "name": "main", "image": "image:2" }] } } } });
    cluster.patch("Deployment", "d", image).await;
    cluster.until("Deployment", "d", "updated", |held| rolled_out(held, 6)).await;
    let is_live = |pod: &&Value| pod["metadata"]["deletionTimestamp"].is_null();
    let pods = cluster.list("Pod", "app=a").await;
    assert!(pods.iter().filter(is_live).all(|pod| pod["spec"]["containers"][0]["image"] == "image:2"));
    let sets = cluster.list("ReplicaSet", "app=a").await;
    let sizes: Vec<_> = sets.iter().map(|set| set["spec"]["replicas"].as_i64().unwrap_or(0)).collect();
    assert_eq!((sizes.len(), sizes.iter().sum::<i64>()), (2, 6));
    cluster.delete("Deployment", "d").await;
    cluster.until_all("ReplicaSet", "app=a", "gone", <[Value]>::is_empty).await;
    cluster.until_all("Pod", "app=a", "gone", <[Value]>::is_empty).await;
}

pub async fn a_large_replica_set_is_created_and_removed(cluster: Cluster) {
    let node = cluster.node("n").await;
    cluster
        .create("ReplicaSet", json!({ "metadata": { "name": "r" }, "spec": spec(&node, json!({ "replicas": 700 })) }))
        .await;
    cluster.until("ReplicaSet", "r", "ready", |set| set["status"]["readyReplicas"] == 700).await;
    assert_eq!(cluster.list("Pod", "app=a").await.len(), 700);
    cluster.patch_in("ReplicaSet", "r", "scale", json!({ "spec": { "replicas": 3 } })).await;
    cluster.until_all("Pod", "app=a", "three", |pods| pods.len() == 3).await;
    cluster.until("ReplicaSet", "r", "small", |set| set["status"]["replicas"] == 3).await;
}

pub async fn a_stateful_set_scales_in_order(cluster: Cluster) {
    let node = cluster.node("n").await;
    let claim = json!({ "metadata": { "name": "data" }, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } }, "storageClassName": "none",
    } });
    let set = spec(&node, json!({ "replicas": 3, "serviceName": "www", "volumeClaimTemplates": [claim] }));
    cluster.create("StatefulSet", json!({ "metadata": { "name": "web" }, "spec": set })).await;
    let settled = |set: &Value, replicas: i64| {
        let status = &set["status"];
        let counts = ["replicas", "readyReplicas", "availableReplicas", "updatedReplicas"];
        counts.iter().all(|count| status[count] == replicas)
            && status["currentRevision"] == status["updateRevision"]
            && status["observedGeneration"] == set["metadata"]["generation"]
    };
    let first = cluster.until("StatefulSet", "web", "there", |set| settled(set, 3)).await;
    for ordinal in 0..3 {
        let pod = cluster.get("Pod", &format!("web-{ordinal}")).await;
        assert_eq!(
            pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"],
            json!(format!("data-web-{ordinal}"))
        );
    }
    let image =
        json!({ "spec": { "template": { "spec": { "containers": [{ "name": "main", "image": "image:2" }] } } } });
    cluster.patch("StatefulSet", "web", image).await;
    let revision = &first["status"]["updateRevision"];
    cluster
        .until("StatefulSet", "web", "updated", |set| settled(set, 3) && set["status"]["updateRevision"] != *revision)
        .await;
    cluster.patch_in("StatefulSet", "web", "scale", json!({ "spec": { "replicas": 1 } })).await;
    cluster.until("StatefulSet", "web", "small", |set| settled(set, 1)).await;
    // The status of the set does not count pods that are being deleted.
    let left = |pods: &[Value]| pods.iter().map(name).collect::<Vec<_>>() == ["web-0"];
    cluster.until_all("Pod", "app=a", "only the first", |pods| left(pods)).await;
    assert_eq!(cluster.list("PersistentVolumeClaim", "app=a").await.len(), 3, "claims stay");
}

pub async fn a_daemon_set_covers_the_nodes(cluster: Cluster) {
    let first = cluster.node("first").await;
    let mut set = spec("", json!({}));
    set["template"]["spec"] = json!({
        "nodeSelector": { "case": cluster.namespace }, "containers": [{ "name": "main", "image": "image:1" }],
    });
    cluster.create("DaemonSet", json!({ "metadata": { "name": "d" }, "spec": set })).await;
    let target = |pod: &Value| {
        let required = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0].as_str().expect("a node").to_owned()
    };
    let pods = cluster.until_all("Pod", "app=a", "one", |pods| pods.len() == 1).await;
    assert_eq!(target(&pods[0]), first);
    cluster.bind(&name(&pods[0]), &first).await;
    let second = cluster.node("second").await;
    let pods = cluster.until_all("Pod", "app=a", "two", |pods| pods.len() == 2).await;
    let new = pods.iter().find(|pod| target(pod) == second).expect("a pod for the second node");
    cluster.bind(&name(new), &second).await;
    let ready = |set: &Value| set["status"]["numberReady"] == 2 && set["status"]["desiredNumberScheduled"] == 2;
    cluster.until("DaemonSet", "d", "ready on both", ready).await;
    cluster.delete("Node", &second).await;
    cluster.until_all("Pod", "app=a", "one again", |pods| pods.len() == 1).await;
}

pub async fn jobs_complete_and_fail(cluster: Cluster) {
    let node = cluster.node("n").await;
    let job = |name: &str, code: &str, more: Value| {
        let mut pod = pod_on(&node, "image:1");
        pod["restartPolicy"] = json!("Never");
        let annotations = json!({ "sim.berth.dev/run-seconds": "0", "sim.berth.dev/exit-code": code });
        let mut spec = json!({ "template": { "metadata": { "annotations": annotations }, "spec": pod } });
        for (field, value) in more.as_object().into_iter().flatten() {
            spec[field] = value.clone();
        }
        json!({ "metadata": { "name": name }, "spec": spec })
    };
    cluster.create("Job", job("good", "0", json!({ "completions": 5, "parallelism": 2 }))).await;
    cluster.create("Job", job("bad", "1", json!({ "backoffLimit": 1 }))).await;
    let indexed = json!({ "completions": 3, "parallelism": 3, "completionMode": "Indexed" });
    cluster.create("Job", job("indexed", "0", indexed)).await;
    let good = cluster.until("Job", "good", "complete", |job| is_true(job, "Complete")).await;
    assert_eq!(good["status"]["succeeded"], 5);
    // kube-apiserver leaves out a count of zero, and the in-memory API server stores it.
    assert!(matches!(good["status"]["failed"].as_i64(), None | Some(0)), "{good:#}");
    let bad = cluster.until("Job", "bad", "failed", |job| is_true(job, "Failed")).await;
    assert_eq!(bad["status"]["failed"], 2);
    let indexed = cluster.until("Job", "indexed", "complete", |job| is_true(job, "Complete")).await;
    assert_eq!(indexed["status"]["completedIndexes"], "0-2");
    let counted = |pods: &[Value]| pods.iter().all(|pod| pod["metadata"]["finalizers"].is_null());
    cluster.until_all("Pod", "", "released", counted).await;
    let unending = job("unending", "0", json!({}));
    let forever = json!({ "sim.berth.dev/run-seconds": "forever" });
    let mut unending = unending;
    unending["spec"]["template"]["metadata"]["annotations"] = forever;
    cluster.create("Job", unending).await;
    cluster.until("Job", "unending", "running", |job| job["status"]["ready"] == 1).await;
    cluster.delete("Job", "unending").await;
    cluster.until_all("Pod", "job-name=unending", "gone", <[Value]>::is_empty).await;
}

pub async fn a_disruption_budget_counts_its_pods(cluster: Cluster) {
    let node = cluster.node("n").await;
    let budget = json!({ "maxUnavailable": 1, "selector": { "matchLabels": { "app": "a" } } });
    cluster.create("PodDisruptionBudget", json!({ "metadata": { "name": "b" }, "spec": budget })).await;
    cluster
        .create("ReplicaSet", json!({ "metadata": { "name": "r" }, "spec": spec(&node, json!({ "replicas": 3 })) }))
        .await;
    let is = |budget: &Value, counts: [i64; 4]| {
        let fields = ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"];
        fields.iter().zip(counts).all(|(field, count)| budget["status"][field] == count)
    };
    cluster.until("PodDisruptionBudget", "b", "fulfilled", |budget| is(budget, [3, 2, 3, 1])).await;
    cluster.patch("ReplicaSet", "r", json!({ "spec": { "replicas": 5 } })).await;
    cluster.until("PodDisruptionBudget", "b", "larger", |budget| is(budget, [5, 4, 5, 1])).await;
}
