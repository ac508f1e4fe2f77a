//! Tests of the whole plugin: pods with claims, slices with devices.

use berth_guest::testing::{Host, PodBuilder, node, pod};
use berth_guest::types::Code;
use serde_json::{Value, json};

use super::*;

mod allocation;
mod binding;
mod deallocation;
mod extended;
mod features;
mod hints;

/// Returns a host with the class `gpu` and three nodes: node `a` with the GPUs `a-0` and `a-1` of 40 GiB, node `b`
/// with `b-0` and `b-1` of 80 GiB, and node `c` without GPUs.
fn host() -> Host<Plugin> {
    let mut host = Host::<Plugin>::new();
    for name in ["a", "b", "c"] {
        host.node(node(name).label("zone", name));
    }
    for (name, memory) in [("a", "40Gi"), ("b", "80Gi")] {
        let device = |number: usize| {
            json!({
                "name": format!("{name}-{number}"),
                "attributes": { "index": { "int": number }, "model": { "string": name } },
                "capacity": { "memory": { "value": memory } },
            })
        };
        slice(&mut host, name, json!({ "nodeName": name, "devices": [device(0), device(1)] }));
    }
    class(&mut host, "gpu", &["device.driver == 'gpu.example.com'"]);
    host
}

/// Adds a slice that is the only slice of a pool with the same name.
fn slice(host: &mut Host<Plugin>, name: &str, spec: Value) {
    let mut whole = json!({
        "driver": "gpu.example.com",
        "pool": { "name": name, "generation": 1, "resourceSliceCount": 1 },
    });
    if let (Value::Object(whole), Value::Object(spec)) = (&mut whole, spec) {
        whole.extend(spec);
    }
    host.object("ResourceSlice", "", name, &json!({ "spec": whole }).to_string());
}

fn class(host: &mut Host<Plugin>, name: &str, expressions: &[&str]) {
    let selectors: Vec<Value> = expressions.iter().map(|text| json!({ "cel": { "expression": text } })).collect();
    host.object("DeviceClass", "", name, &json!({ "spec": { "selectors": selectors } }).to_string());
}

/// Returns a request for one device of the class `gpu` that matches the expression.
fn one(name: &str, expression: &str) -> Value {
    some(name, json!({ "selectors": [{ "cel": { "expression": expression } }] }))
}

/// Returns a request for one device of the class `gpu`, with further fields.
fn some(name: &str, more: Value) -> Value {
    json!({ "name": name, "exactly": ask(more) })
}

fn ask(more: Value) -> Value {
    let mut ask = json!({ "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1 });
    if let (Value::Object(ask), Value::Object(more)) = (&mut ask, more) {
        ask.extend(more);
    }
    ask
}

fn claim(host: &mut Host<Plugin>, name: &str, requests: &[Value]) {
    claim_with(host, name, json!({ "requests": requests }), json!({}));
}

fn claim_with(host: &mut Host<Plugin>, name: &str, devices: Value, status: Value) {
    let claim = json!({
        "metadata": { "resourceVersion": "7" },
        "spec": { "devices": devices },
        "status": status,
    });
    host.object("ResourceClaim", "default", name, &claim.to_string());
}

/// Returns the status of a claim to which the device is allocated.
fn allocated(device: &str) -> Value {
    let pool = &device[..1];
    json!({ "allocation": { "devices": { "results": [
        { "request": "r", "driver": "gpu.example.com", "pool": pool, "device": device },
    ] } } })
}

fn using(claims: &[&str]) -> PodBuilder {
    claims
        .iter()
        .fold(pod().name("p").uid("p-uid").namespace("default"), |pod, claim| pod.resource_claim(claim, claim, ""))
}

/// Returns the devices that the pod's claims get on the node.
fn devices(host: &mut Host<Plugin>, pod: &PodBuilder, node: &str) -> Vec<String> {
    let reservation = host.reserve(pod, node).unwrap();
    let state: Value = serde_json::from_slice(&reservation.state).unwrap();
    let results = |claim: &Value| claim["allocation"]["devices"]["results"].as_array().cloned().unwrap_or_default();
    let claims = state["claims"].as_array().unwrap().iter().chain(state.get("extended"));
    let all = claims.flat_map(results);
    all.map(|result| result["device"].as_str().unwrap().to_owned()).collect()
}

fn code_and_reasons(host: &mut Host<Plugin>, pod: &PodBuilder, node: &str) -> (Code, String) {
    let status = host.verdict(pod, node).unwrap();
    (status.code, status.reasons.join(", "))
}

#[test]
fn a_pod_without_claims_is_skipped() {
    let mut host = host();
    assert_eq!(host.fits(&pod()), ["a", "b", "c"]);
    assert_eq!(host.held_back(&pod()), None);
    assert!(host.scores(&pod()).is_empty());
    assert_eq!(host.reserve(&pod(), "a").unwrap(), Default::default());
    assert_eq!(host.pre_bind(&pod(), "a", &[]), []);
}

#[test]
fn a_missing_claim_rejects_the_pod() {
    let mut host = host();
    claim(&mut host, "mine", &[one("r", "true")]);
    host.object("ResourceClaim", "default", "going", r#"{"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}"#);
    let owned = r#"{"metadata": {"ownerReferences": [{"uid": "p-uid", "controller": true}]}}"#;
    host.object("ResourceClaim", "default", "owned", owned);
    let base = || pod().name("p").uid("p-uid").namespace("default");
    for (pod, reason) in [
        (base().resource_claim("c", "none", ""), Some("could not find ResourceClaim \"default/none\"")),
        (base().resource_claim("c", "", "template"), Some("pod \"default/p\": ResourceClaim not created yet")),
        (
            base().resource_claim("c", "", ""),
            Some("pod \"default/p\", spec.resourceClaim \"c\": none of the supported fields are set"),
        ),
        (base().resource_claim("c", "going", ""), Some("resourceclaim \"going\" is being deleted")),
        (
            base().resource_claim("c", "mine", "template"),
            Some("ResourceClaim default/mine was not created for Pod default/p (Pod is not owner)"),
        ),
        (base().resource_claim("c", "owned", "template"), None),
        (base().resource_claim("c", "mine", ""), None),
    ] {
        let held = host.held_back(&pod);
        assert_eq!(held.as_ref().map(|status| status.reasons.join("")).as_deref(), reason, "{pod:?}");
        assert_eq!(held.map(|status| status.code), reason.map(|_| Code::UnschedulableAndUnresolvable));
        if let Some(reason) = reason {
            assert_eq!(code_and_reasons(&mut host, &pod, "a"), (Code::UnschedulableAndUnresolvable, reason.to_owned()));
        }
    }
}

#[test]
fn a_missing_class_rejects_the_pod() {
    let mut host = host();
    for (request, code, reason) in [
        (
            some("r", json!({ "deviceClassName": "tpu" })),
            Code::UnschedulableAndUnresolvable,
            "request r: device class tpu does not exist",
        ),
        (
            json!({ "name": "r", "firstAvailable": [ask(json!({ "name": "x", "deviceClassName": "tpu" }))] }),
            Code::UnschedulableAndUnresolvable,
            "request r/x: device class tpu does not exist",
        ),
        (some("r", json!({ "deviceClassName": "" })), Code::Error, "request r: unsupported request type"),
        (
            json!({ "name": "r" }),
            Code::UnschedulableAndUnresolvable,
            "resource claim default/c, request r: unknown request type",
        ),
    ] {
        claim(&mut host, "c", &[request]);
        assert_eq!(code_and_reasons(&mut host, &using(&["c"]), "a"), (code, reason.to_owned()));
    }
}

#[test]
fn an_assumed_allocation_blocks_the_claim_and_its_devices() {
    let mut host = host();
    claim(&mut host, "c", &[one("r", "true")]);
    let reservation = host.reserve(&using(&["c"]), "a").unwrap();
    let [berth_guest::intents::Intent::Assume((object, fields))] = reservation.intents.as_slice() else {
        panic!("{:?}", reservation.intents)
    };
    assert_eq!((object.kind.as_str(), object.name.as_str()), ("ResourceClaim", "c"));
    host.assumed_object("ResourceClaim", "default", "c", fields);
    let reason = "resource claim default/c is in the process of being allocated";
    assert_eq!(
        code_and_reasons(&mut host, &using(&["c"]), "b"),
        (Code::UnschedulableAndUnresolvable, reason.to_owned())
    );
    claim(&mut host, "d", &[one("r", "device.attributes['gpu.example.com'].model == 'a'")]);
    assert_eq!(devices(&mut host, &using(&["d"]), "a"), ["a-1"], "an assumed allocation occupies its device");
}

#[test]
fn an_allocated_claim_selects_its_nodes() {
    let mut host = host();
    let selector = json!({ "nodeSelectorTerms": [{ "matchExpressions": [
        { "key": "zone", "operator": "In", "values": ["b", "c"] },
    ] }] });
    let mut status = allocated("b-0");
    status["allocation"]["nodeSelector"] = selector;
    claim_with(&mut host, "c", json!({ "requests": [one("r", "true")] }), status);
    assert_eq!(host.fits(&using(&["c"])), ["b", "c"]);
    let reason = "resourceclaim not available on the node";
    assert_eq!(
        code_and_reasons(&mut host, &using(&["c"]), "a"),
        (Code::UnschedulableAndUnresolvable, reason.to_owned())
    );
}
