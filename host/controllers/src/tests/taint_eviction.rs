//! Tests which pods NoExecute taints evict, and when.

use serde_json::{Value, json};

use super::super::taint_eviction;
use super::{ago, cluster, key, lines, node, now, pod, running, with};

/// Returns the writes about a pod with these tolerations, which started 100 seconds ago, and the seconds to the next run.
fn plan(taints: Value, tolerations: Value, more: Value) -> (Vec<String>, Option<u64>) {
    let tainted = node("n", json!({ "spec": { "taints": taints } }));
    let pod = with(pod("p", running("n", 100)), json!({ "spec": { "tolerations": tolerations } }));
    let plan = taint_eviction::plan(&cluster([tainted, with(pod, more)]), &key("default/p"), now());
    (lines(&plan), plan.rerun_after.map(|after| after.as_secs()))
}

fn taint(key: &str, added: i64) -> Value {
    json!({ "key": key, "effect": "NoExecute", "timeAdded": ago(added) })
}

fn tolerates(key: &str, seconds: Value) -> Value {
    json!({ "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds })
}

#[test]
fn a_pod_stays_as_long_as_it_tolerates_all_taints() {
    let no_schedule = json!({ "key": "a", "effect": "NoSchedule" });
    // Each case: taints, tolerations, and whether the pod is evicted or the seconds until then.
    let cases = [
        (json!([]), json!([]), Ok(None)),
        (json!([no_schedule]), json!([]), Ok(None)),
        (json!([taint("a", 1)]), json!([]), Err(())),
        (json!([taint("a", 1)]), json!([tolerates("b", json!(null))]), Err(())),
        (json!([taint("a", 1)]), json!([tolerates("a", json!(null))]), Ok(None)),
        (json!([taint("a", 1)]), json!([with(tolerates("a", json!(null)), json!({ "operator": "Lt" }))]), Err(())),
        (json!([taint("a", 10)]), json!([tolerates("a", json!(30))]), Ok(Some(20))),
        (json!([taint("a", 30)]), json!([tolerates("a", json!(30))]), Err(())),
        (json!([taint("a", 1)]), json!([tolerates("a", json!(0))]), Err(())),
        (json!([taint("a", 1)]), json!([tolerates("a", json!(-5))]), Err(())),
        // The pod started after the taint was added.
        (json!([taint("a", 500)]), json!([tolerates("a", json!(300))]), Ok(Some(200))),
        (json!([taint("a", 10), taint("b", 10)]), json!([tolerates("a", json!(30))]), Err(())),
        (
            json!([taint("a", 10), taint("b", 10)]),
            json!([tolerates("a", json!(90)), tolerates("b", json!(40))]),
            Ok(Some(30)),
        ),
    ];
    for (taints, tolerations, expected) in cases {
        let (writes, next) = plan(taints.clone(), tolerations.clone(), json!({}));
        let found = if writes.is_empty() { Ok(next) } else { Err(()) };
        assert_eq!(found, expected, "{taints} {tolerations}");
    }
}

#[test]
fn a_pod_that_never_started_stays_from_its_creation_on() {
    let waiting =
        json!({ "metadata": { "creationTimestamp": ago(10) }, "status": { "phase": "Pending", "startTime": null } });
    let tolerations = json!([tolerates("a", json!(300))]);
    assert_eq!(plan(json!([taint("a", 900)]), tolerations, waiting), (Vec::new(), Some(290)));
}

#[test]
fn an_evicted_pod_gets_its_condition_before_it_is_deleted() {
    let (writes, _) = plan(json!([taint("a", 1)]), json!([]), json!({}));
    let [write] = &writes[..] else { panic!("{writes:?}") };
    assert!(write.starts_with("patch Pod/status default/p") && write.contains("DeletionByTaintManager"), "{write}");
    let condition = json!({ "status": { "conditions": [{ "type": "DisruptionTarget", "status": "True" }] } });
    assert_eq!(plan(json!([taint("a", 1)]), json!([]), condition).0, ["delete Pod default/p"]);
}

#[test]
fn pods_that_end_or_ended_are_left_alone() {
    let deleting = json!({ "metadata": { "deletionTimestamp": ago(1) } });
    for more in [deleting, json!({ "status": { "phase": "Succeeded" } }), json!({ "spec": { "nodeName": "other" } })] {
        assert_eq!(plan(json!([taint("a", 1)]), json!([]), more.clone()), (Vec::new(), None), "{more}");
    }
}
