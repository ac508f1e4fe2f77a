use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::Scope;
use serde_json::json;

use super::*;

fn scores(pod: &PodBuilder, node: NodeBuilder, args: &str) -> Vec<i64> {
    let mut host = Host::<Plugin>::with_args(args).unwrap();
    host.node(node);
    host.scores(pod).into_values().collect()
}

const WITH_GPUS: &str =
    r#"{"resources": [{"name": "cpu"}, {"name": "memory"}, {"name": "example.com/gpu", "weight": 1}]}"#;

#[test]
fn balanced_use_scores_higher() {
    let empty = || node("node").cpu("10").memory("10000");
    let gpus = || empty().allocatable("example.com/gpu", "4");
    for (pod, node, args, expected) in [
        // The node is balanced with and without the pod.
        (pod().cpu("1").memory("1000"), empty(), "{}", 75),
        (pod().cpu("1").memory("1000"), empty().used("cpu", "3").used("memory", "3000"), "{}", 75),
        // cpu 30 %, memory 0: a deviation of 0.15, so 85 of 100 with the pod. 50 + (50 - 15) / 2
        (pod().cpu("3"), empty(), "{}", 67),
        // From 0.15 to none: 50 + (50 + 100 - 85) / 2
        (pod().cpu("3"), empty().used("memory", "3000"), "{}", 82),
        // Utilization is at most 100 %.
        (pod().cpu("30").memory("1"), empty().used("memory", "20000"), "{}", 100),
        // A saturated sum: 50 of 100 before, 55 with the pod. 50 + (50 + 55 - 50) / 2
        (pod().cpu("1").memory("1"), empty().used("memory", "8Ei"), "{}", 77),
        // A single resource is always balanced.
        (pod().cpu("3"), node("node").cpu("10"), "{}", 75),
        (pod().cpu("3"), node("node"), "{}", 75),
        // An extended resource counts if the pod requests it: 0.25, 0.25 and 0.5 deviate by 0.117, so 88.
        (pod().cpu("2500m").memory("2500"), gpus(), WITH_GPUS, 75),
        (pod().cpu("2500m").memory("2500").request("example.com/gpu", "2"), gpus(), WITH_GPUS, 69),
    ] {
        assert_eq!(scores(&pod, node.clone(), args), [expected], "{:?} {node:?}", pod.0.requests.fit);
    }
}

#[test]
fn pods_without_requests_are_not_scored() {
    let node = || node("node").cpu("10").memory("10000").allocatable("example.com/gpu", "4");
    assert!(scores(&pod(), node(), "{}").is_empty());
    assert!(scores(&pod().request("example.com/gpu", "1"), node(), "{}").is_empty());
    assert_eq!(scores(&pod().request("example.com/gpu", "1"), node(), WITH_GPUS).len(), 1);
}

#[test]
fn bad_arguments_are_refused() {
    let refused = Host::<Plugin>::with_args(r#"{"resources": [{"name": "cpu", "weight": 2}, {"name": "cpu"}]}"#).err();
    let problems = "[resources[0].weight: Invalid value: 2: must be 1, resources[1].name: Duplicate value: \"cpu\"]";
    assert_eq!(refused, Some(format!("NodeResourcesBalancedAllocation: arguments: {problems}")));
}

#[test]
fn devices_count_as_their_extended_resource() {
    let mut host = Host::<Plugin>::with_args(WITH_GPUS).unwrap();
    // The pod requests a quarter of cpu and memory. On the first node it needs 2 of 4 GPUs; on the second node 3 of
    // 4 devices are then used.
    host.node(node("plugin").cpu("10").memory("10000").allocatable("example.com/gpu", "4"));
    host.node(node("devices").cpu("10").memory("10000"));
    host.node(node("none").cpu("10").memory("10000"));
    let class = json!({
        "extendedResourceName": "example.com/gpu",
        "selectors": [{ "cel": { "expression": "device.driver == 'gpu.example.com'" } }],
    });
    host.object("DeviceClass", "", "gpu", &json!({ "spec": class }).to_string());
    let devices: Vec<_> = (0..4).map(|number| json!({ "name": format!("d{number}") })).collect();
    let slice = json!({
        "driver": "gpu.example.com",
        "pool": { "name": "p", "generation": 1, "resourceSliceCount": 1 },
        "nodeName": "devices",
        "devices": devices,
    });
    host.object("ResourceSlice", "", "s", &json!({ "spec": slice }).to_string());
    let result = json!({ "driver": "gpu.example.com", "pool": "p", "device": "d0", "request": "r" });
    let status = json!({ "allocation": { "devices": { "results": [result] } } });
    host.object("ResourceClaim", "default", "c", &json!({ "status": status }).to_string());
    let scores = host.scores(&pod().cpu("2500m").memory("2500").request("example.com/gpu", "2"));
    let scores: Vec<(&str, i64)> = scores.iter().map(|(name, score)| (name.as_str(), *score)).collect();
    // The deviation of 0, 0 and 0.25 is 0.118, the deviation of 0.25, 0.25 and 0.75 is 0.236: 50 + (50 + 76 - 88) /
    // 2.
    assert_eq!(scores, [("devices", 69), ("none", 75), ("plugin", 69)]);
}

#[test]
fn answers_are_cached_for_every_scored_resource() {
    for args in ["{}", WITH_GPUS] {
        assert_eq!(Host::<Plugin>::with_args(args).unwrap().declaration().score_scope, Scope::Node, "{args}");
    }
}
