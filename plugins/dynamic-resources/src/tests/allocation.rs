//! Tests of the devices that the search finds.

use super::*;

#[test]
fn device_selectors_select_nodes() {
    let model = |model: &str| format!("device.attributes['gpu.example.com'].model == '{model}'");
    let larger = "device.capacity['gpu.example.com'].memory.compareTo(quantity('50Gi')) > 0";
    for (requests, fits, on, chosen) in [
        (vec![one("r", "true")], "a b", "a", vec!["a-0"]),
        (vec![one("r", &model("b"))], "b", "b", vec!["b-0"]),
        (vec![one("r", larger)], "b", "b", vec!["b-0"]),
        (vec![one("r", "device.attributes['gpu.example.com'].index == 1")], "a b", "a", vec!["a-1"]),
        (vec![one("r", "true"), one("s", "true")], "a b", "a", vec!["a-0", "a-1"]),
        // The second request needs device a-0, so the first request gets a-1.
        (
            vec![one("r", "true"), one("s", "device.attributes['gpu.example.com'].index == 0")],
            "a b",
            "a",
            vec!["a-1", "a-0"],
        ),
        (vec![some("r", json!({ "count": 2 }))], "a b", "b", vec!["b-0", "b-1"]),
        (vec![some("r", json!({ "allocationMode": "All" }))], "a b", "b", vec!["b-0", "b-1"]),
    ] {
        let mut host = host();
        claim(&mut host, "c", &requests);
        assert_eq!(host.fits(&using(&["c"])).join(" "), fits, "{requests:?}");
        assert_eq!(devices(&mut host, &using(&["c"]), on), chosen, "{requests:?}");
    }
}

#[test]
fn missing_devices_are_not_allocated() {
    for requests in [
        vec![one("r", "false")],
        vec![some("r", json!({ "count": 3 }))],
        vec![one("r", "true"), one("s", "true"), one("t", "true")],
        vec![some("r", json!({ "allocationMode": "All", "selectors": [{ "cel": { "expression": "false" } }] }))],
    ] {
        let mut host = host();
        claim(&mut host, "c", &requests);
        assert_eq!(host.fits(&using(&["c"])), [""; 0], "{requests:?}");
        let reason = "cannot allocate all claims";
        assert_eq!(
            code_and_reasons(&mut host, &using(&["c"]), "a"),
            (Code::UnschedulableAndUnresolvable, reason.to_owned())
        );
    }
}

#[test]
fn several_claims_are_allocated_together() {
    let mut host = host();
    claim(&mut host, "c", &[one("r", "true")]);
    claim(&mut host, "d", &[one("r", "device.attributes['gpu.example.com'].index == 0")]);
    assert_eq!(devices(&mut host, &using(&["c", "d"]), "a"), ["a-1", "a-0"]);
}

#[test]
fn devices_of_other_claims_are_not_allocated() {
    let mut host = host();
    claim_with(&mut host, "other", json!({}), allocated("a-0"));
    claim(&mut host, "c", &[one("r", "true")]);
    assert_eq!(devices(&mut host, &using(&["c"]), "a"), ["a-1"]);
    claim_with(&mut host, "another", json!({}), allocated("a-1"));
    assert_eq!(host.fits(&using(&["c"])), ["b"]);
    host.remove_object("ResourceClaim", "default", "another");
    assert_eq!(host.fits(&using(&["c"])), ["a", "b"]);
    assert_eq!(host.fresh().fits(&using(&["c"])), ["a", "b"]);
}

#[test]
fn a_selector_that_fails_ends_the_attempt() {
    let mut host = host();
    for (expression, reason) in [
        (
            "device.attributes['gpu.example.com'].none == 1",
            "claim default/c: selector #0: CEL runtime error: no such key: none",
        ),
        (
            "device.driver",
            "claim default/c: selector #0: CEL runtime error: CEL result of type string could not be converted to bool",
        ),
    ] {
        claim(&mut host, "c", &[one("r", expression)]);
        assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "a"), (Code::Error, reason.to_owned()));
    }
    class(&mut host, "gpu", &["true", "device."]);
    claim(&mut host, "c", &[one("r", "true")]);
    let (code, reason) = code_and_reasons(&mut host, &using(&["c"]), "a");
    assert_eq!(code, Code::Error);
    assert!(reason.starts_with("class gpu: selector #1: CEL compile error: compilation failed: "), "{reason}");
}

#[test]
fn only_complete_pools_of_the_latest_generation_count() {
    let device = |name: &str| json!([{ "name": name }]);
    let part = |host: &mut Host<Plugin>, name: &str, generation: i64, count: i64, devices: Value| {
        let pool = json!({ "name": "pool", "generation": generation, "resourceSliceCount": count });
        slice(host, name, json!({ "nodeName": "c", "pool": pool, "devices": devices }));
    };
    let mut host = host();
    claim(&mut host, "c", &[one("r", "true")]);
    claim(&mut host, "all", &[some("r", json!({ "allocationMode": "All" }))]);
    part(&mut host, "c-1", 1, 2, device("one"));
    assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "c").1, "cannot allocate all claims", "incomplete");
    let updated = "claim default/all, request r: asks for all devices, but resource pool gpu.example.com/pool is currently being updated";
    assert_eq!(code_and_reasons(&mut host, &using(&["all"]), "c"), (Code::Error, updated.to_owned()));
    part(&mut host, "c-0", 1, 2, device("zero"));
    assert_eq!(devices(&mut host, &using(&["c"]), "c"), ["zero"], "slices by name");
    assert_eq!(devices(&mut host, &using(&["all"]), "c"), ["zero", "one"]);
    part(&mut host, "c-2", 2, 1, device("new"));
    assert_eq!(devices(&mut host, &using(&["c"]), "c"), ["new"]);
    part(&mut host, "c-2", 2, 1, json!([{ "name": "same" }, { "name": "same" }]));
    let invalid = "invalid resource pools were encountered";
    assert_eq!(
        code_and_reasons(&mut host, &using(&["c"]), "c"),
        (Code::UnschedulableAndUnresolvable, invalid.to_owned())
    );
    host.remove_object("ResourceSlice", "", "c-2");
    assert_eq!(devices(&mut host, &using(&["c"]), "c"), ["zero"]);
}

#[test]
fn a_pool_with_slices_for_other_nodes_is_complete() {
    let mut host = host();
    for (name, node) in [("pool-b", "b"), ("pool-c", "c")] {
        let pool = json!({ "name": "pool", "generation": 1, "resourceSliceCount": 2 });
        slice(&mut host, name, json!({ "nodeName": node, "pool": pool, "devices": [{ "name": name }] }));
    }
    claim(&mut host, "c", &[one("r", "true")]);
    assert_eq!(devices(&mut host, &using(&["c"]), "c"), ["pool-c"]);
}

#[test]
fn devices_are_on_the_nodes_of_their_slice_or_their_own() {
    let zone = |zone: &str| {
        json!({ "nodeSelectorTerms": [{ "matchExpressions": [
            { "key": "zone", "operator": "In", "values": [zone] },
        ] }] })
    };
    let by_name = json!({ "nodeSelectorTerms": [{ "matchFields": [
        { "key": "metadata.name", "operator": "In", "values": ["c"] },
    ] }] });
    let each = json!([{ "name": "x", "nodeName": "a" }, { "name": "y", "nodeSelector": zone("c") }]);
    for (spec, fits, selector) in [
        (json!({ "allNodes": true, "devices": [{ "name": "x" }] }), "a b c", Value::Null),
        (json!({ "nodeSelector": zone("c"), "devices": [{ "name": "x" }] }), "c", zone("c")),
        (json!({ "nodeName": "c", "devices": [{ "name": "x" }] }), "c", by_name.clone()),
        (json!({ "perDeviceNodeSelection": true, "devices": each }), "a c", zone("c")),
        (json!({ "allNodes": true, "devices": [{ "name": "x", "bindsToNode": true }] }), "a b c", by_name),
        (json!({ "devices": [{ "name": "x" }] }), "", Value::Null),
    ] {
        let mut host = host();
        host.remove_object("ResourceSlice", "", "a");
        host.remove_object("ResourceSlice", "", "b");
        slice(&mut host, "pool", spec.clone());
        claim(&mut host, "c", &[one("r", "true")]);
        assert_eq!(host.fits(&using(&["c"])).join(" "), fits, "{spec}");
        if fits.contains('c') {
            let state: Value = serde_json::from_slice(&host.reserve(&using(&["c"]), "c").unwrap().state).unwrap();
            assert_eq!(state["claims"][0]["allocation"]["nodeSelector"], selector, "{spec}");
        }
    }
}

#[test]
fn the_number_of_devices_in_a_claim_is_limited() {
    let mut host = host();
    let devices: Vec<Value> = (0..40).map(|number| json!({ "name": format!("d{number}") })).collect();
    slice(&mut host, "c", json!({ "nodeName": "c", "devices": devices }));
    claim(&mut host, "c", &[some("r", json!({ "count": 33 }))]);
    let reason = "claim default/c: number of requested devices 33 exceeds the claim limit of 32";
    assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "c"), (Code::Error, reason.to_owned()));
    // The subrequest with fewer devices is selected.
    let first = json!({ "name": "r", "firstAvailable": [
        ask(json!({ "name": "many", "count": 32 })), ask(json!({ "name": "few", "count": 1 })),
    ] });
    claim(&mut host, "c", &[first, one("s", "true")]);
    assert_eq!(super::devices(&mut host, &using(&["c"]), "c"), ["d0", "d1"]);
}

#[test]
fn a_search_that_takes_too_long_ends() {
    let mut host = Host::<Plugin>::with_args(r#"{"filterTimeout": "1s"}"#).unwrap();
    for name in ["a", "b"] {
        host.node(node(name));
        let devices: Vec<Value> = (0..30).map(|number| json!({ "name": format!("{name}{number:02}") })).collect();
        slice(&mut host, name, json!({ "nodeName": name, "devices": devices }));
    }
    class(&mut host, "gpu", &[]);
    claim(&mut host, "c", &[some("r", json!({ "count": 15 })), one("s", "false")]);
    for name in ["a", "b"] {
        let reason = format!("node {name}: timed out trying to allocate devices");
        assert_eq!(code_and_reasons(&mut host, &using(&["c"]), name), (Code::Error, reason));
    }
    claim(&mut host, "c", &[some("r", json!({ "count": 15 }))]);
    assert_eq!(host.fits(&using(&["c"])), ["a", "b"]);
}
