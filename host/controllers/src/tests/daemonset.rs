//! Tests that DaemonSets have one pod on each matching node.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::daemonset;
use super::super::kinds::Kind;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, lines, node, now, owned_by, pod, running, status, with};

fn set(more: Value) -> Value {
    let set = json!({
        "kind": "DaemonSet",
        "metadata": { "namespace": "default", "name": "d" },
        "spec": {
            "selector": { "matchLabels": { "app": "a" } },
            "template": { "metadata": { "labels": { "app": "a" } }, "spec": { "containers": [] } },
        },
    });
    with(set, more)
}

fn plan(cluster: &Cluster) -> Plan {
    daemonset::plan(cluster, &key("default/d"), now())
}

fn revision() -> String {
    let label = &created(&plan(&cluster([set(json!({})), node("n", json!({}))])))["metadata"]["labels"]["controller-revision-hash"];
    label.as_str().expect("a revision").to_owned()
}

fn member(name: &str, more: Value) -> Value {
    let meta = json!({ "metadata": {
        "labels": { "app": "a", "controller-revision-hash": revision() },
        "ownerReferences": owned_by("apps/v1", "DaemonSet", "d"),
    } });
    pod(name, with(meta, more))
}

fn steps(objects: impl IntoIterator<Item = Value>) -> Vec<String> {
    heads(&plan(&cluster(objects))).into_iter().filter(|head| !head.contains("/status")).collect()
}

#[test]
fn a_pod_is_pinned_to_its_node() {
    let pod = created(&plan(&cluster([set(json!({})), node("n1", json!({}))])));
    let required = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let terms = json!([{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["n1"] }] }]);
    assert_eq!(required["nodeSelectorTerms"], terms);
    let tolerated: Vec<_> =
        pod["spec"]["tolerations"].as_array().into_iter().flatten().map(|toleration| &toleration["key"]).collect();
    assert!(tolerated.contains(&&json!("node.kubernetes.io/unschedulable")), "{tolerated:?}");
}

#[test]
fn nodes_are_chosen_by_name_labels_and_taints() {
    let selecting = |spec: Value| set(json!({ "spec": { "template": { "spec": spec } } }));
    let affinity = |terms: Value| {
        json!({ "affinity": { "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": terms },
    } } })
    };
    let expression = |operator: &str, values: Value| {
        selecting(affinity(
            json!([{ "matchExpressions": [{ "key": "size", "operator": operator, "values": values }] }]),
        ))
    };
    let sized = |size: &str| node("n", json!({ "metadata": { "labels": { "size": size } } }));
    let tainted =
        |key: &str, effect: &str| node("n", json!({ "spec": { "taints": [{ "key": key, "effect": effect }] } }));
    let tolerating = selecting(json!({ "tolerations": [{ "operator": "Exists" }] }));
    let cases = [
        ("nodeSelector", selecting(json!({ "nodeSelector": { "size": "5" } })), sized("5"), true),
        ("nodeSelector", selecting(json!({ "nodeSelector": { "size": "5" } })), sized("6"), false),
        ("In", expression("In", json!(["4", "5"])), sized("5"), true),
        ("NotIn", expression("NotIn", json!(["5"])), sized("5"), false),
        ("NotIn without the label", expression("NotIn", json!(["5"])), node("n", json!({})), true),
        ("Exists", expression("Exists", json!(null)), node("n", json!({})), false),
        ("DoesNotExist", expression("DoesNotExist", json!(null)), node("n", json!({})), true),
        ("Gt", expression("Gt", json!(["4"])), sized("5"), true),
        ("Lt", expression("Lt", json!(["4"])), sized("5"), false),
        ("a term that says nothing", selecting(affinity(json!([{}]))), node("n", json!({})), false),
        ("a taint", set(json!({})), tainted("k", "NoSchedule"), false),
        ("a taint that only asks", set(json!({})), tainted("k", "PreferNoSchedule"), true),
        ("a tolerated taint", tolerating, tainted("k", "NoExecute"), true),
        ("the cordon", set(json!({})), tainted("node.kubernetes.io/unschedulable", "NoSchedule"), true),
    ];
    for (why, set, node, wanted) in cases {
        assert_eq!(!steps([set, node]).is_empty(), wanted, "{why}");
    }
}

#[test]
fn misplaced_pods_are_deleted() {
    let tainted = |effect: &str| node("n", json!({ "spec": { "taints": [{ "key": "k", "effect": effect }] } }));
    let running = || member("a", running("n", 60));
    let pending = member(
        "a",
        json!({ "spec": { "affinity": { "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": [
            { "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["n"] }] },
        ] },
    } } } }),
    );
    let failed = member("a", json!({ "spec": { "nodeName": "n" }, "status": { "phase": "Failed" } }));
    let going = member("a", json!({ "spec": { "nodeName": "n" }, "metadata": { "deletionTimestamp": ago(1) } }));
    let cases: [(&str, Vec<Value>, &[&str]); 7] = [
        ("all is well", vec![node("n", json!({})), running()], &[]),
        ("one waits for the scheduler", vec![node("n", json!({})), pending.clone()], &[]),
        ("its node vanished before it was bound", vec![pending.clone()], &["delete Pod default/a"]),
        ("it may stay", vec![tainted("NoSchedule"), running()], &[]),
        ("it may not stay", vec![tainted("NoExecute"), running()], &["delete Pod default/a"]),
        ("it failed", vec![node("n", json!({})), failed], &["delete Pod default/a"]),
        ("it is going, its successor waits", vec![node("n", json!({})), going], &[]),
    ];
    for (why, objects, wanted) in cases {
        assert_eq!(steps([set(json!({}))].into_iter().chain(objects)), wanted, "{why}");
    }
}

#[test]
fn an_update_takes_as_many_as_may_be_unavailable() {
    let old = |name: &str, node: &str| {
        member(
            name,
            with(
                running(node, 60),
                json!({
                    "metadata": { "labels": { "controller-revision-hash": "old" } },
                }),
            ),
        )
    };
    let nodes = || ["n1", "n2", "n3"].map(|name| node(name, json!({})));
    let pods = || [old("a", "n1"), old("b", "n2"), old("c", "n3")];
    let with_strategy = |strategy: Value| {
        let set = set(json!({ "spec": { "updateStrategy": strategy } }));
        steps([set].into_iter().chain(nodes()).chain(pods())).len()
    };
    assert_eq!(with_strategy(json!({})), 1);
    assert_eq!(with_strategy(json!({ "rollingUpdate": { "maxUnavailable": "60%" } })), 2);
    assert_eq!(with_strategy(json!({ "type": "OnDelete" })), 0);
    let one_is_missing =
        [set(json!({})), old("a", "n1"), member("b", json!({ "spec": { "nodeName": "n2" } })), old("c", "n3")];
    assert_eq!(steps(one_is_missing.into_iter().chain(nodes())), [] as [&str; 0]);
}

#[test]
fn the_status_counts_nodes() {
    let objects = || {
        [
            node("n1", json!({})),
            node("n2", json!({})),
            node("n3", json!({ "spec": { "taints": [{ "key": "k", "effect": "NoSchedule" }] } })),
            member("a", running("n1", 60)),
            member("c", running("n3", 60)),
        ]
    };
    let counted = status(&plan(&cluster([set(json!({}))].into_iter().chain(objects()))), Kind::DaemonSet);
    let counts = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "numberMisscheduled",
    ];
    assert_eq!(counts.map(|count| counted[count].as_i64()), [2, 1, 1, 1, 1, 1, 1].map(Some));
    let known = set(json!({ "status": counted }));
    assert!(!lines(&plan(&cluster([known].into_iter().chain(objects())))).iter().any(|line| line.contains("/status")));
}
