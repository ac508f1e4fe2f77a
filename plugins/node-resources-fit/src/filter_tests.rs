use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::Code::{self, Unschedulable, UnschedulableAndUnresolvable as Unresolvable};

use crate::Plugin;

/// Returns a node with 10 of each resource, half of it in use.
fn half_full() -> NodeBuilder {
    let node = node("node").cpu("10").memory("10Gi").allocatable("ephemeral-storage", "10Gi");
    let node = node.allocatable("example.com/a", "10").allocatable("example.com/b", "10").allocatable("pods", "32");
    let node = node.used("cpu", "5").used("memory", "5Gi").used("ephemeral-storage", "5Gi");
    node.used("example.com/a", "5").used("pods", "4")
}

/// A rejection's code and reasons.
type Refused<'a> = (Code, &'a [&'a str]);

fn verdict(pod: &PodBuilder, node: NodeBuilder, args: &str) -> Option<(Code, Vec<String>)> {
    let mut host = Host::<Plugin>::with_args(args).unwrap();
    host.node(node);
    host.verdict(pod, "node").map(|status| (status.code, status.reasons))
}

#[test]
fn pods_fit_where_all_requests_are_free() {
    let cases: Vec<(PodBuilder, Option<Refused<'_>>)> = vec![
        (pod(), None),
        (pod().cpu("5").memory("5Gi").request("ephemeral-storage", "5Gi").request("example.com/a", "5"), None),
        (pod().cpu("5001m"), Some((Unschedulable, &["Insufficient cpu"]))),
        (pod().cpu("10001m"), Some((Unresolvable, &["Insufficient cpu"]))),
        (pod().memory("6Gi"), Some((Unschedulable, &["Insufficient memory"]))),
        (pod().memory("11Gi"), Some((Unresolvable, &["Insufficient memory"]))),
        (pod().request("ephemeral-storage", "6Gi"), Some((Unschedulable, &["Insufficient ephemeral-storage"]))),
        (pod().request("example.com/a", "6"), Some((Unschedulable, &["Insufficient example.com/a"]))),
        (pod().request("example.com/a", "11"), Some((Unresolvable, &["Insufficient example.com/a"]))),
        (pod().request("example.com/none", "1"), Some((Unresolvable, &["Insufficient example.com/none"]))),
        (pod().request("example.com/none", "0"), None),
        (pod().request("hugepages-2Mi", "2Mi"), Some((Unresolvable, &["Insufficient hugepages-2Mi"]))),
        (pod().cpu("6").memory("6Gi"), Some((Unschedulable, &["Insufficient cpu", "Insufficient memory"]))),
        // The worst reason determines the code.
        (
            pod().cpu("6").memory("11Gi").request("example.com/b", "1"),
            Some((Unresolvable, &["Insufficient cpu", "Insufficient memory"])),
        ),
    ];
    for (pod, expected) in cases {
        let expected = expected.map(|(code, reasons)| (code, reasons.iter().map(|one| (*one).to_owned()).collect()));
        assert_eq!(verdict(&pod, half_full(), "{}"), expected, "{:?}", pod.0.requests);
    }
}

#[test]
fn the_number_of_pods_on_a_node_is_limited() {
    let full = || half_full().used("pods", "32");
    assert_eq!(verdict(&pod(), full(), "{}"), Some((Unschedulable, vec!["Too many pods".into()])));
    let reasons = vec!["Too many pods".into(), "Insufficient cpu".into()];
    assert_eq!(verdict(&pod().cpu("6"), full(), "{}"), Some((Unschedulable, reasons)));
    assert_eq!(verdict(&pod(), full().used("pods", "31"), "{}"), None);
}

#[test]
fn a_full_node_accepts_pods_without_requests() {
    let over = half_full().used("cpu", "12").used("memory", "10Gi");
    assert_eq!(verdict(&pod(), over.clone(), "{}"), None);
    assert_eq!(verdict(&pod().cpu("0"), over.clone(), "{}"), None);
    assert!(verdict(&pod().cpu("1m"), over, "{}").is_some());
}

#[test]
fn extended_resources_can_be_ignored() {
    let wanting = |resource| pod().request(resource, "11");
    for (pod, args, fits) in [
        (wanting("example.com/a"), r#"{"ignoredResources": ["example.com/a"]}"#, true),
        (wanting("example.com/b"), r#"{"ignoredResources": ["example.com/a"]}"#, false),
        (wanting("example.com/b"), r#"{"ignoredResourceGroups": ["example.com"]}"#, true),
        (wanting("other.com/b"), r#"{"ignoredResourceGroups": ["example.com"]}"#, false),
        // Not an extended resource, so it cannot be ignored.
        (wanting("hugepages-2Mi"), r#"{"ignoredResources": ["hugepages-2Mi"]}"#, false),
        (wanting("cpu"), r#"{"ignoredResources": ["cpu"]}"#, false),
    ] {
        assert_eq!(verdict(&pod, half_full(), args).is_none(), fits, "{args} {:?}", pod.0.requests.fit);
    }
}

#[test]
fn resources_of_a_device_class_are_left_to_dynamic_resources() {
    let mut host = Host::<Plugin>::new();
    host.node(half_full());
    host.object("DeviceClass", "", "gpu", r#"{"spec": {"extendedResourceName": "example.com/gpu"}}"#);
    host.object("DeviceClass", "", "a", r#"{"spec": {"extendedResourceName": "example.com/a"}}"#);
    for (resource, quantity, fits) in [
        ("example.com/gpu", "1", true),
        ("deviceclass.resource.kubernetes.io/gpu", "1", true),
        ("deviceclass.resource.kubernetes.io/other", "1", false),
        ("example.com/a", "5", true),
        ("example.com/a", "6", false),
    ] {
        let pod = pod().request(resource, quantity);
        assert_eq!(host.verdict(&pod, "node").is_none(), fits, "{resource} {quantity}");
    }
    host.remove_object("DeviceClass", "", "gpu");
    assert!(host.verdict(&pod().request("example.com/gpu", "1"), "node").is_some());
}
