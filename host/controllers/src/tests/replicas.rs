//! Tests that ReplicaSets and ReplicationControllers maintain their number of pods.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::replicas;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, lines, now, owned_by, pod, running, status, text, with};

fn set(replicas: i32, more: Value) -> Value {
    let labels = json!({ "app": "a" });
    let set = json!({
        "kind": "ReplicaSet",
        "metadata": { "namespace": "default", "name": "r" },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "main", "image": "x" }] } },
        },
    });
    with(set, more)
}

fn member(name: &str, more: Value) -> Value {
    let meta = json!({ "metadata": {
        "labels": { "app": "a" }, "ownerReferences": owned_by("apps/v1", "ReplicaSet", "r"),
    } });
    pod(name, with(meta, more))
}

fn plan(cluster: &Cluster) -> Plan {
    replicas::plan(cluster, Kind::ReplicaSet, &key("default/r"), now())
}

fn deletions(objects: Vec<Value>) -> Vec<String> {
    heads(&plan(&cluster(objects))).into_iter().filter(|head| head.starts_with("delete")).collect()
}

#[test]
fn missing_pods_are_created() {
    let plan = plan(&cluster([set(3, json!({})), member("a", json!({}))]));
    let pods: Vec<_> = heads(&plan).into_iter().filter(|head| head.starts_with("create")).collect();
    assert_eq!(pods, ["create Pod default/r-*", "create Pod default/r-*"]);
    let pod = created(&plan);
    assert_eq!(pod["metadata"]["ownerReferences"], owned_by("apps/v1", "ReplicaSet", "r"));
    assert_eq!(pod["metadata"]["labels"], json!({ "app": "a" }));
    assert_eq!(pod["spec"]["containers"][0]["image"], "x");
}

#[test]
fn a_large_set_is_created_in_bursts() {
    let creates = |replicas| {
        heads(&plan(&cluster([set(replicas, json!({}))]))).iter().filter(|head| head.starts_with("create")).count()
    };
    assert_eq!((creates(499), creates(2000)), (499, 500));
}

#[test]
fn ended_and_deleted_pods_do_not_count() {
    let over = member("a", json!({ "status": { "phase": "Failed" } }));
    let going = member("b", json!({ "metadata": { "deletionTimestamp": ago(1) } }));
    let plan = plan(&cluster([set(1, json!({})), over, going]));
    assert!(heads(&plan).contains(&"create Pod default/r-*".to_owned()));
}

#[test]
fn surplus_pods_are_deleted_by_preference() {
    let ready = |node: &str, seconds| running(node, seconds);
    let cost = json!({ "metadata": { "annotations": { "controller.kubernetes.io/pod-deletion-cost": "-5" } } });
    let unready = json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Running" } });
    let pending = json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Pending" } });
    // Each case: the reason, the pod that is deleted, and the pod that stays.
    let cases = [
        ("unassigned before assigned", json!({}), ready("n1", 9)),
        ("pending before running", pending, unready.clone()),
        ("not ready before ready", unready, ready("n1", 9)),
        ("cheap before dear", with(ready("n1", 99), cost), ready("n1", 9)),
        ("young before old", ready("n1", 9), ready("n1", 99)),
    ];
    for (why, goes, stays) in cases {
        let objects = vec![set(1, json!({})), member("a", stays), member("z", goes)];
        assert_eq!(deletions(objects), ["delete Pod default/z"], "{why}");
    }
    let crowd = ["a", "b"].map(|name| member(name, ready("n1", 9)));
    let objects = [set(2, json!({})), member("z", ready("n2", 1))].into_iter().chain(crowd).collect();
    assert_eq!(deletions(objects), ["delete Pod default/a"], "crowded on their node before alone");
}

#[test]
fn pods_are_adopted_and_released_by_their_labels() {
    let loose = pod("loose", json!({ "metadata": { "labels": { "app": "a" } } }));
    let strayed = member("strayed", json!({ "metadata": { "labels": { "app": "other" } } }));
    let foreign = pod(
        "foreign",
        json!({ "metadata": {
        "labels": { "app": "a" }, "ownerReferences": owned_by("apps/v1", "ReplicaSet", "s"),
    } }),
    );
    let plan = plan(&cluster([set(1, json!({})), loose, strayed, foreign]));
    let reference = owned_by("apps/v1", "ReplicaSet", "r");
    let patches: Vec<_> = lines(&plan).into_iter().filter(|line| line.starts_with("patch Pod")).collect();
    assert_eq!(
        patches,
        [
            r#"patch Pod default/strayed {"metadata":{"ownerReferences":[]}}"#.to_owned(),
            format!("patch Pod default/loose {}", text(&json!({ "metadata": { "ownerReferences": reference } }))),
        ]
    );
    assert!(
        !heads(&plan).iter().any(|head| head.starts_with("create")),
        "the adopted one may be the one that is missing"
    );
}

#[test]
fn the_status_counts_the_pods() {
    let spec = json!({ "spec": { "minReadySeconds": 10 } });
    let pods = [member("a", running("n1", 60)), member("b", running("n1", 4)), member("c", json!({}))];
    let objects: Vec<Value> = [set(3, spec.clone())].into_iter().chain(pods.clone()).collect();
    let counted = plan(&cluster(objects));
    let written = json!({
        "replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 2, "availableReplicas": 1, "observedGeneration": 1,
    });
    assert_eq!(status(&counted, Kind::ReplicaSet), written);
    assert_eq!(counted.rerun_after.map(|after| after.as_secs()), Some(6), "when the second becomes available");
    let known = set(3, with(spec, json!({ "status": written })));
    assert!(lines(&plan(&cluster([known].into_iter().chain(pods)))).is_empty(), "nothing new, no write");
}

#[test]
fn a_deleted_set_creates_no_pods() {
    let deleted = set(3, json!({ "metadata": { "deletionTimestamp": ago(1), "finalizers": ["foregroundDeletion"] } }));
    assert!(!heads(&plan(&cluster([deleted]))).iter().any(|head| head.starts_with("create")));
}

#[test]
fn a_replication_controller_behaves_like_a_replica_set() {
    let controller = json!({
        "kind": "ReplicationController",
        "metadata": { "namespace": "default", "name": "r" },
        "spec": {
            "replicas": 1,
            "selector": { "app": "a" },
            "template": { "metadata": { "labels": { "app": "a" } }, "spec": { "containers": [] } },
        },
    });
    let plan = replicas::plan(&cluster([controller]), Kind::ReplicationController, &key("default/r"), now());
    assert_eq!(heads(&plan), ["create Pod default/r-*", "patch ReplicationController/status default/r"]);
}
