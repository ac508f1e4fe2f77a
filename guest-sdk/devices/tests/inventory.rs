//! Tests of counting devices, with a plugin whose scores are the counts.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use berth_guest::Resource;
use berth_guest::index::Index;
use berth_guest::prelude::*;
use berth_guest::testing::{Host, node, pod};
use berth_guest::types::NodeFacts;
use berth_guest_devices::{Extent, Inventory, ReadsDevices};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub struct Args {
    resource: String,
}

impl ReadsDevices for Args {
    fn extent(&self) -> Extent {
        Extent::of_scores([&Resource::new(&self.resource)])
    }
}

/// Returns 10 for each device that exists, plus 1 for each device in use.
fn score(args: &Args, node: node::Id, has: &node::Allocatable, usage: &node::Usage, devices: &Inventory) -> i64 {
    let resource = Resource::new(&args.resource);
    let (there, used) = devices.amounts(&resource, has, usage.get(&resource), node);
    10 * there + used
}

berth_guest::plugin!(name: "Count", args: Args, index: Inventory, score: score, scope: Node);

const GPU: &str = "example.com/gpu";

fn host_of(resource: &str) -> Host<Plugin> {
    Host::<Plugin>::with_args(&json!({ "resource": resource }).to_string()).unwrap()
}

/// Makes a host with nodes `a` and `b`, each with its name as the label `zone`, and a class for GPUs.
fn host(expressions: &[&str]) -> Host<Plugin> {
    let mut host = host_of(GPU);
    for name in ["a", "b"] {
        host.node(node(name).label("zone", name));
    }
    class(&mut host, expressions);
    host
}

fn class(host: &mut Host<Plugin>, expressions: &[&str]) {
    let selectors: Vec<Value> = expressions.iter().map(|text| json!({ "cel": { "expression": text } })).collect();
    let spec = json!({ "extendedResourceName": GPU, "selectors": selectors });
    host.object("DeviceClass", "", "gpu", &json!({ "spec": spec }).to_string());
}

/// Adds a slice of the pool `p`.
fn slice(host: &mut Host<Plugin>, name: &str, spec: Value) {
    let mut whole = json!({ "driver": "gpu.example.com", "pool": { "name": "p", "generation": 1 } });
    if let (Value::Object(whole), Value::Object(spec)) = (&mut whole, spec) {
        whole.extend(spec);
    }
    host.object("ResourceSlice", "", name, &json!({ "spec": whole }).to_string());
}

/// Returns two devices. The first device has a model.
fn two() -> Value {
    json!([{ "name": "d0", "attributes": { "model": { "string": "large" } } }, { "name": "d1" }])
}

fn claim(host: &mut Host<Plugin>, name: &str, result: Value, assumed: bool) {
    let mut results = json!([{ "request": "r", "driver": "gpu.example.com", "pool": "p" }]);
    if let (Some(results), Value::Object(result)) = (results[0].as_object_mut(), result) {
        results.extend(result);
    }
    let claim = json!({ "status": { "allocation": { "devices": { "results": results } } } }).to_string();
    match assumed {
        true => host.assumed_object("ResourceClaim", "default", name, &claim),
        false => host.object("ResourceClaim", "default", name, &claim),
    }
}

fn counts(host: &mut Host<Plugin>) -> Vec<i64> {
    host.raw_scores(&pod()).into_values().collect()
}

fn selector(zone: &str, operator: &str) -> Value {
    json!({ "nodeSelectorTerms": [{ "matchExpressions": [{ "key": "zone", "operator": operator, "values": [zone] }] }] })
}

#[test]
fn devices_count_on_the_nodes_that_can_reach_them() {
    for (spec, expected) in [
        (json!({ "nodeName": "a", "devices": two() }), [20, 0]),
        (json!({ "allNodes": true, "devices": two() }), [20, 20]),
        (json!({ "nodeSelector": selector("b", "In"), "devices": two() }), [0, 20]),
        (json!({ "nodeSelector": selector("b", "Like"), "devices": two() }), [0, 0]),
        (
            json!({ "perDeviceNodeSelection": true, "devices": [
                { "name": "d0", "nodeName": "a" },
                { "name": "d1", "allNodes": true },
                { "name": "d2", "nodeSelector": selector("b", "In") },
                { "name": "d3", "nodeName": "elsewhere" },
            ] }),
            [20, 20],
        ),
        (json!({ "nodeName": "a", "sharedCounters": [{ "name": "card" }] }), [0, 0]),
    ] {
        let mut host = host(&[]);
        slice(&mut host, "s", spec.clone());
        assert_eq!(counts(&mut host), expected, "{spec}");
        host.remove_object("ResourceSlice", "", "s");
        assert_eq!(counts(&mut host), [0, 0], "{spec}");
    }
}

#[test]
fn changed_node_labels_change_the_reachable_devices() {
    let mut host = host(&[]);
    slice(&mut host, "s", json!({ "nodeSelector": selector("b", "In"), "devices": two() }));
    host.node(node("a").label("zone", "b"));
    host.node(node("b").label("zone", "c"));
    assert_eq!(counts(&mut host), [20, 0]);
    host.remove_node("b");
    assert_eq!(counts(&mut host), [20]);
}

#[test]
fn a_device_must_match_all_selectors_of_its_class() {
    let model = "device.attributes[device.driver].model == 'large'";
    let has_model = "has(device.attributes[device.driver].model)";
    for (expressions, expected) in [
        (vec!["true"], 20),
        (vec![has_model], 10),
        (vec!["device.driver == 'gpu.example.com'", has_model], 10),
        (vec!["true", "false"], 0),
        (vec![has_model, model], 10),
        // The selector fails for the second device, so no device is counted.
        (vec![model], 0),
        (vec!["device."], 0),
        // Selectors of scores always see `false`.
        (vec!["device.allowMultipleAllocations"], 0),
    ] {
        let mut host = host(&expressions);
        let mut devices = two();
        devices[1]["allowMultipleAllocations"] = true.into();
        slice(&mut host, "s", json!({ "nodeName": "a", "devices": devices }));
        assert_eq!(counts(&mut host), [expected, 0], "{expressions:?}");
    }
}

#[test]
fn allocated_devices_are_in_use() {
    let mut host = host(&["has(device.attributes[device.driver].model)"]);
    slice(&mut host, "s", json!({ "nodeName": "a", "devices": two() }));
    for (result, assumed, expected) in [
        (json!({ "device": "d0" }), false, 11),
        (json!({ "device": "d0" }), true, 11),
        (json!({ "device": "d0", "shareID": "1", "consumedCapacity": { "memory": "1Gi" } }), false, 11),
        (json!({ "device": "d0", "adminAccess": true }), false, 10),
        (json!({ "device": "d0", "pool": "another" }), false, 10),
        // The class does not select this device.
        (json!({ "device": "d1" }), false, 10),
    ] {
        claim(&mut host, "c", result.clone(), assumed);
        assert_eq!(counts(&mut host), [expected, 0], "{result}");
    }
    claim(&mut host, "c", json!({ "device": "d0" }), false);
    claim(&mut host, "other", json!({ "device": "d0" }), false);
    assert_eq!(counts(&mut host), [11, 0]);
    host.remove_object("ResourceClaim", "default", "c");
    assert_eq!(counts(&mut host), [11, 0]);
    host.object("ResourceClaim", "default", "other", "{}");
    assert_eq!(counts(&mut host), [10, 0]);
}

#[test]
fn devices_of_a_device_plugin_come_first() {
    let mut host = host(&[]);
    slice(&mut host, "s", json!({ "allNodes": true, "devices": two() }));
    claim(&mut host, "c", json!({ "device": "d0" }), false);
    assert_eq!(counts(&mut host), [21, 21]);
    host.node(node("a").allocatable(GPU, "4").used(GPU, "3"));
    host.node(node("b").allocatable(GPU, "0"));
    assert_eq!(counts(&mut host), [43, 21]);
    host.remove_object("DeviceClass", "", "gpu");
    assert_eq!(counts(&mut host), [43, 0]);
}

#[test]
fn a_class_without_a_resource_name_has_an_implicit_one() {
    let mut host = host_of("deviceclass.resource.kubernetes.io/any");
    host.node(node("a"));
    host.object("DeviceClass", "", "any", "{}");
    slice(&mut host, "s", json!({ "nodeName": "a", "devices": two() }));
    assert_eq!(counts(&mut host), [20]);
}

#[test]
fn only_scored_resources_are_read() {
    let amounts = NodeFacts::ALLOCATABLE | NodeFacts::USAGE;
    let places = NodeFacts::NAME | NodeFacts::LABELS;
    for (resource, facts, kinds) in [
        ("cpu", amounts, 0),
        ("ephemeral-storage", amounts, 0),
        ("hugepages-2Mi", amounts, 0),
        (GPU, amounts | places, 3),
        ("deviceclass.resource.kubernetes.io/gpu", amounts | places, 3),
    ] {
        assert_eq!(host_of(resource).declaration().node.facts, facts, "{resource}");
        let args = Args { resource: resource.to_owned() };
        assert_eq!(<Inventory as Index<Args>>::kinds(&args).len(), kinds, "{resource}");
    }
}

#[test]
fn a_malformed_object_is_ignored() {
    let mut host = host(&[]);
    slice(&mut host, "s", json!({ "nodeName": "a", "devices": two() }));
    slice(&mut host, "s", json!({ "nodeName": 5, "devices": two() }));
    assert_eq!(counts(&mut host), [0, 0]);
}
