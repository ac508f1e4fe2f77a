//! Tests of queueing hints for pods without devices.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};

use super::*;

#[test]
fn the_pods_claims_and_freed_devices_cause_a_retry() {
    let mut host = host();
    claim(&mut host, "mine", &[one("r", "true")]);
    let claim_with = |status: Value, finalizers: Value| {
        json!({ "metadata": { "finalizers": finalizers }, "status": status }).to_string()
    };
    let free = claim_with(json!({}), json!([]));
    let kept = claim_with(json!({}), json!(["example.com/keeps"]));
    let has = claim_with(allocated("a-0"), json!([]));
    let mut used = allocated("a-0");
    used["reservedFor"] = json!([{ "resource": "pods", "name": "other", "uid": "other" }]);
    let used = claim_with(used, json!([]));
    for (name, before, after, expected) in [
        ("mine", None, Some(&free), Queue),
        ("mine", Some(&free), Some(&has), Queue),
        ("mine", Some(&has), Some(&used), Queue),
        ("mine", Some(&free), Some(&kept), Skip),
        ("other", None, Some(&free), Skip),
        ("other", None, Some(&has), Skip),
        ("other", Some(&free), Some(&has), Skip),
        ("other", Some(&used), Some(&has), Skip),
        ("other", Some(&has), Some(&free), Queue),
        ("other", Some(&has), None, Queue),
        ("other", Some(&free), None, Skip),
    ] {
        let actions = match (before, after) {
            (None, _) => Actions::ADD,
            (_, None) => Actions::DELETE,
            _ => Actions::UPDATE,
        };
        let change = [before, after].map(|claim| claim.map(String::as_str));
        let kind = "resource.k8s.io/v1/ResourceClaim";
        let hint = host.object_hint(kind, actions, ["default", name], change, &using(&["mine"]));
        assert_eq!(hint, expected, "{name}: {before:?}, {after:?}");
        let missing = host.object_hint(kind, actions, ["default", name], change, &using(&["mine", "none"]));
        assert_eq!(missing, Skip, "{name}: a claim of the pod's is still missing");
    }
}

#[test]
fn the_deleted_claim_of_the_pod_causes_a_retry() {
    let mut host = host();
    let made_for = |uid: &str| json!({ "metadata": { "ownerReferences": [{ "uid": uid }] } }).to_string();
    for (owner, gone, expected) in [("p-uid", true, Queue), ("p-uid", false, Skip), ("other", true, Skip)] {
        let claim = made_for(owner);
        let after = if gone { None } else { Some(claim.as_str()) };
        let actions = if gone { Actions::DELETE } else { Actions::UPDATE };
        let kind = "resource.k8s.io/v1/ResourceClaim";
        let pod = using(&[]).uid("p-uid");
        let hint = host.object_hint(kind, actions, ["default", "made"], [Some(&claim), after], &pod);
        assert_eq!(hint, expected, "{owner}, gone: {gone}");
    }
}

#[test]
fn nodes_classes_and_slices_cause_a_retry() {
    let mut host = host();
    claim(&mut host, "mine", &[one("r", "true")]);
    let pod = using(&["mine"]);
    let n = node("n");
    assert_eq!(host.node_hint(Actions::ADD, [None, Some(&n)], &pod), Queue);
    assert_eq!(
        host.node_hint(Actions::UPDATE_TAINTS, [Some(&n), Some(&n)], &pod),
        Skip,
        "the plugin does not wait for this action"
    );
    for kind in ["resource.k8s.io/v1/DeviceClass", "resource.k8s.io/v1/ResourceSlice"] {
        assert_eq!(host.object_hint(kind, Actions::ADD, ["", "o"], [None, Some("{}")], &pod), Queue);
        assert_eq!(
            host.object_hint(kind, Actions::DELETE, ["", "o"], [Some("{}"), None], &pod),
            Skip,
            "the plugin does not wait for this action"
        );
    }
    let other = using(&[]).name("other").uid("other");
    assert_eq!(
        host.pod_hint(Actions::UPDATE_LABELS, [Some(&other), Some(&other)], &pod),
        Skip,
        "the plugin does not wait for this action"
    );
}
