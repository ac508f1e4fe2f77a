//! Tests the status of PodDisruptionBudgets.

use serde_json::{Value, json};

use super::super::disruption;
use super::super::kinds::Kind;
use super::{ago, cluster, key, lines, now, owned_by, pod, running, status, with};

fn budget(spec: Value, more: Value) -> Value {
    let budget = json!({
        "kind": "PodDisruptionBudget",
        "metadata": { "namespace": "default", "name": "b" },
        "spec": with(json!({ "selector": { "matchLabels": { "app": "a" } } }), spec),
    });
    with(budget, more)
}

/// Returns a ReplicaSet with four replicas, of which three pods exist and two are ready, and an unrelated pod.
fn workload() -> Vec<Value> {
    let set = json!({
        "kind": "ReplicaSet",
        "metadata": { "namespace": "default", "name": "r" },
        "spec": { "replicas": 4, "selector": { "matchLabels": { "app": "a" } } },
    });
    let meta =
        json!({ "metadata": { "labels": { "app": "a" }, "ownerReferences": owned_by("apps/v1", "ReplicaSet", "r") } });
    let member = |name: &str, more: Value| pod(name, with(meta.clone(), more));
    let other = pod("x", running("n", 9));
    vec![set, member("a", running("n", 9)), member("b", running("n", 9)), member("c", json!({})), other]
}

#[test]
fn the_bounds_are_numbers_or_percentages() {
    // Each case: the budget's bound, and the expected, desired, healthy and allowed numbers of pods.
    let cases = [
        (json!({ "minAvailable": 1 }), [3, 1, 2, 1]),
        (json!({ "minAvailable": 3 }), [3, 3, 2, 0]),
        (json!({ "minAvailable": "25%" }), [4, 1, 2, 1]),
        (json!({ "minAvailable": "30%" }), [4, 2, 2, 0]),
        (json!({ "maxUnavailable": 3 }), [4, 1, 2, 1]),
        (json!({ "maxUnavailable": "50%" }), [4, 2, 2, 0]),
    ];
    for (spec, wanted) in cases {
        let cluster = cluster(workload().into_iter().chain([budget(spec.clone(), json!({}))]));
        let status = status(&disruption::plan(&cluster, &key("default/b"), now()), Kind::PodDisruptionBudget);
        let counts = ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"];
        assert_eq!(counts.map(|count| status[count].as_i64()), wanted.map(Some), "{spec}");
        assert_eq!(status["conditions"][0]["status"], if wanted[3] > 0 { "True" } else { "False" }, "{spec}");
    }
}

#[test]
fn an_eviction_counts_until_it_is_observed_or_expires() {
    let evicted = |seconds: i64| {
        budget(
            json!({ "minAvailable": 1 }),
            json!({ "status": {
        "disruptedPods": { "a": ago(seconds), "gone": ago(1) },
    } }),
        )
    };
    let plan = |seconds| {
        disruption::plan(&cluster(workload().into_iter().chain([evicted(seconds)])), &key("default/b"), now())
    };
    let fresh = plan(20);
    let written = status(&fresh, Kind::PodDisruptionBudget);
    assert_eq!((&written["currentHealthy"], &written["disruptionsAllowed"]), (&json!(1), &json!(0)));
    assert_eq!(written["disruptedPods"]["gone"], Value::Null);
    assert_eq!(fresh.rerun_after.map(|after| after.as_secs()), Some(100));
    assert_eq!(status(&plan(120), Kind::PodDisruptionBudget)["currentHealthy"], 2, "forgotten");
}

#[test]
fn an_unchanged_status_is_not_written() {
    let first = cluster(workload().into_iter().chain([budget(json!({ "minAvailable": 1 }), json!({}))]));
    let written = status(&disruption::plan(&first, &key("default/b"), now()), Kind::PodDisruptionBudget);
    let known = budget(json!({ "minAvailable": 1 }), json!({ "status": written }));
    let second = cluster(workload().into_iter().chain([known]));
    assert!(lines(&disruption::plan(&second, &key("default/b"), now())).is_empty());
}
