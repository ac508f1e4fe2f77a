//! Objects that tests start from, as the API's JSON.

use serde_json::{Value, json};

/// The namespace of all pods.
pub const NAMESPACE: &str = "default";

/// Returns a ready node with this name, `cpu` cores, 16Gi of memory and a capacity of 110 pods.
pub fn node(name: &str, cpu: u32) -> Value {
    let amounts = json!({"cpu": cpu.to_string(), "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "capacity": amounts, "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

/// Returns `NAME-0`, `NAME-1` …, each as [`node`].
pub fn nodes(name: &str, count: usize, cpu: u32) -> Vec<Value> {
    (0..count).map(|n| node(&format!("{name}-{n}"), cpu)).collect()
}

/// Returns a pod with one container that requests this much CPU (`100m`) and 64Mi of memory.
pub fn pod(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"containers": [{
            "name": "main", "image": "registry.example/app:1",
            "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}},
        }]},
    })
}

/// Returns `NAME-0`, `NAME-1` …, each as [`pod`].
pub fn pods(name: &str, count: usize, cpu: &str) -> Vec<Value> {
    (0..count).map(|n| pod(&format!("{name}-{n}"), cpu)).collect()
}

/// Returns a PriorityClass with this priority.
pub fn priority_class(name: &str, value: i32) -> Value {
    json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
    })
}

/// Returns a Service that selects the pods whose label `app` has this value.
pub fn service(app: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": app, "namespace": NAMESPACE},
        "spec": {"selector": {"app": app}, "ports": [{"port": 80}]},
    })
}

/// Returns a Deployment with this many replicas of [`pod`].
pub fn deployment(name: &str, replicas: u32, cpu: &str) -> Value {
    let labels = json!({"app": name});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod(name, cpu)["spec"]},
        },
    })
}

/// Returns the object with `change` applied as a JSON merge patch.
#[must_use]
pub fn with(mut object: Value, change: &Value) -> Value {
    json_patch::merge(&mut object, change);
    object
}

/// Returns the node with these taints, in kubectl's notation: `key=value:effect`.
#[must_use]
pub fn tainted(node: Value, taints: &[&str]) -> Value {
    let taint = |text: &&str| {
        let (pair, effect) = text.split_once(':').unwrap_or((text, "NoSchedule"));
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        json!({"key": key, "value": value, "effect": effect})
    };
    let taints: Vec<Value> = taints.iter().map(taint).collect();
    with(node, &json!({"spec": {"taints": taints}}))
}
