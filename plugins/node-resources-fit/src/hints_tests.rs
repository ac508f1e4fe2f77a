//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};
use berth_guest::testing::{Host, node, pod};

use crate::Plugin;

#[test]
fn a_node_with_more_and_enough_resources_causes_a_retry() {
    let sized = |cpu: &str, memory: &str, pods: &str| node("n").cpu(cpu).memory(memory).allocatable("pods", pods);
    let small = sized("1", "1Gi", "10");
    let incoming = pod().cpu("2").memory("1Gi");
    let mut host = Host::<Plugin>::new();
    for (before, after, expected) in [
        (None, sized("2", "1Gi", "10"), Queue),
        (None, small.clone(), Skip),
        (None, sized("4", "1Gi", "0"), Skip),
        (Some(&small), sized("2", "1Gi", "10"), Queue),
        (Some(&small), sized("1", "8Gi", "10"), Skip),
        (Some(&small), sized("1", "1Gi", "20"), Skip),
        (Some(&sized("4", "4Gi", "10")), sized("2", "2Gi", "10"), Skip),
        (Some(&sized("4", "4Gi", "10")), sized("2", "2Gi", "11"), Queue),
        (Some(&sized("4", "4Gi", "10")), sized("4", "4Gi", "10").allocatable("example.com/gpu", "1"), Skip),
    ] {
        let actions = if before.is_none() { Actions::ADD } else { Actions::UPDATE_ALLOCATABLE };
        assert_eq!(host.node_hint(actions, [before, Some(&after)], &incoming), expected, "{before:?} {after:?}");
    }
    let gpu = pod().request("example.com/gpu", "1");
    let with_gpu = small.clone().allocatable("example.com/gpu", "1");
    assert_eq!(host.node_hint(Actions::UPDATE_ALLOCATABLE, [Some(&small), Some(&with_gpu)], &gpu), Queue);
    assert_eq!(
        host.node_hint(Actions::UPDATE_LABELS, [Some(&small), Some(&with_gpu)], &gpu),
        Skip,
        "the plugin does not wait for this action"
    );
}

#[test]
fn a_pod_that_frees_requested_resources_causes_a_retry() {
    let mut host = Host::<Plugin>::new();
    let incoming = pod().cpu("1");
    let [large, little_cpu, little_memory] =
        [("2", "2Gi"), ("1", "2Gi"), ("2", "1Gi")].map(|(cpu, memory)| pod().cpu(cpu).memory(memory));
    for (actions, change, expected) in [
        (Actions::DELETE, [Some(&large), None], Queue),
        (Actions::UPDATE_SCALE_DOWN, [Some(&large), Some(&little_cpu)], Queue),
        (Actions::UPDATE_SCALE_DOWN, [Some(&large), Some(&little_memory)], Skip),
        (Actions::UPDATE_LABELS, [Some(&large), Some(&little_cpu)], Skip),
        (Actions::ADD, [None, Some(&large)], Skip),
    ] {
        assert_eq!(host.pod_hint(actions, change, &incoming), expected, "{actions:?} {change:?}");
    }
}

#[test]
fn a_device_class_that_starts_to_provide_the_resource_causes_a_retry() {
    let mut host = Host::<Plugin>::new();
    let class = "resource.k8s.io/v1/DeviceClass";
    let gpu = r#"{"spec": {"extendedResourceName": "example.com/gpu"}}"#;
    let other = r#"{"spec": {"extendedResourceName": "example.com/other"}}"#;
    let none = "{}";
    for (resource, before, after, expected) in [
        ("example.com/gpu", None, gpu, Queue),
        ("example.com/gpu", None, other, Skip),
        ("example.com/gpu", Some(other), gpu, Queue),
        ("example.com/gpu", Some(none), gpu, Queue),
        ("example.com/gpu", Some(gpu), gpu, Skip),
        ("example.com/gpu", Some(gpu), none, Skip),
        ("deviceclass.resource.kubernetes.io/large", None, none, Queue),
        ("deviceclass.resource.kubernetes.io/large", Some(none), none, Skip),
        ("deviceclass.resource.kubernetes.io/small", None, none, Skip),
    ] {
        let actions = if before.is_none() { Actions::ADD } else { Actions::UPDATE };
        let pod = pod().request(resource, "1");
        let hint = host.object_hint(class, actions, ["", "large"], [before, Some(after)], &pod);
        assert_eq!(hint, expected, "{resource}: {before:?}, {after}");
    }
}

#[test]
fn a_node_causes_a_retry_for_a_resource_of_a_device_class() {
    let mut host = Host::<Plugin>::new();
    host.object("DeviceClass", "", "gpu", r#"{"spec": {"extendedResourceName": "example.com/gpu"}}"#);
    let node = node("n").cpu("4");
    for (resource, expected) in [("example.com/gpu", Queue), ("example.com/other", Skip)] {
        let pod = pod().request(resource, "1");
        assert_eq!(
            host.node_hint(Actions::UPDATE_ALLOCATABLE, [Some(&node), Some(&node)], &pod),
            expected,
            "{resource}"
        );
    }
}
