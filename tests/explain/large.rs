//! Explanations of large clusters are bounded.

use berth_analysis::{MOST_CONFIRMATIONS, PodStatus, explain, text};
use serde_json::{Value, json};

use crate::stock::{copy, node_object, pod_object, sandbox};

/// The number of nodes. Each has a reason of its own to reject the pod.
const NODES: usize = 300;

#[test]
fn the_number_of_questions_and_lines_is_bounded() {
    let taint = |at: usize| json!({"spec": {"taints": [{"key": (format!("team-{at}")), "effect": "NoSchedule"}]}});
    let cluster: Vec<Value> = (0..NODES).map(|at| node_object(&format!("node-{at}"), taint(at))).collect();
    let term = |at: usize| json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": (format!("app-{at}"))}}});
    let constraint = |at: usize| json!({"maxSkew": 1, "topologyKey": (format!("zone-{at}")), "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}});
    let selector: serde_json::Map<String, Value> = (0..40).map(|at| (format!("key-{at}"), json!("1"))).collect();
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let pod = pod_object(
        "p",
        json!({"spec": {
            "nodeSelector": selector,
            "topologySpreadConstraints": (0..40).map(constraint).collect::<Vec<_>>(),
            "affinity": {"podAntiAffinity": {required: (0..40).map(term).collect::<Vec<_>>()}},
        }}),
    );
    let mut sandbox = sandbox(&copy(&cluster));
    let explanation = explain(&mut sandbox, &pod, PodStatus::default()).expect("a valid pod");
    assert_eq!(explanation.suggestions, [], "no single change helps");
    let tainted = pod_object("p", json!({}));
    let explanation = explain(&mut sandbox, &tainted, PodStatus::default()).expect("a valid pod");
    assert!((1..=8).contains(&explanation.suggestions.len()), "{explanation:#?}");
    assert!(explanation.confirmations <= MOST_CONFIRMATIONS);
    assert!(explanation.rejections.iter().all(|row| row.examples.len() <= 5));
    let lines = text::explanation(&explanation).lines().count();
    assert!(lines < 50, "{lines} lines");
}

#[test]
fn a_limit_that_is_reached_is_reported() {
    let labels: serde_json::Map<String, Value> = (0..60).map(|at| (format!("key-{at}"), json!("2"))).collect();
    let cluster = [node_object("a", json!({"metadata": {"labels": labels}}))];
    // Each of the pods is in the way alone.
    let ports: Vec<Value> = (0..70).map(|at| json!({"containerPort": 1, "hostPort": 1000 + at})).collect();
    let mut running =
        pod_object("r", json!({"spec": {"nodeName": "a", "containers": [{"name": "c", "ports": ports}]}}));
    running["metadata"]["uid"] = "r".into();
    let pod = pod_object("p", json!({"spec": {"containers": [{"name": "c", "ports": ports}]}}));
    let mut objects = cluster.to_vec();
    objects.push(running);
    let explanation = explain(&mut sandbox(&copy(&objects)), &pod, PodStatus::default()).expect("a valid pod");
    assert_eq!((explanation.confirmations, explanation.confirmations_limited), (MOST_CONFIRMATIONS, true));
    assert!(text::explanation(&explanation).contains("further changes were not tried"));
}
