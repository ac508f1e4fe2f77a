use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};

use crate::Plugin;

fn score(pod: &PodBuilder, node: NodeBuilder, args: &str) -> i64 {
    let mut host = Host::<Plugin>::with_args(args).unwrap();
    host.node(node);
    host.scores(pod)["node"]
}

fn strategy(kind: &str, resources: &str) -> String {
    format!(r#"{{"scoringStrategy": {{"type": "{kind}", "resources": [{resources}]}}}}"#)
}

const CPU_AND_MEMORY: &str = r#"{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}"#;

/// Returns a node with 4 cores and 10000 bytes of memory.
fn empty() -> NodeBuilder {
    node("node").cpu("4").memory("10000")
}

/// Returns a pod that requests a quarter of the cpu and half of the memory.
fn quarter_and_half() -> PodBuilder {
    pod().cpu("1").memory("5000")
}

#[test]
fn least_allocated_is_the_default() {
    for (pod, node, args, expected) in [
        // (75 + 50) / 2
        (quarter_and_half(), empty(), "{}", 62),
        (quarter_and_half(), empty(), &*strategy("LeastAllocated", CPU_AND_MEMORY), 62),
        (quarter_and_half(), empty().used("cpu", "1").used("memory", "2000"), "{}", 40),
        // A resource whose requests exceed the capacity scores 0, and counts.
        (quarter_and_half(), empty().used("memory", "6000"), "{}", 37),
        (quarter_and_half(), node("node"), "{}", 0),
        // A node without memory is scored by cpu alone.
        (quarter_and_half(), node("node").cpu("4"), "{}", 75),
        // A container without requests counts as 100 millicores and 200 MB: (95 + 0) / 2.
        (pod(), node("node").cpu("2").memory("1000"), "{}", 47),
        (
            quarter_and_half(),
            empty(),
            &*strategy("LeastAllocated", r#"{"name": "cpu", "weight": 2}, {"name": "memory", "weight": 1}"#),
            66,
        ),
        // A weight of 0 means 1.
        (quarter_and_half(), empty(), &*strategy("LeastAllocated", r#"{"name": "cpu", "weight": 0}"#), 75),
    ] {
        assert_eq!(score(&pod, node.clone(), args), expected, "{args} {node:?}");
    }
}

#[test]
fn very_large_amounts_score_0_to_100() {
    let ratio = r#"{"scoringStrategy": {"type": "RequestedToCapacityRatio", "resources": [{"name": "memory"}],
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}}}"#;
    let (memory, huge) = (r#"{"name": "memory"}"#, || node("node").cpu("4").memory("8Ei"));
    let (least, most) = (strategy("LeastAllocated", memory), strategy("MostAllocated", memory));
    for (node, args, expected) in [
        (empty().used("memory", "8Ei"), &*least, 0),
        (empty().used("memory", "8Ei"), &*most, 100),
        (empty().used("memory", "8Ei"), ratio, 100),
        (huge(), &*least, 99),
        (huge().used("memory", "4Ei"), &*least, 49),
        (huge().used("memory", "4Ei"), &*most, 50),
        (huge().used("memory", "4Ei"), ratio, 50),
        (huge().used("memory", "8Ei"), &*least, 0),
    ] {
        assert_eq!(score(&pod().memory("200Mi"), node.clone(), args), expected, "{args} {node:?}");
    }
}

#[test]
fn most_allocated_prefers_full_nodes() {
    let args = strategy("MostAllocated", CPU_AND_MEMORY);
    for (node, expected) in [
        // (25 + 50) / 2
        (empty(), 37),
        (empty().used("cpu", "1").used("memory", "2000"), 60),
        // Utilization is at most 100 %: (25 + 100) / 2
        (empty().used("memory", "6000"), 62),
        (node("node"), 0),
    ] {
        assert_eq!(score(&quarter_and_half(), node.clone(), &args), expected, "{node:?}");
    }
}

#[test]
fn extended_resources_count_for_pods_that_request_them() {
    let args = strategy("MostAllocated", r#"{"name": "cpu"}, {"name": "example.com/gpu", "weight": 3}"#);
    let gpus = || empty().allocatable("example.com/gpu", "8").used("example.com/gpu", "2");
    assert_eq!(score(&pod().cpu("1"), gpus(), &args), 25);
    // (25 + 3 * 50) / 4
    assert_eq!(score(&pod().cpu("1").request("example.com/gpu", "2"), gpus(), &args), 43);
    assert_eq!(score(&pod().cpu("1").request("example.com/gpu", "2"), empty(), &args), 25);
}

#[test]
fn requested_to_capacity_ratio_follows_its_shape() {
    let shaped = |shape: &str, resources: &str| {
        format!(
            r#"{{"scoringStrategy": {{"type": "RequestedToCapacityRatio", "resources": [{resources}],
                "requestedToCapacityRatio": {{"shape": [{shape}]}}}}}}"#
        )
    };
    let falling = r#"{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}"#;
    let rising = r#"{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}"#;
    let bent = r#"{"utilization": 20, "score": 5}, {"utilization": 60, "score": 10}"#;
    let cpu = r#"{"name": "cpu"}"#;
    for (args, cpu, expected) in [
        (shaped(falling, cpu), "1", 75),
        (shaped(rising, cpu), "1", 25),
        (shaped(rising, cpu), "5", 100),
        (shaped(bent, cpu), "400m", 50),
        (shaped(bent, cpu), "1600m", 75),
        (shaped(bent, cpu), "4", 100),
        // 25 for cpu and 50 for memory: 37.5, rounded up.
        (shaped(rising, CPU_AND_MEMORY), "1", 38),
    ] {
        assert_eq!(score(&pod().cpu(cpu).memory("5000"), empty(), &args), expected, "{args} {cpu}");
    }
    // A resource whose score is 0 does not count: 75 for cpu alone.
    assert_eq!(score(&pod().cpu("1").memory("10000"), empty(), &shaped(falling, CPU_AND_MEMORY)), 75);
    assert_eq!(score(&pod().cpu("4").memory("10000"), empty(), &shaped(falling, CPU_AND_MEMORY)), 0);
}
