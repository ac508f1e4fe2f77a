use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};

use super::*;

fn scores(pod: &PodBuilder, node: NodeBuilder, args: &str) -> Vec<i64> {
    let mut host = Host::<Plugin>::with_args(args).unwrap();
    host.node(node);
    host.scores(pod).into_values().collect()
}

const WITH_GPUS: &str =
    r#"{"resources": [{"name": "cpu"}, {"name": "memory"}, {"name": "example.com/gpu", "weight": 1}]}"#;

#[test]
fn even_use_scores() {
    let empty = || node("node").cpu("10").memory("10000");
    let gpus = || empty().allocatable("example.com/gpu", "4");
    for (pod, node, args, expected) in [
        // Both stay even.
        (pod().cpu("1").memory("1000"), empty(), "{}", 75),
        (pod().cpu("1").memory("1000"), empty().used("cpu", "3").used("memory", "3000"), "{}", 75),
        // cpu 30 %, memory 0: a deviation of 0.15, so 85 of 100 with the pod. 50 + (50 - 15) / 2
        (pod().cpu("3"), empty(), "{}", 67),
        // From 0.15 to none: 50 + (50 + 100 - 85) / 2
        (pod().cpu("3"), empty().used("memory", "3000"), "{}", 82),
        // More than there is counts as all.
        (pod().cpu("30").memory("1"), empty().used("memory", "20000"), "{}", 100),
        // One resource is always even.
        (pod().cpu("3"), node("node").cpu("10"), "{}", 75),
        (pod().cpu("3"), node("node"), "{}", 75),
        // Extended resources count for pods that ask for them: 0.25, 0.25 and 0.5 deviate by 0.117, so 88.
        (pod().cpu("2500m").memory("2500"), gpus(), WITH_GPUS, 75),
        (pod().cpu("2500m").memory("2500").request("example.com/gpu", "2"), gpus(), WITH_GPUS, 69),
    ] {
        assert_eq!(scores(&pod, node.clone(), args), [expected], "{:?} {node:?}", pod.0.requests.fit);
    }
}

#[test]
fn pods_that_ask_for_nothing_are_not_scored() {
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
