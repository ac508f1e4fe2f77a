use std::time::Duration;

use berth_guest::lifecycle::{Permission, Undone};

use super::*;

/// Puts members with these uids on the node `n`.
fn with_node(host: &mut Host<Plugin>, uids: &[&str]) {
    for uid in uids {
        host.resident(&member(uid), "n");
    }
}

#[test]
fn the_first_member_activates_its_siblings_and_the_last_approves_them() {
    let mut host = host();
    let pending = ["b", "c"].map(|uid| host.pending(&member(uid)));
    host.pending(&member("other").namespace("other"));
    host.resident(&member("a"), "n");
    let minute = Permission::wait(Duration::from_secs(60));
    assert_eq!(host.permit(&member("a"), "n", b""), minute.clone().activating(["b", "c"]));
    host.remove_pending(pending[0]);
    host.resident(&member("b"), "n");
    assert_eq!(host.permit(&member("b"), "n", b""), minute);
    host.remove_pending(pending[1]);
    host.resident(&member("c"), "n");
    assert_eq!(host.permit(&member("c"), "n", b""), Permission::APPROVE.approving(["a", "b"]));
}

#[test]
fn a_pod_without_a_group_is_approved_and_one_without_a_pod_group_denied() {
    let mut host = host();
    assert_eq!(host.permit(&pod(), "n", b""), Permission::APPROVE);
    assert_eq!(host.permit(&pod().label(LABEL, ""), "n", b""), Permission::APPROVE);
    let denied = Permission::deny("PodGroup not found");
    assert_eq!(host.permit(&member("a").namespace("other"), "n", b""), denied);
    host.remove_object("PodGroup", "default", "g");
    assert_eq!(host.permit(&member("a"), "n", b""), denied);
}

#[test]
fn a_post_filter_rejects_the_waiting_members() {
    let mut host = host();
    with_node(&mut host, &["a", "b"]);
    host.resident(&member("other").namespace("other"), "n");
    let reason = "optimistic rejection in PostFilter";
    let expected = because(REJECTED).rejecting("a", reason).rejecting("b", reason);
    assert_eq!(post_filter(&mut host, &member("c")), expected);
}

#[test]
fn unreserve_rejects_the_waiting_members() {
    let mut host = host();
    with_node(&mut host, &["a", "b", "c"]);
    let reason = "rejection in Unreserve";
    let expected = Undone::default().rejecting("a", reason).rejecting("c", reason);
    assert_eq!(host.unreserve(&member("b"), "n", b""), expected);
    assert_eq!(host.unreserve(&pod(), "n", b""), Undone::default());
    host.remove_object("PodGroup", "default", "g");
    assert_eq!(host.unreserve(&member("b"), "n", b""), Undone::default());
}

#[test]
fn a_group_with_enough_pods_on_nodes_is_not_rejected() {
    let mut host = host();
    with_node(&mut host, &["a", "b", "c"]);
    assert_eq!(post_filter(&mut host, &member("d")), PostFilter::default());
}

#[test]
fn a_small_gap_rejects_nothing() {
    for (percentage, rejected) in [(33, true), (34, false)] {
        let mut host = host_with_args(&format!(r#"{{"podGroupRejectPercentage": {percentage}}}"#));
        with_node(&mut host, &["a", "b"]);
        let rejects = !post_filter(&mut host, &member("c")).pods.reject.is_empty();
        assert_eq!(rejects, rejected, "{percentage}");
    }
}

#[test]
fn a_post_filter_without_a_pod_group_rejects_nothing() {
    let mut host = host();
    with_node(&mut host, &["a"]);
    assert_eq!(post_filter(&mut host, &pod()), PostFilter::default());
    host.remove_object("PodGroup", "default", "g");
    assert_eq!(post_filter(&mut host, &member("b")), because("can not find pod group"));
}

#[test]
fn the_wait_is_that_of_the_pod_group_then_that_of_the_arguments() {
    for (args, timeout, seconds) in [
        ("{}", "null", 60),
        (r#"{"permitWaitingTimeSeconds": 5}"#, "null", 5),
        (r#"{"permitWaitingTimeSeconds": 5}"#, "7", 7),
        (r#"{"permitWaitingTimeSeconds": 5}"#, "0", 5),
        (r#"{"permitWaitingTimeSeconds": 0}"#, "null", 60),
    ] {
        let mut host = host_with_args(args);
        group(&mut host, &format!(r#"{{"minMember": 2, "scheduleTimeoutSeconds": {timeout}}}"#));
        let wait = Permission::wait(Duration::from_secs(seconds));
        assert_eq!(host.permit(&member("a"), "n", b""), wait, "{args} {timeout}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for args in [
        r#"{"podGroupRejectPercentage": 101}"#,
        r#"{"podGroupRejectPercentage": -1}"#,
        r#"{"podGroupBackoffSeconds": -1}"#,
        r#"{"permitWaitingTimeSeconds": -1}"#,
        r#"{"permitWaiting": 1}"#,
    ] {
        let field = args.split('"').nth(1).unwrap();
        let error = Host::<Plugin>::with_args(args).err().unwrap_or_default();
        assert!(error.contains(field), "{args}: {error:?}");
    }
    let of_original = r#"{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "CoschedulingArgs"}"#;
    assert!(Host::<Plugin>::with_args(of_original).is_ok());
}
