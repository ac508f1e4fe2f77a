//! Pods are placed on suitable nodes only, and the pod's condition and event report the placement.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{node, nodes, pod, tainted, with};
use berth_tests::{Session, Target, api, events};
use serde_json::{Value, json};

crate::case::cases!(Both:
    each_pod_gets_a_suitable_node,
    a_host_port_is_used_once_per_node,
    scheduled_event_and_condition,
);

/// The number of copies of each pod. A single pod could be on the right node by chance.
const COPIES: usize = 3;

/// A pod's name, the change of its spec, and the suitable nodes.
type Row = (&'static str, Value, &'static [&'static str]);

async fn each_pod_gets_a_suitable_node(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, cluster()).await?;
    for (name, change, _) in rows() {
        let copy = |n| with(pod(&format!("{name}-{n}"), "10m"), &json!({"spec": change}));
        session.create_all((0..COPIES).map(copy)).await?;
    }
    let mut errors = Vec::new();
    for (name, _, suitable) in rows() {
        let placed = session.journal.until_placed(&format!("{name}-"), COPIES).await?;
        if !placed.values().all(|node| suitable.contains(&node.as_str())) {
            errors.push(format!("pods are on {placed:?}, but the suitable nodes are {suitable:?}"));
        }
    }
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    session.end().await
}

/// Returns nodes that differ in properties that pods can require.
fn cluster() -> Vec<Value> {
    let zone = |name: &str, zone: &str| {
        with(node(name, 4), &json!({"metadata": {"labels": {"topology.kubernetes.io/zone": zone, "generation": "5"}}}))
    };
    let offers = |name: &str, resource: &str, amount: &str| {
        let amounts = json!({resource: amount});
        with(node(name, 4), &json!({"status": {"capacity": amounts, "allocatable": amounts}}))
    };
    let image = json!([{"names": ["registry.example/huge:1"], "sizeBytes": 6_000_000_000_u64}]);
    vec![
        zone("zone-a", "a"),
        zone("zone-b", "b"),
        with(node("ssd", 4), &json!({"metadata": {"labels": {"disk": "ssd"}}})),
        tainted(node("batch", 4), &["dedicated=batch:NoSchedule"]),
        tainted(node("soft", 4), &["slow:PreferNoSchedule"]),
        with(node("cordoned", 4), &json!({"spec": {"unschedulable": true}})),
        offers("gpu", "nvidia.com/gpu", "4"),
        node("big", 96),
        with(node("imaged", 4), &json!({"status": {"images": image}})),
    ]
}

fn rows() -> Vec<Row> {
    let free = &["zone-a", "zone-b", "ssd", "gpu", "big", "imaged"];
    let required = |terms: Value| {
        let required = json!({"nodeSelectorTerms": terms});
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}})
    };
    let label = |key: &str, operator: &str, values: &[&str]| json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]);
    let preferred = json!([
        {"weight": 100, "preference": {"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]},
        ]}},
    ]);
    let cpu = |amount: &str| json!({"requests": {"cpu": amount}});
    let container = |name: &str, amount: &str| json!({"name": name, "image": "a", "resources": cpu(amount)});
    let gpu = json!({"nvidia.com/gpu": "1"});
    vec![
        ("any", json!({}), free),
        ("selector", json!({"nodeSelector": {"disk": "ssd"}}), &["ssd"]),
        ("in", required(label("topology.kubernetes.io/zone", "In", &["b", "c"])), &["zone-b"]),
        (
            "not-in",
            required(label("kubernetes.io/hostname", "NotIn", &["gpu", "big", "imaged", "ssd"])),
            &["zone-a", "zone-b"],
        ),
        ("exists", required(label("disk", "Exists", &[])), &["ssd"]),
        ("gt", required(label("generation", "Gt", &["4"])), &["zone-a", "zone-b"]),
        (
            "field",
            required(json!([{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["gpu"]}]}])),
            &["gpu"],
        ),
        (
            "either",
            required(json!([label("disk", "Exists", &[])[0], label("generation", "Lt", &["6"])[0]])),
            &["ssd", "zone-a", "zone-b"],
        ),
        (
            "preferred",
            json!({"affinity": {"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": preferred}}}),
            &["zone-b"],
        ),
        (
            "tolerant",
            json!({
                "nodeSelector": {"kubernetes.io/hostname": "batch"},
                "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule"}],
            }),
            &["batch"],
        ),
        (
            "daemon",
            json!({
                "nodeSelector": {"kubernetes.io/hostname": "cordoned"},
                "tolerations": [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}],
            }),
            &["cordoned"],
        ),
        ("avoiding", required(label("kubernetes.io/hostname", "In", &["soft", "zone-a"])), &["zone-a"]),
        ("large", json!({"containers": [container("main", "5")]}), &["big"]),
        (
            "gpu-job",
            json!({"containers": [{"name": "main", "image": "a",
            "resources": {"requests": gpu, "limits": gpu}}]}),
            &["gpu"],
        ),
        ("init", json!({"initContainers": [container("first", "5")]}), &["big"]),
        (
            "sidecar",
            json!({
                "initContainers": [with(container("side", "3"), &json!({"restartPolicy": "Always"}))],
                "containers": [container("main", "2")],
            }),
            &["big"],
        ),
        ("pod-level", json!({"resources": cpu("5")}), &["big"]),
        ("image", json!({"containers": [{"name": "main", "image": "registry.example/huge:1"}]}), &["imaged"]),
    ]
}

async fn a_host_port_is_used_once_per_node(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 3, 4)).await?;
    let port = json!({"containerPort": 80, "hostPort": 8080});
    let container = json!({"name": "main", "image": "a", "ports": [port]});
    let agent = |n| with(pod(&format!("agent-{n}"), "10m"), &json!({"spec": {"containers": [container]}}));
    session.create_all((0..4).map(agent)).await?;
    let by_node = session
        .journal
        .until("three agents are placed and the fourth is rejected", |pods| {
            let mut by_node: BTreeMap<String, usize> = BTreeMap::new();
            for node in pods.by_name.values().filter_map(|seen| seen.node.clone()) {
                *by_node.entry(node).or_default() += 1;
            }
            let messages: Vec<&str> = pods.by_name.values().filter_map(|seen| seen.rejection()).collect();
            let message = "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.";
            if messages == [message] {
                Look::Yes(by_node)
            } else {
                Look::NotYet(format!("{by_node:?}, rejected: {messages:?}"))
            }
        })
        .await?;
    ensure!(by_node.values().all(|pods| *pods == 1), "agents with the same host port share a node: {by_node:?}");
    session.end().await
}

async fn scheduled_event_and_condition(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, [node("n1", 4)]).await?;
    session.create(&pod("p", "10m")).await?;
    let seen = session
        .journal
        .until("the pod has a node and its condition", |pods| match pods.by_name.get("p") {
            Some(seen) if seen.node.is_some() && seen.scheduled.is_some() => Look::Yes(seen.clone()),
            seen => Look::NotYet(format!("{seen:?}")),
        })
        .await?;
    let scheduled = seen.scheduled.clone().unwrap_or_default();
    ensure!(scheduled == ("True".into(), String::new(), String::new()), "the condition is {scheduled:?}");

    let event = events::with_note(&target.client, "p", "Scheduled", "").await?;
    let fields = json!({
        "note": event.note, "action": event.action, "type": event.type_, "reason": event.reason,
        "reportingController": event.reporting_controller, "regarding": event.regarding,
    });
    let regarding = fields["regarding"].as_object().context("the event has no regarding object")?;
    let expected = json!({
        "note": "Successfully assigned default/p to n1", "action": "Binding", "type": "Normal", "reason": "Scheduled",
        "reportingController": "default-scheduler",
        "regarding": {
            "kind": "Pod", "namespace": "default", "name": "p", "uid": seen.uid, "apiVersion": "v1",
            "resourceVersion": regarding.get("resourceVersion"),
        },
    });
    ensure!(fields == expected, "the event is {fields:#}, expected {expected:#}");
    let instance = event.reporting_instance.unwrap_or_default();
    ensure!(instance.starts_with("default-scheduler-"), "reportingInstance is {instance:?}");
    api::delete(&target.client, &pod("p", "10m")).await?;
    session.end().await
}
