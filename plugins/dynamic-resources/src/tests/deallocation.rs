//! Tests of deallocation: for unschedulable pods, and for pods that were not bound.

use berth_guest::intents::Intent;
use berth_guest::post_filter::{PostFilter, PostFilterResult};
use berth_guest::testing::Rejections;

use super::*;

/// Returns the reasons and intents of the post-filter, after all nodes were filtered.
fn post_filter_answer(host: &mut Host<Plugin>, pod: &PodBuilder) -> (String, Vec<Intent>) {
    let answer = host.post_filter(pod, Rejections::default(), |_, _| None);
    let Ok(PostFilter { result: PostFilterResult::Unschedulable { reasons, clear: false }, intents, .. }) = answer
    else {
        panic!("{answer:?}")
    };
    (reasons.join(", "), intents)
}

fn on(node: &str) -> Value {
    json!({ "nodeSelectorTerms": [{ "matchFields": [
        { "key": "metadata.name", "operator": "In", "values": [node] },
    ] }] })
}

/// Adds a claim that is allocated on node `a` and reserved for these pods.
fn allocated_on_a(host: &mut Host<Plugin>, name: &str, users: &[&str]) {
    let mut status = allocated("a-0");
    status["allocation"]["nodeSelector"] = on("a");
    status["reservedFor"] = users.iter().map(|uid| json!({ "resource": "pods", "name": uid, "uid": uid })).collect();
    claim_with(host, name, json!({ "requests": [one("r", "true")] }), status);
}

#[test]
fn post_filter_deallocates_an_unused_claim_that_does_not_fit() {
    for (users, expected) in [
        (&[] as &[&str], "deallocation of ResourceClaim completed"),
        (&["p-uid"], "deallocation of ResourceClaim completed"),
        (&["q-uid"], "still not schedulable"),
        (&["p-uid", "q-uid"], "still not schedulable"),
    ] {
        let mut host = host();
        allocated_on_a(&mut host, "c", users);
        let pod = using(&["c"]);
        let (reasons, intents) = post_filter_answer(&mut host, &pod);
        assert_eq!((reasons.as_str(), intents.len()), ("still not schedulable", 0), "no node was filtered yet");
        assert!(host.verdict(&pod, "b").is_some());
        let (reasons, intents) = post_filter_answer(&mut host, &pod);
        assert_eq!(reasons, expected, "{users:?}");
        let cleared = json!({
            "metadata": { "resourceVersion": "7" },
            "status": { "allocation": null, "devices": null, "reservedFor": null },
        });
        let intents: Vec<Value> = intents.iter().map(|intent| patch(intent).1).collect();
        assert_eq!(intents, if expected.starts_with("deallocation") { vec![cleared] } else { Vec::new() });
    }
    let mut host = host();
    claim(&mut host, "classless", &[some("r", json!({ "deviceClassName": "none" }))]);
    // The plugin does nothing for a pod that its pre-filter rejects.
    for pod in [pod(), using(&["classless"]), using(&["none"])] {
        assert_eq!(
            post_filter_answer(&mut host, &pod),
            ("no new claims to deallocate".to_owned(), Vec::new()),
            "{pod:?}"
        );
    }
}

/// Returns the object's name with the subresource, and the patch.
fn patch(intent: &Intent) -> (String, Value) {
    let Intent::Patch(patch) = intent else { panic!("{intent:?}") };
    (format!("{}/{}", patch.object.name, patch.subresource), serde_json::from_str(&patch.patch).unwrap())
}

#[test]
fn unreserve_removes_the_pod_from_its_claims() {
    let mut host = host();
    allocated_on_a(&mut host, "c", &["q-uid"]);
    claim(&mut host, "unallocated", &[one("r", "true")]);
    let undo = host.unreserve(&using(&["c", "unallocated"]), "a", &[]).intents;
    let patches: Vec<_> = undo.iter().map(patch).collect();
    let removed = json!({ "status": { "reservedFor": [{ "uid": "p-uid", "$patch": "delete" }] } });
    assert_eq!(patches, [("c/status".to_owned(), removed)]);
}
