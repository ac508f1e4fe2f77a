use berth_guest::types::Code;

use super::*;

/// Returns a host with the complete group `g`, which needs these resources, and two nodes with 2 cpus, 4Gi and 10 pods.
fn host_with(min_resources: &str) -> Host<Plugin> {
    let mut host = host();
    host.remove_node("n");
    group(&mut host, &format!(r#"{{"minMember": 3, "minResources": {min_resources}}}"#));
    for name in ["one", "two"] {
        host.node(node(name).cpu("2").memory("4Gi").allocatable("pods", "10"));
    }
    for uid in ["a", "b", "c"] {
        host.pending(&member(uid));
    }
    host
}

/// Returns why the pre-filter rejects the pod; empty if it does not.
fn rejection(host: &mut Host<Plugin>) -> String {
    let name = host.node_names().pop().unwrap_or_default();
    let Some(status) = host.verdict(&member("a"), &name) else { return String::new() };
    assert_eq!(status.code, Code::UnschedulableAndUnresolvable);
    status.reasons.concat()
}

#[test]
fn the_free_resources_of_all_nodes_are_added_up() {
    for (min_resources, expected) in [
        (r#"{"cpu": 4, "memory": "8Gi"}"#, ""),
        (r#"{"cpu": "4001m"}"#, "resource gap: cpu 1m"),
        (r#"{"cpu": "4.5", "memory": "9Gi"}"#, "resource gap: cpu 500m, memory 1Gi"),
        (r#"{"example.com/gpu": "1"}"#, "resource gap: example.com/gpu 1"),
        (r#"{"pods": 100}"#, ""),
        ("{}", ""),
        ("null", ""),
    ] {
        assert_eq!(rejection(&mut host_with(min_resources)), expected, "{min_resources}");
    }
}

#[test]
fn the_group_needs_room_for_its_pods() {
    let mut host = host_with("{}");
    host.node(node("two").allocatable("pods", "10").used("pods", "10"));
    host.node(node("one").allocatable("pods", "10").used("pods", "8"));
    assert_eq!(rejection(&mut host), "resource gap: pods 1");
}

#[test]
fn used_resources_are_not_free_but_those_of_the_groups_own_pods_are() {
    let mut host = host_with(r#"{"cpu": 3}"#);
    host.node(node("two").cpu("2").allocatable("pods", "10").used("cpu", "2").used("pods", "1"));
    assert_eq!(rejection(&mut host), "resource gap: cpu 1");
    let other = host.resident(&member("d").namespace("other").cpu("2"), "two");
    assert_eq!(rejection(&mut host), "resource gap: cpu 1");
    host.change_resident(other, &member("d").cpu("2"), "two");
    assert_eq!(rejection(&mut host), "");
    assert_eq!(rejection(&mut host.fresh()), "");
}

#[test]
fn an_overcommitted_node_takes_nothing_from_other_nodes() {
    let mut host = host_with(r#"{"cpu": 2}"#);
    host.node(node("two").cpu("2").allocatable("pods", "10").used("cpu", "5"));
    assert_eq!(rejection(&mut host), "");
}

#[test]
fn a_removed_node_has_no_resources() {
    let mut host = host_with(r#"{"cpu": 4}"#);
    host.remove_node("one");
    assert_eq!(rejection(&mut host), "resource gap: cpu 2");
}

#[test]
fn an_incomplete_group_is_rejected() {
    let mut host = host();
    host.pending(&member("a"));
    let incomplete = "cannot find enough sibling pods, current pods number: 1, minMember of group: 3";
    assert_eq!(rejection(&mut host), incomplete);
    assert_eq!(host.fits(&pod()), ["n"]);
    assert_eq!(host.fits(&member("a").namespace("other")), ["n"]);
}
