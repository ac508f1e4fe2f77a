//! Tests of the intents before the bind: writes and waits.

use berth_guest::intents::{Intent, PatchType};

use super::*;

/// Returns each intent's target and content.
fn written(intents: &[Intent]) -> Vec<(String, Value)> {
    intents
        .iter()
        .map(|intent| match intent {
            Intent::Patch(patch) => {
                (format!("{}/{}", patch.object.name, patch.subresource), serde_json::from_str(&patch.patch).unwrap())
            }
            Intent::WaitUntil(wait) => (format!("{} until", wait.object.name), json!(wait.until)),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Returns true for a strategic merge patch, which adds to the lists of finalizers and consumers.
fn is_strategic(intent: &Intent) -> bool {
    matches!(intent, Intent::Patch(patch) if patch.patch_type == PatchType::StrategicMerge)
}

/// Other finalizers are kept.
#[test]
fn a_claim_with_finalizers_gets_another_finalizer() {
    let mut host = host();
    let pod = using(&["c"]);
    for (finalizers, expected) in [
        (json!(["example.com/kept"]), vec!["c/", "c/status"]),
        (json!(["example.com/kept", "resource.kubernetes.io/delete-protection"]), vec!["c/status"]),
    ] {
        let fields = json!({ "metadata": { "resourceVersion": "7", "finalizers": finalizers },
            "spec": { "devices": { "requests": [one("r", "true")] } } });
        host.object("ResourceClaim", "default", "c", &fields.to_string());
        let reservation = host.reserve(&pod, "a").unwrap();
        let intents = written(&host.pre_bind(&pod, "a", &reservation.state));
        assert_eq!(intents.iter().map(|(target, _)| target.as_str()).collect::<Vec<_>>(), expected);
        if let [(_, patch), _] = intents.as_slice() {
            assert_eq!(*patch, json!({ "metadata": { "finalizers": ["resource.kubernetes.io/delete-protection"] } }));
        }
    }
}

#[test]
fn the_finalizer_is_written_before_the_allocation() {
    let mut host = host();
    claim(&mut host, "c", &[one("r", "true")]);
    let pod = using(&["c"]);
    let reservation = host.reserve(&pod, "a").unwrap();
    let Intent::Assume((_, fields)) = &reservation.intents[0] else { panic!("{:?}", reservation.intents) };
    host.assumed_object("ResourceClaim", "default", "c", fields);
    let allocation = json!({
        "devices": { "results": [
            { "request": "r", "driver": "gpu.example.com", "pool": "a", "device": "a-0" },
        ] },
        "nodeSelector": { "nodeSelectorTerms": [{ "matchFields": [
            { "key": "metadata.name", "operator": "In", "values": ["a"] },
        ] }] },
        "allocationTimestamp": "1970-01-01T00:00:00Z",
    });
    let status = json!({
        "status": {
            "allocation": allocation,
            "reservedFor": [{ "resource": "pods", "name": "p", "uid": "p-uid" }],
        },
    });
    let finalizer = json!({ "metadata": { "finalizers": ["resource.kubernetes.io/delete-protection"] } });
    let intents = host.pre_bind(&pod, "a", &reservation.state);
    assert!(intents.iter().all(is_strategic), "{intents:?}");
    assert_eq!(written(&intents), [("c/".to_owned(), finalizer), ("c/status".to_owned(), status)]);
}

#[test]
fn an_allocated_claim_is_reserved_once() {
    let mut host = host();
    let object = |reserved: Value| {
        let mut status = allocated("a-0");
        status["reservedFor"] = reserved;
        json!({
            "metadata": { "resourceVersion": "9", "finalizers": ["resource.kubernetes.io/delete-protection"] },
            "status": status,
        })
        .to_string()
    };
    let other = json!({ "resource": "pods", "name": "q", "uid": "q-uid" });
    let this = json!({ "resource": "pods", "name": "p", "uid": "p-uid" });
    let pod = using(&["c"]);
    host.object("ResourceClaim", "default", "c", &object(json!([other])));
    let reservation = host.reserve(&pod, "b").unwrap();
    assert_eq!((reservation.state.len(), reservation.intents.len()), (0, 0));
    let patch = json!({ "status": { "reservedFor": [this] } });
    let intents = host.pre_bind(&pod, "b", &[]);
    assert!(intents.iter().all(is_strategic), "{intents:?}");
    assert_eq!(
        written(&intents),
        [("c/status".to_owned(), patch)],
        "the patch has neither other users nor the resourceVersion"
    );
    host.object("ResourceClaim", "default", "c", &object(json!([this])));
    assert_eq!(host.pre_bind(&pod, "b", &[]), []);
}

fn conditions() -> Value {
    json!({ "name": "x", "bindingConditions": ["Attached"], "bindingFailureConditions": ["Broken"] })
}

#[test]
fn pre_bind_waits_for_binding_conditions() {
    let mut host = host();
    host.remove_object("ResourceSlice", "", "a");
    slice(&mut host, "a", json!({ "nodeName": "a", "devices": [conditions()] }));
    slice(&mut host, "z", json!({ "nodeName": "a", "devices": [{ "name": "at-once" }] }));
    claim(&mut host, "c", &[one("r", "true")]);
    assert_eq!(devices(&mut host, &using(&["c"]), "a"), ["at-once"], "devices without binding conditions come first");
    host.remove_object("ResourceSlice", "", "z");
    let reservation = host.reserve(&using(&["c"]), "a").unwrap();
    let intents = written(&host.pre_bind(&using(&["c"]), "a", &reservation.state));
    let expected = concat!(
        r#"(has(object.status.devices) && (object.status.devices.exists(d, d.driver == "gpu.example.com" && d.pool == "a" "#,
        r#"&& d.device == "x" && has(d.conditions) && (d.conditions.exists(c, c.type == "Broken" && c.status == "True"))))) "#,
        r#"? dyn("device binding failed: claim=c") : dyn(has(object.status.devices) && "#,
        r#"object.status.devices.exists(d, d.driver == "gpu.example.com" && d.pool == "a" && d.device == "x" && "#,
        r#"has(d.conditions) && (d.conditions.exists(c, c.type == "Attached" && c.status == "True"))))"#,
    );
    assert_eq!(intents[2], ("c until".to_owned(), json!(expected)));
}

#[test]
fn a_claim_with_a_failed_or_late_binding_is_unusable() {
    let condition = |kind: &str, status: &str| json!([{ "type": kind, "status": status }]);
    for (conditions, since, fits) in [
        (condition("Attached", "True"), "1970-01-01T00:00:00Z", true),
        (condition("Attached", "False"), "1970-01-01T00:00:00Z", true),
        (condition("Attached", "False"), "1969-01-01T00:00:00Z", false),
        (condition("Broken", "True"), "1970-01-01T00:00:00Z", false),
        (json!([]), "1970-01-01T00:00:00Z", true),
    ] {
        let mut host = host();
        let mut status = allocated("a-0");
        status["allocation"]["allocationTimestamp"] = json!(since);
        let result = &mut status["allocation"]["devices"]["results"][0];
        result["bindingConditions"] = json!(["Attached"]);
        result["bindingFailureConditions"] = json!(["Broken"]);
        status["devices"] =
            json!([{ "driver": "gpu.example.com", "pool": "a", "device": "a-0", "conditions": conditions }]);
        claim_with(&mut host, "c", json!({}), status);
        assert_eq!(host.fits(&using(&["c"])).len(), if fits { 3 } else { 0 }, "{conditions} {since}");
    }
}
