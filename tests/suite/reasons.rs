//! Why a pod has no node: kube-scheduler's messages and counts, in the pod's condition and in an event.

use anyhow::{Result, ensure};
use berth_tests::objects::{node, pod, tainted, with};
use berth_tests::{Session, Target, events};
use serde_json::{Value, json};

crate::case::cases!(Both: each_plugin_gives_its_reason, no_nodes, condition_and_event);

/// A pod's name, the change of its spec, and the expected message.
type Row = (&'static str, Value, &'static str);

/// Returns five nodes: `plain`, `ported`, whose host port is taken, `batch` with taints, `cordoned`, and `full`, which
/// allows one pod.
fn cluster() -> Vec<Value> {
    vec![
        with(node("plain", 4), &json!({"metadata": {"labels": {"pool": "plain"}}})),
        node("ported", 4),
        tainted(node("batch", 4), &["dedicated=batch:NoSchedule", "old:NoExecute"]),
        with(node("cordoned", 4), &json!({"spec": {"unschedulable": true}})),
        with(node("full", 4), &json!({"status": {"capacity": {"pods": "1"}, "allocatable": {"pods": "1"}}})),
    ]
}

/// Returns pods that are already on the nodes `full` and `ported`.
fn residents() -> Vec<Value> {
    let port = json!({"containerPort": 80, "hostPort": 8080});
    let on = |name: &str, node: &str| with(pod(name, "1"), &json!({"spec": {"nodeName": node}}));
    let ported = json!({"spec": {"containers": [{"name": "main", "image": "a", "ports": [port]}]}});
    vec![on("resident-full", "full"), with(on("resident-ported", "ported"), &ported)]
}

fn rows() -> Vec<Row> {
    let requesting = |requests: Value| {
        let resources = json!({"requests": requests, "limits": requests});
        json!([{"name": "main", "image": "a", "resources": resources}])
    };
    let host = |name: &str| json!({"kubernetes.io/hostname": name});
    let tolerates_all = json!([{"operator": "Exists"}]);
    let port = json!([{"name": "main", "image": "a", "ports": [{"containerPort": 80, "hostPort": 8080}]}]);
    let field = |names: &[&str]| {
        let fields: Vec<Value> =
            names.iter().map(|name| json!({"key": "metadata.name", "operator": "In", "values": [name]})).collect();
        let terms = json!({"nodeSelectorTerms": [{"matchFields": fields}]});
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})
    };
    vec![
        // These pods tolerate all taints, so NodeResourcesFit or NodeAffinity alone rejects each node.
        (
            "cpu",
            json!({"tolerations": tolerates_all, "containers": requesting(json!({"cpu": "64"}))}),
            "0/5 nodes are available: 1 Too many pods, 5 Insufficient cpu.",
        ),
        (
            "several",
            json!({"tolerations": tolerates_all,
            "containers": requesting(json!({"cpu": "64", "memory": "64Gi", "ephemeral-storage": "1Ti"}))}),
            "0/5 nodes are available: 1 Too many pods, 5 Insufficient cpu, 5 Insufficient ephemeral-storage, \
          5 Insufficient memory.",
        ),
        (
            "gpu",
            json!({"tolerations": tolerates_all, "containers": requesting(json!({"nvidia.com/gpu": "1"}))}),
            "0/5 nodes are available: 1 Too many pods, 5 Insufficient nvidia.com/gpu.",
        ),
        (
            "selector",
            json!({"tolerations": tolerates_all, "nodeSelector": {"disk": "nvme"}}),
            "0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector.",
        ),
        // Different plugins reject different nodes.
        (
            "tainted",
            json!({"nodeSelector": host("batch")}),
            "0/5 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, \
          3 node(s) didn't match Pod's node affinity/selector.",
        ),
        (
            "tolerant",
            json!({"nodeSelector": host("batch"),
            "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}]}),
            "0/5 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, \
          3 node(s) didn't match Pod's node affinity/selector.",
        ),
        (
            "ported",
            json!({"containers": port, "nodeSelector": host("ported")}),
            "0/5 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, \
          1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, \
          2 node(s) didn't match Pod's node affinity/selector.",
        ),
        (
            "full",
            json!({"nodeSelector": host("full")}),
            "0/5 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint(s), \
          1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
        ),
        (
            "large",
            json!({"containers": requesting(json!({"cpu": "3500m", "memory": "32Gi"}))}),
            "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) had untolerated taint(s), \
          1 node(s) were unschedulable, 3 Insufficient memory.",
        ),
        // Node affinity by name: the pre-filter excludes the other nodes before any filter.
        (
            "field",
            field(&["full"]),
            "0/5 nodes are available: 1 Too many pods, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        ),
        (
            "field-unknown",
            field(&["nowhere"]),
            "0/5 nodes are available: 5 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        ),
        ("field-both", field(&["plain", "full"]), "0/5 nodes are available: pod affinity terms conflict."),
    ]
}

async fn each_plugin_gives_its_reason(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, cluster().into_iter().chain(residents())).await?;
    for (name, change, message) in rows() {
        session.create(&with(pod(name, "10m"), &json!({"spec": change}))).await?;
        session.journal.until_rejected(name, message).await?;
        events::with_note(&target.client, name, "FailedScheduling", message).await?;
    }
    session.end().await
}

async fn no_nodes(target: &Target) -> Result<()> {
    let session = Session::start(target).await?;
    session.create(&pod("p", "10m")).await?;
    session.journal.until_rejected("p", "no nodes available to schedule pods").await?;
    session.end().await
}

async fn condition_and_event(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, [node("n1", 1)]).await?;
    session.create(&pod("p", "2")).await?;
    session.journal.until_rejected("p", "0/1 nodes are available: 1 Insufficient cpu.").await?;
    let message = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are \
                   available: 1 Preemption is not helpful for scheduling.";
    let condition = session.journal.now(|pods| pods.by_name.get("p").and_then(|seen| seen.scheduled.clone()));
    ensure!(
        condition == Some(("False".into(), "Unschedulable".into(), message.into())),
        "the condition is {condition:?}"
    );

    let event = events::with_note(&target.client, "p", "FailedScheduling", "").await?;
    let event = [event.note, event.action, event.type_, event.reporting_controller];
    let expected = [message, "Scheduling", "Warning", "default-scheduler"].map(|text| Some(text.to_owned()));
    ensure!(event == expected, "the event is {event:?}, expected {expected:?}");
    session.end().await
}
