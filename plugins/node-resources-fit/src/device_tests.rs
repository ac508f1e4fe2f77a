//! Tests of scoring by devices, if a DeviceClass maps a resource of the arguments.

use berth_guest::testing::{Host, node, pod};
use serde_json::json;

use crate::Plugin;

const GPU: &str = "example.com/gpu";

/// Returns a host with three nodes: `plugin` with 8 GPUs of a device plugin, 2 of them in use; `devices` with 4
/// devices, 1 of them allocated; and `none`.
fn host(strategy: &str) -> Host<Plugin> {
    let mut host = Host::<Plugin>::with_args(&format!(r#"{{"scoringStrategy": {strategy}}}"#)).unwrap();
    host.node(node("plugin").cpu("4").allocatable(GPU, "8").used(GPU, "2"));
    host.node(node("devices").cpu("4"));
    host.node(node("none").cpu("4"));
    let devices: Vec<_> = (0..4).map(|number| json!({ "name": format!("d{number}") })).collect();
    let pool = json!({ "name": "p", "generation": 1, "resourceSliceCount": 1 });
    let slice = json!({ "driver": "gpu.example.com", "pool": pool, "nodeName": "devices", "devices": devices });
    host.object("ResourceSlice", "", "s", &json!({ "spec": slice }).to_string());
    let selectors = [json!({ "cel": { "expression": "device.driver == 'gpu.example.com'" } })];
    let class = json!({ "extendedResourceName": GPU, "selectors": selectors });
    host.object("DeviceClass", "", "gpu", &json!({ "spec": class }).to_string());
    let result = json!({ "driver": "gpu.example.com", "pool": "p", "device": "d0", "request": "r" });
    let status = json!({ "allocation": { "devices": { "results": [result] } } });
    host.object("ResourceClaim", "default", "c", &json!({ "status": status }).to_string());
    host
}

#[test]
fn devices_count_as_their_extended_resource() {
    let resources = r#""resources": [{"name": "cpu"}, {"name": "example.com/gpu", "weight": 3}]"#;
    let rising = r#"{"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}"#;
    let ratio = format!(r#""type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {rising}"#);
    for (kind, expected) in [
        // cpu is at 25 %. With the pod, 3 of 4 devices and 4 of 8 GPUs of the device plugin are used.
        (r#""type": "LeastAllocated""#, [("devices", 37), ("none", 75), ("plugin", 56)]),
        (r#""type": "MostAllocated""#, [("devices", 62), ("none", 25), ("plugin", 43)]),
        (&*ratio, [("devices", 63), ("none", 25), ("plugin", 44)]),
    ] {
        let mut host = host(&format!("{{{kind}, {resources}}}"));
        let scores: Vec<_> = host.scores(&pod().cpu("1").request(GPU, "2")).into_iter().collect();
        let scores: Vec<(&str, i64)> = scores.iter().map(|(name, score)| (name.as_str(), *score)).collect();
        assert_eq!(scores, expected, "{kind}");
        // A pod without a GPU request is scored by cpu alone.
        let scores: Vec<i64> = host.scores(&pod().cpu("1")).into_values().collect();
        assert!(scores.iter().all(|score| *score == scores[0]), "{kind}: {scores:?}");
    }
}
