//! Tests of features beyond basic structured parameters: subrequests, constraints, admin access, taints, counters,
//! shared devices.

use super::*;

#[test]
fn the_first_available_alternative_is_allocated_and_scored() {
    let mut host = host();
    let alternative = |name: &str, model: &str| {
        let expression = format!("device.attributes['gpu.example.com'].model == '{model}'");
        ask(json!({ "name": name, "selectors": [{ "cel": { "expression": expression } }] }))
    };
    let request = json!({ "name": "r", "firstAvailable": [alternative("best", "b"), alternative("good", "a")] });
    claim(&mut host, "c", std::slice::from_ref(&request));
    let pod = using(&["c"]);
    assert_eq!(host.fits(&pod), ["a", "b"]);
    assert_eq!(devices(&mut host, &pod, "a"), ["a-0"]);
    let raw: Vec<i64> = host.raw_scores_among(&pod, &["a", "b"]).into_values().collect();
    assert_eq!(raw, [7, 8]);
    let scores: Vec<i64> = host.scores_among(&pod, &["a", "b"]).into_values().collect();
    assert_eq!(scores, [87, 100]);
    let state: Value = serde_json::from_slice(&host.reserve(&pod, "a").unwrap().state).unwrap();
    assert_eq!(state["claims"][0]["allocation"]["devices"]["results"][0]["request"], "r/good");
    // A claim that the pod names twice is allocated twice, with different devices.
    let first_index = |name: &str, index: usize| {
        let expression = format!("device.attributes['gpu.example.com'].index == {index}");
        ask(json!({ "name": name, "selectors": [{ "cel": { "expression": expression } }] }))
    };
    let choice = json!({ "name": "r", "firstAvailable": [first_index("best", 0), first_index("good", 1)] });
    claim(&mut host, "twice", &[choice]);
    let raw: Vec<i64> = host.raw_scores_among(&using(&["twice", "twice"]), &["a"]).into_values().collect();
    assert_eq!(raw, [15]);
    claim(&mut host, "plain", &[one("r", "true")]);
    assert!(host.scores_among(&using(&["plain"]), &["a", "b"]).is_empty());
    let mut status = allocated("b-0");
    status["allocation"]["devices"]["results"][0]["request"] = json!("r/best");
    claim_with(&mut host, "had", json!({ "requests": [request] }), status);
    let raw: Vec<i64> = host.raw_scores_among(&using(&["had"]), &["a", "b"]).into_values().collect();
    assert_eq!(raw, [0, 0], "there are no alternatives to score");
}

#[test]
fn constraints_hold_between_devices() {
    for (constraint, node, chosen) in [
        (json!({ "matchAttribute": "gpu.example.com/model" }), "a", Some("a-0 a-1")),
        (json!({ "matchAttribute": "gpu.example.com/index" }), "a", None),
        (json!({ "matchAttribute": "gpu.example.com/none" }), "a", None),
        (json!({ "matchAttribute": "other.example.com/model" }), "a", None),
        (json!({ "matchAttribute": "gpu.example.com/index", "requests": ["r"] }), "a", Some("a-0 a-1")),
        (json!({ "distinctAttribute": "gpu.example.com/index" }), "b", Some("b-0 b-1")),
        (json!({ "distinctAttribute": "gpu.example.com/model" }), "b", None),
    ] {
        let mut host = host();
        let devices = json!({ "requests": [one("r", "true"), one("s", "true")], "constraints": [constraint] });
        claim_with(&mut host, "c", devices, json!({}));
        let found = host.fits(&using(&["c"])).contains(&node.to_owned());
        assert_eq!(found.then(|| super::devices(&mut host, &using(&["c"]), node).join(" ")).as_deref(), chosen);
    }
    let mut host = host();
    claim_with(&mut host, "c", json!({ "requests": [one("r", "true")], "constraints": [{}] }), json!({}));
    let reason = "claim default/c, constraint #0: empty constraint (unsupported constraint type?)";
    assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "a"), (Code::Error, reason.to_owned()));
    let all = json!({
        "requests": [some("r", json!({ "allocationMode": "All" }))],
        "constraints": [{ "matchAttribute": "gpu.example.com/index" }],
    });
    claim_with(&mut host, "c", all, json!({}));
    let reason = "claim default/c, request r: cannot add device gpu.example.com/a/a-1 because a claim constraint would not be satisfied";
    assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "a"), (Code::Error, reason.to_owned()));
}

#[test]
fn admin_access_may_use_allocated_devices() {
    let mut host = host();
    claim_with(&mut host, "other", json!({}), allocated("a-0"));
    claim(&mut host, "admin", &[some("r", json!({ "adminAccess": true, "allocationMode": "All" }))]);
    assert_eq!(devices(&mut host, &using(&["admin"]), "a"), ["a-0", "a-1"]);
    let mut status = allocated("b-0");
    status["allocation"]["devices"]["results"][0]["adminAccess"] = json!(true);
    claim_with(&mut host, "watching", json!({}), status);
    claim(&mut host, "c", &[one("r", "true")]);
    assert_eq!(devices(&mut host, &using(&["c"]), "b"), ["b-0"], "admin access does not occupy the device");
}

#[test]
fn tainted_devices_need_a_toleration() {
    let taint = |effect: &str| json!([{ "key": "broken", "value": "yes", "effect": effect }]);
    for (effect, tolerations, fits) in [
        ("NoSchedule", json!([]), false),
        ("NoExecute", json!([]), false),
        ("None", json!([]), true),
        ("NoSchedule", json!([{ "key": "broken", "operator": "Exists" }]), true),
        ("NoSchedule", json!([{ "operator": "Exists" }]), true),
        ("NoSchedule", json!([{ "key": "broken", "operator": "Equal", "value": "yes", "effect": "NoSchedule" }]), true),
        ("NoSchedule", json!([{ "key": "broken", "value": "no" }]), false),
        ("NoSchedule", json!([{ "key": "broken", "operator": "Exists", "effect": "NoExecute" }]), false),
    ] {
        let mut host = host();
        slice(&mut host, "c", json!({ "nodeName": "c", "devices": [{ "name": "x", "taints": taint(effect) }] }));
        claim(&mut host, "c", &[some("r", json!({ "tolerations": tolerations }))]);
        assert_eq!(host.fits(&using(&["c"])).contains(&"c".to_owned()), fits, "{effect} {tolerations}");
    }
}

#[test]
fn devices_share_counters() {
    let mut host = host();
    let device = |name: &str, slots: &str| {
        let counters = json!([{ "counterSet": "card", "counters": { "slots": { "value": slots } } }]);
        json!({ "name": name, "consumesCounters": counters })
    };
    let pool = json!({ "name": "c", "generation": 1, "resourceSliceCount": 2 });
    let counters = json!([{ "name": "card", "counters": { "slots": { "value": "4" } } }]);
    slice(&mut host, "c-counters", json!({ "nodeName": "c", "pool": pool, "sharedCounters": counters }));
    let devices = json!([device("whole", "4"), device("half-0", "2"), device("half-1", "2")]);
    slice(&mut host, "c-devices", json!({ "nodeName": "c", "pool": pool, "devices": devices }));
    for (taken, count, chosen) in [
        (None, 1, Some("whole")),
        (None, 2, Some("half-0 half-1")),
        (None, 3, None),
        (Some("c-half-0"), 1, Some("half-1")),
        (Some("c-whole"), 1, None),
    ] {
        if let Some(taken) = taken {
            let mut status = allocated("c");
            status["allocation"]["devices"]["results"][0]["device"] = json!(taken[2..]);
            claim_with(&mut host, "other", json!({}), status);
        }
        claim(&mut host, "c", &[some("r", json!({ "count": count }))]);
        let found = host.fits(&using(&["c"])).contains(&"c".to_owned());
        let found = found.then(|| super::devices(&mut host, &using(&["c"]), "c").join(" "));
        assert_eq!(found.as_deref(), chosen, "{count} beside {taken:?}");
    }
    let broken = json!([{ "name": "x", "consumesCounters": [{ "counterSet": "none", "counters": {} }] }]);
    slice(&mut host, "c-devices", json!({ "nodeName": "c", "pool": pool, "devices": broken }));
    host.remove_object("ResourceClaim", "default", "other");
    assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "c").1, "invalid resource pools were encountered");
}

#[test]
fn devices_are_shared_by_capacity() {
    let policy = |policy: Value| {
        let capacity = json!({ "memory": { "value": "10Gi", "requestPolicy": policy } });
        json!({ "nodeName": "c", "devices": [{ "name": "x", "allowMultipleAllocations": true, "capacity": capacity }] })
    };
    let range = json!({ "default": "1Gi", "validRange": { "min": "1Gi", "max": "8Gi", "step": "1Gi" } });
    let values = json!({ "default": "2Gi", "validValues": ["2Gi", "4Gi"] });
    for (spec, requested, consumed) in [
        (policy(range.clone()), json!({ "memory": "1500Mi" }), Some("2Gi")),
        (policy(range.clone()), json!({ "memory": "1" }), Some("1Gi")),
        (policy(range.clone()), json!({}), Some("1Gi")),
        (policy(range.clone()), json!({ "memory": "9Gi" }), None),
        (policy(range.clone()), json!({ "none": "1" }), None),
        (policy(values.clone()), json!({ "memory": "3Gi" }), Some("4Gi")),
        (policy(values), json!({ "memory": "5Gi" }), None),
        (policy(Value::Null), json!({ "memory": "3Gi" }), Some("3Gi")),
        (policy(Value::Null), json!({}), Some("10Gi")),
    ] {
        let mut host = host();
        slice(&mut host, "c", spec.clone());
        claim(&mut host, "c", &[some("r", json!({ "capacity": { "requests": requested } }))]);
        let found = host.fits(&using(&["c"])).contains(&"c".to_owned());
        let found = found.then(|| host.reserve(&using(&["c"]), "c").unwrap());
        let found = found.map(|reservation| serde_json::from_slice::<Value>(&reservation.state).unwrap());
        let result = found.map(|state| state["claims"][0]["allocation"]["devices"]["results"][0].clone());
        let amount = result.as_ref().map(|result| result["consumedCapacity"]["memory"].as_str().unwrap().to_owned());
        assert_eq!(amount.as_deref(), consumed, "{spec} {requested}");
        assert!(result.is_none_or(|result| result["shareID"].as_str().unwrap().len() == 36));
    }
    let mut host = host();
    slice(&mut host, "c", policy(range));
    let mut status = allocated("c");
    let shared = json!({ "request": "r", "driver": "gpu.example.com", "pool": "c", "device": "x", "shareID": "1",
        "consumedCapacity": { "memory": "8Gi" } });
    status["allocation"]["devices"]["results"] = json!([shared]);
    claim_with(&mut host, "other", json!({}), status);
    for (count, fits) in [(2, true), (3, false)] {
        let requests: Vec<Value> = (0..count).map(|number| some(&format!("r{number}"), json!({}))).collect();
        claim(&mut host, "c", &requests);
        assert_eq!(host.fits(&using(&["c"])).contains(&"c".to_owned()), fits, "{count}");
    }
}

#[test]
fn the_allocation_has_the_configuration_of_class_and_claim() {
    let mut host = host();
    let opaque = |text: &str| json!({ "driver": "gpu.example.com", "parameters": { "is": text, "n": 1.5 } });
    let of_class = json!({ "spec": { "config": [{ "opaque": opaque("class") }] } });
    host.object("DeviceClass", "", "gpu", &of_class.to_string());
    let devices = json!({
        "requests": [one("r", "true"), one("s", "true")],
        "config": [{ "opaque": opaque("all") }, { "requests": ["s"], "opaque": opaque("s") }, { "requests": ["t"] }],
    });
    claim_with(&mut host, "c", devices, json!({}));
    let state: Value = serde_json::from_slice(&host.reserve(&using(&["c"]), "a").unwrap().state).unwrap();
    let expected = json!([
        { "source": "FromClass", "requests": ["r", "s"], "opaque": opaque("class") },
        { "source": "FromClaim", "opaque": opaque("all") },
        { "source": "FromClaim", "requests": ["s"], "opaque": opaque("s") },
    ]);
    assert_eq!(state["claims"][0]["allocation"]["devices"]["config"], expected);
}
