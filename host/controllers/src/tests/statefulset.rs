//! Tests that StatefulSets create their pods in order, with stable names and claims.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::statefulset;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, lines, now, owned_by, pod, running, status, with};

fn set(replicas: i32, more: Value) -> Value {
    let set = json!({
        "kind": "StatefulSet",
        "metadata": { "namespace": "default", "name": "web" },
        "spec": {
            "replicas": replicas,
            "serviceName": "www",
            "selector": { "matchLabels": { "app": "a" } },
            "template": { "metadata": { "labels": { "app": "a" } }, "spec": { "containers": [] } },
        },
    });
    with(set, more)
}

fn parallel() -> Value {
    json!({ "spec": { "podManagementPolicy": "Parallel" } })
}

fn plan(cluster: &Cluster) -> Plan {
    statefulset::plan(cluster, &key("default/web"), now())
}

/// Returns the revision that the set of [`set`] gives its pods.
fn revision() -> String {
    let label = &created(&plan(&cluster([set(1, json!({}))])))["metadata"]["labels"]["controller-revision-hash"];
    label.as_str().expect("a revision").to_owned()
}

fn member(ordinal: i32, revision: &str, more: Value) -> Value {
    let meta = json!({ "metadata": {
        "labels": { "app": "a", "controller-revision-hash": revision },
        "ownerReferences": owned_by("apps/v1", "StatefulSet", "web"),
    } });
    pod(&format!("web-{ordinal}"), with(meta, more))
}

fn steps(objects: impl IntoIterator<Item = Value>) -> Vec<String> {
    heads(&plan(&cluster(objects))).into_iter().filter(|head| !head.contains("/status")).collect()
}

#[test]
fn pods_are_named_by_ordinal() {
    let pod = created(&plan(&cluster([set(1, json!({}))])));
    assert_eq!(pod["metadata"]["name"], "web-0");
    assert_eq!(pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"], "web-0");
    assert_eq!(pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"], "0");
    assert_eq!((&pod["spec"]["hostname"], &pod["spec"]["subdomain"]), (&json!("web-0"), &json!("www")));
}

#[test]
fn pods_start_and_stop_in_order_or_in_parallel() {
    let old = revision();
    let ready = |ordinal| member(ordinal, &old, running("n", 60));
    let starting = |ordinal| member(ordinal, &old, json!({ "spec": { "nodeName": "n" } }));
    let over = |ordinal| member(ordinal, &old, json!({ "status": { "phase": "Failed" } }));
    let going =
        |ordinal| member(ordinal, &old, with(running("n", 60), json!({ "metadata": { "deletionTimestamp": ago(1) } })));
    let cases: [(&str, Vec<Value>, &[&str]); 9] = [
        ("the first", vec![set(2, json!({}))], &["create Pod default/web-0"]),
        ("none before the first is ready", vec![set(2, json!({})), starting(0)], &[]),
        ("the second", vec![set(2, json!({})), ready(0)], &["create Pod default/web-1"]),
        ("all at once", vec![set(2, parallel())], &["create Pod default/web-0", "create Pod default/web-1"]),
        ("a failed one is made again", vec![set(1, json!({})), over(0)], &["delete Pod default/web-0"]),
        ("but not before it is gone", vec![set(2, json!({})), going(0), ready(1)], &[]),
        ("the last goes first", vec![set(1, json!({})), ready(0), ready(1), ready(2)], &["delete Pod default/web-2"]),
        ("one at a time", vec![set(1, json!({})), ready(0), ready(1), going(2)], &[]),
        (
            "or all at once",
            vec![set(0, parallel()), ready(0), ready(1)],
            &["delete Pod default/web-1", "delete Pod default/web-0"],
        ),
    ];
    for (why, objects, wanted) in cases {
        assert_eq!(steps(objects), wanted, "{why}");
    }
}

#[test]
fn an_update_proceeds_from_the_last_pod_to_the_partition() {
    let new = revision();
    let ready = |ordinal, revision: &str| member(ordinal, revision, running("n", 60));
    let all = |revisions: [&str; 3]| {
        (0..).zip(revisions).map(|(ordinal, revision)| ready(ordinal, revision)).collect::<Vec<_>>()
    };
    let with_set = |more: Value, pods: Vec<Value>| [set(3, more)].into_iter().chain(pods).collect::<Vec<_>>();
    let partition = json!({ "spec": { "updateStrategy": { "rollingUpdate": { "partition": 2 } } } });
    let on_delete = json!({ "spec": { "updateStrategy": { "type": "OnDelete" } } });
    let cases: [(Vec<Value>, &[&str]); 5] = [
        (with_set(json!({}), all(["old", "old", "old"])), &["delete Pod default/web-2"]),
        (with_set(json!({}), all(["old", "old", &new])), &["delete Pod default/web-1"]),
        (with_set(json!({}), all([&new, &new, &new])), &[]),
        (with_set(partition, all(["old", "old", &new])), &[]),
        (with_set(on_delete, all(["old", "old", "old"])), &[]),
    ];
    for (objects, wanted) in cases {
        assert_eq!(steps(objects), wanted);
    }
}

#[test]
fn each_pod_has_claims_of_its_own() {
    let template = json!({ "metadata": { "name": "data" }, "spec": { "accessModes": ["ReadWriteOnce"] } });
    let set = || set(1, json!({ "spec": { "volumeClaimTemplates": [template] } }));
    let first = plan(&cluster([set()]));
    assert_eq!(heads(&first)[..2], ["create PersistentVolumeClaim default/data-web-0", "create Pod default/web-0"]);
    let claim = created(&first);
    assert_eq!(claim["metadata"]["labels"], json!({ "app": "a" }));
    let kept = json!({ "kind": "PersistentVolumeClaim", "metadata": { "namespace": "default", "name": "data-web-0" } });
    let again = plan(&cluster([set(), kept]));
    assert_eq!(heads(&again)[0], "create Pod default/web-0", "the claim stayed");
    assert_eq!(
        created(&again)["spec"]["volumes"],
        json!([
            { "name": "data", "persistentVolumeClaim": { "claimName": "data-web-0" } },
        ])
    );
}

#[test]
fn the_status_counts_revisions() {
    let new = revision();
    let pods = [member(0, "old", running("n", 60)), member(1, &new, running("n", 60))];
    let before = json!({ "status": { "replicas": 2, "currentRevision": "old" } });
    let written = status(&plan(&cluster([set(2, before)].into_iter().chain(pods))), Kind::StatefulSet);
    let counts = ["replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas"];
    assert_eq!(counts.map(|count| written[count].as_i64()), [2, 2, 2, 1, 1].map(Some));
    assert_eq!((&written["currentRevision"], &written["updateRevision"]), (&json!("old"), &json!(new)));
    let pods = [0, 1].map(|ordinal| member(ordinal, &new, running("n", 60)));
    let known = set(2, json!({ "status": written }));
    let done = status(&plan(&cluster([known].into_iter().chain(pods.clone()))), Kind::StatefulSet);
    assert_eq!(done["currentRevision"], json!(new), "every pod is updated");
    let settled = set(2, json!({ "status": done }));
    assert!(lines(&plan(&cluster([settled].into_iter().chain(pods)))).is_empty(), "nothing new, no write");
}
