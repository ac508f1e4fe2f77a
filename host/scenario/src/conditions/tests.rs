use std::time::Instant;

use berth_clock::Now;
use serde_json::{Value, json};

use super::*;

fn now() -> Now {
    Now { timestamp: "2026-01-01T00:00:00Z".parse().unwrap(), instant: Instant::now() }
}

fn pod(name: &str, node: &str, more: Value) -> Pod {
    let scheduled = json!({ "type": "PodScheduled", "status": "False", "message": "0/2 nodes: Insufficient cpu" });
    let mut pod = json!({
        "metadata": { "name": name, "namespace": "default", "uid": name, "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "c", "resources": { "requests": { "cpu": "500m" } } }] },
        "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] },
    });
    match node {
        "" => pod["status"] = json!({ "phase": "Pending", "conditions": [scheduled] }),
        node => pod["spec"]["nodeName"] = node.into(),
    }
    for (key, value) in more.as_object().unwrap() {
        pod[key] = value.clone();
    }
    serde_json::from_value(pod).unwrap()
}

/// Two pods on the node a1, one on b1, and one pending.
fn view() -> View {
    let mut view = View::default();
    for (name, zone) in [("a1", "a"), ("b1", "b"), ("c1", "c")] {
        let labels = json!({ "zone": zone });
        let status = json!({ "allocatable": { "cpu": "2", "pods": "10" } });
        let node = json!({ "metadata": { "name": name, "labels": labels }, "status": status });
        view.nodes.insert(name.into(), serde_json::from_value(node).unwrap());
    }
    for (name, node) in [("w1", "a1"), ("w2", "a1"), ("w3", "b1"), ("w4", "")] {
        view.set_pod(pod(name, node, json!({})), now());
    }
    let target = json!({ "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler" });
    view.set_pod(pod("w2", "a1", json!({ "status": { "phase": "Running", "conditions": [target] } })), now());
    view
}

fn problem(of: Value) -> Result<Option<String>, String> {
    let of: Condition = serde_json::from_value(of).unwrap();
    Ok(check(&of, &view())?.map(|problem| problem.text))
}

#[test]
fn a_true_condition_has_no_problem() {
    for of in [
        json!({ "placed": { "pods": { "name": "w1" }, "on": "zone=a", "count": 1 } }),
        json!({ "placed": { "pods": { "name": "w*", "selector": "app!=web" }, "count": 0 } }),
        json!({ "running": { "pods": "app=web", "count": 2 } }),
        json!({ "running": { "pods": "app=web", "count": { "min": 1, "max": 2 } } }),
        json!({ "pending": { "pods": "app=web", "count": 1, "reason": "Insufficient cpu" } }),
        json!({ "pods": { "pods": "", "count": 4 } }),
        json!({ "spread": { "pods": "app=web", "by": "zone", "maxSkew": 2 } }),
        json!({ "nodesUsed": { "count": 2 } }),
        json!({ "utilization": { "resource": "cpu", "min": 37.0, "max": 38.0 } }),
        json!({ "utilization": { "resource": "pods", "on": "zone in (c)", "max": 0.0 } }),
        json!({ "evictions": { "count": 1, "reason": "PreemptionByScheduler" } }),
        json!({ "evictions": { "count": 0, "pods": { "name": "w1" } } }),
        json!({ "order": [{ "name": "w1" }, { "name": "w3" }] }),
        json!({ "holds": "pods.filter(p, has(p.spec.nodeName)).size() == 3 && nodes.size() == 3" }),
    ] {
        assert_eq!(problem(of.clone()), Ok(None), "{of}");
    }
}

#[test]
fn a_false_condition_says_what_was_found() {
    for (of, expected) in [
        (
            json!({ "placed": { "pods": "app=web" } }),
            "1 of 4 of the pods with app=web are pending: default/w4 (0/2 nodes: Insufficient cpu)",
        ),
        (
            json!({ "placed": { "pods": { "name": "w3" }, "on": "zone=a" } }),
            "1 of 1 of the pods with the name w3 are not on the nodes with zone=a: default/w3 (Running on b1)",
        ),
        (json!({ "placed": { "pods": "app=db" } }), "no pod is among the pods with app=db"),
        (
            json!({ "running": { "pods": "app=web", "count": { "min": 3 } } }),
            "2 of the pods with app=web run, instead of at least 3",
        ),
        (
            json!({ "pending": { "pods": "app=web", "count": 1, "reason": "taint" } }),
            "1 pending pods have another reason than \"taint\"",
        ),
        (
            json!({ "pending": { "pods": { "name": "w1" } } }),
            "0 of 1 of the pods with the name w1 are pending, instead of all",
        ),
        (
            json!({ "spread": { "pods": "app=web", "by": "zone", "maxSkew": 1 } }),
            "the skew of the pods with app=web over zone is 2, more than 1 (a: 2, b: 1, c: 0)",
        ),
        (json!({ "nodesUsed": { "count": 1 } }), "the pods are on 2 nodes instead of 1 (a1, b1)"),
        (
            json!({ "utilization": { "resource": "cpu", "min": 50.0 } }),
            "37.5 % of cpu is requested on 2 nodes, instead of at least 50 %",
        ),
        (
            json!({ "utilization": { "resource": "gpu", "min": 50.0 } }),
            "no node among the counted ones has the resource gpu",
        ),
        (json!({ "evictions": { "count": { "max": 0 } } }), "1 evictions instead of at most 0: default/w2"),
        (json!({ "order": [{ "name": "w3" }, { "name": "w1" }] }), "default/w3 was bound after default/w1"),
        (json!({ "order": [{ "name": "w4" }, { "name": "w1" }] }), "none of the pods with the name w4 was bound"),
        (json!({ "holds": "nodes.size() == 0" }), "this is not true: nodes.size() == 0"),
    ] {
        let found = problem(of.clone()).unwrap().unwrap_or_default();
        assert!(found.starts_with(expected), "{of}: {found}");
    }
}

#[test]
fn a_condition_that_can_not_be_evaluated_is_an_error() {
    for (of, expected) in [
        (json!({}), "a condition is empty"),
        (json!({ "holds": "true", "order": [] }), "a condition has several fields"),
        (json!({ "placed": { "pods": "app in" } }), "\"app in\" is no label selector"),
        (json!({ "holds": "pods" }), "\"pods\" is"),
        (json!({ "holds": "nothing.size() == 1" }), "\"nothing.size() == 1\" can't be evaluated"),
    ] {
        let error = problem(of.clone()).unwrap_err();
        assert!(error.starts_with(expected), "{of}: {error}");
    }
}
