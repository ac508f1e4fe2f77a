//! Full nodes, and pods of several priorities.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Objects;
use super::parts::{Part, any_of, field, optional};
use crate::case::Case;

/// Draws nodes with four cores. Some have a taint that no pod tolerates.
pub fn nodes() -> Vec<Part> {
    let allocatable = json!({"status": {"allocatable": {"cpu": "4", "pods": "5"}}});
    let taint = json!([{"key": "dedicated", "value": "a", "effect": "NoSchedule"}]);
    vec![Just(allocatable).boxed(), prop_oneof![4 => Just(json!({})), 1 => field("spec.taints", Just(taint))].boxed()]
}

/// Draws requests, which mostly equal all cores of a node, host ports, priorities, preemption policies, labels and
/// nominated nodes.
pub fn pods() -> Vec<Part> {
    let cores = any_of(&["4", "1", "2", "3", "4", "4", "4"]);
    let container = (cores, prop::option::of(any_of(&[80, 8080]))).prop_map(|(cores, port)| {
        let mut container = json!({"name": "c0", "image": "app:1", "resources": {"requests": {"cpu": cores}}});
        if let Some(port) = port {
            container["ports"] = json!([{"containerPort": port, "hostPort": port}]);
        }
        json!([container])
    });
    vec![
        field("spec.containers", container),
        field("spec.priority", any_of(&[0, 5, 5, 100, 100, -10])),
        prop_oneof![
            4 => Just(json!({})),
            1 => field("spec.preemptionPolicy", any_of(&["Never", "PreemptLowerPriority"])),
        ]
        .boxed(),
        optional("metadata.labels.app", any_of(&["web", "api"])),
        prop_oneof![3 => Just(json!({})), 1 => field("status.nominatedNodeName", any_of(&["n0", "n1", "n9"]))].boxed(),
    ]
}

/// Draws the start times of running pods, as numbers that `settle` replaces. Some of the pods are being deleted or have
/// the condition DisruptionTarget.
pub fn residents() -> Vec<Part> {
    let terminating =
        json!({"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["example.com/wait"]}});
    let target = (any_of(&["True", "True", "False"]), any_of(&["PreemptionByScheduler", "EvictionByEvictionAPI"]));
    let condition =
        target.prop_map(|(status, reason)| json!([{"type": "DisruptionTarget", "status": status, "reason": reason}]));
    vec![
        field("status.startTime", (0_i64..3).prop_map(Value::from)),
        prop_oneof![3 => Just(json!({})), 1 => Just(terminating)].boxed(),
        prop_oneof![2 => Just(json!({})), 1 => field("status.conditions", condition)].boxed(),
    ]
}

/// Draws PodDisruptionBudgets.
pub fn budgets() -> Objects {
    let apps = || any_of(&["web", "api"]);
    let selector = prop_oneof![
        4 => apps().prop_map(|app| json!({"matchLabels": {"app": app}})),
        1 => apps().prop_map(|app| json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]})),
        1 => Just(json!({})),
    ];
    let disrupted = any_of(&["r0", "r1", "r2"]).prop_map(|name| {
        let name = name.as_str().unwrap_or_default().to_owned();
        json!({ name: "2026-01-02T03:04:05Z" })
    });
    let status = |allowed: i64| json!({"disruptionsAllowed": allowed, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0});
    Objects {
        api_version: "policy/v1",
        kind: "PodDisruptionBudget",
        names: &["one", "two"],
        namespaces: &["default", "other"],
        parts: vec![
            optional("spec.selector", selector.boxed()),
            field("status", (0_i64..=2).prop_map(status)),
            optional("status.disruptedPods", disrupted),
        ],
    }
}

/// Draws `DefaultPreemptionArgs`. All nodes are candidates, because the clusters are smaller than the default minimum
/// of 100 candidates.
pub fn arguments() -> Part {
    let every_node = any_of(&[0, 10, 100]).prop_map(|percentage| json!({"minCandidateNodesPercentage": percentage}));
    optional("DefaultPreemption", every_node)
}

/// Makes the start times of pods unique: kube-scheduler does not define which of two pods with equal priority and
/// start time is more important.
pub fn settle(case: &mut Case) {
    for pod in case.set_mut().filter(|object| object["kind"] == "Pod") {
        let number: i64 = pod["metadata"]["name"].as_str().and_then(|name| name[1..].parse().ok()).unwrap_or_default();
        let drawn = pod["status"]["startTime"].as_i64().unwrap_or_default();
        // A pod without a start time counts as the youngest, so only r0 can have no start time.
        pod["status"]["startTime"] = match (drawn, number) {
            (0, 0) => Value::Null,
            _ => format!("2025-06-01T00:{drawn:02}:{number:02}Z").into(),
        };
    }
}
