use std::time::Duration;

use berth_guest::lifecycle::{Decision, Permission, Undone};

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

/// A group from its first pod to its start.
#[test]
fn a_group_starts_when_it_is_complete() {
    let mut host = host();
    let mut pending = Vec::new();
    for (count, uid) in [(1, "a"), (2, "b")] {
        pending.push(host.pending(&member(uid)));
        let incomplete =
            format!("cannot find enough sibling pods, current pods number: {count}, minMember of group: 3");
        assert_eq!(gated(&mut host, &member(uid)), [incomplete]);
    }
    pending.push(host.pending(&member("c")));
    for uid in ["a", "b", "c"] {
        assert_eq!(gated(&mut host, &member(uid)), [""; 0]);
        assert_eq!(host.fits(&member(uid)), ["n"]);
    }
    let expected = [
        Permission::wait(MINUTE).activating(["b", "c"]),
        Permission::wait(MINUTE),
        Permission::APPROVE.approving(["a", "b"]),
    ];
    for ((uid, id), expected) in ["a", "b", "c"].into_iter().zip(pending).zip(expected) {
        host.remove_pending(id);
        host.resident(&member(uid), "n");
        assert_eq!(host.permit(&member(uid), "n", b""), expected, "{uid}");
    }
    // A pod beyond the minimum follows at once.
    host.resident(&member("d"), "n");
    assert_eq!(host.permit(&member("d"), "n", b""), Permission::APPROVE.approving(["a", "b", "c"]));
}

#[test]
fn a_group_that_fails_is_rejected_and_backs_off() {
    let mut host = host_with_args(r#"{"podGroupBackoffSeconds": 10}"#);
    host.set_time(1_000);
    let a = host.resident(&member("a"), "n");
    host.pending(&member("b"));
    let c = host.pending(&member("c"));
    assert_eq!(host.fits(&member("b")), ["n"]);
    let expected = because(REJECTED).rejecting("a", "optimistic rejection in PostFilter");
    assert_eq!(post_filter(&mut host, &member("b")), expected);
    host.remove_resident(a);
    host.pending(&member("a"));
    host.set_time(10_999);
    assert_eq!(host.verdict(&member("c"), "n").unwrap().reasons, ["podGroup default/g failed recently"]);
    assert_eq!(host.fits(&member("c").namespace("other")), ["n"]);
    // A failure during the back-off does not extend it.
    assert_eq!(post_filter(&mut host, &member("c")), because(REJECTED));
    host.set_time(11_000);
    assert_eq!(host.fits(&member("c")), ["n"]);
    // An incomplete group does not back off.
    host.remove_pending(c);
    assert_eq!(post_filter(&mut host, &member("b")), because(REJECTED));
    host.pending(&member("c"));
    assert_eq!(host.fits(&member("b")), ["n"]);
}

#[test]
fn a_group_without_back_off_is_tried_again_at_once() {
    let mut host = host();
    for uid in ["a", "b", "c"] {
        host.pending(&member(uid));
    }
    assert_eq!(post_filter(&mut host, &member("b")), because(REJECTED));
    assert_eq!(host.fits(&member("b")), ["n"]);
}

#[test]
fn a_new_pod_group_of_the_same_name_does_not_back_off() {
    let mut host = host_with_args(r#"{"podGroupBackoffSeconds": 10}"#);
    for uid in ["a", "b", "c"] {
        host.pending(&member(uid));
    }
    post_filter(&mut host, &member("a"));
    assert_eq!(host.fits(&member("a")), [""; 0]);
    host.remove_object("PodGroup", "default", "g");
    group(&mut host, r#"{"minMember": 3}"#);
    assert_eq!(host.fits(&member("a")), ["n"]);
}

/// A member that times out in permit gives up its node: unreserve rejects the others, and all are pending again.
#[test]
fn a_timeout_rejects_the_group_which_then_starts_from_the_beginning() {
    let mut host = host();
    let [a, b] = ["a", "b"].map(|uid| host.resident(&member(uid), "n"));
    let expected = Undone::default().rejecting("b", "rejection in Unreserve");
    assert_eq!(host.unreserve(&member("a"), "n", b""), expected);
    for (id, uid) in [(a, "a"), (b, "b")] {
        host.remove_resident(id);
        host.pending(&member(uid));
    }
    host.pending(&member("c"));
    let first = Permission::wait(MINUTE).activating(["b", "c"]);
    assert_eq!(host.permit(&member("a"), "n", b""), first);
}

#[test]
fn a_deleted_member_does_not_count() {
    let mut host = host();
    let a = host.resident(&member("a"), "n");
    host.resident(&member("b"), "n");
    host.remove_resident(a);
    host.resident(&member("c"), "n");
    assert_eq!(host.permit(&member("c"), "n", b"").decision, Decision::Wait(MINUTE));
    let pending = ["d", "e"].map(|uid| host.pending(&member(uid)));
    assert_eq!(gated(&mut host, &member("d")), [""; 0]);
    for id in pending {
        host.remove_pending(id);
    }
    assert_eq!(gated(&mut host, &member("d")).len(), 1);
}

#[test]
fn a_pod_whose_label_changes_moves_to_the_other_group() {
    let mut host = host();
    for uid in ["a", "b"] {
        host.pending(&member(uid));
    }
    let c = host.pending(&member("c"));
    host.change_pending(c, &pod().uid("c").label(LABEL, "h"));
    assert_eq!(gated(&mut host, &member("a")).len(), 1);
    host.change_pending(c, &member("c"));
    assert_eq!(gated(&mut host, &member("a")), [""; 0]);
}

#[test]
fn groups_of_two_namespaces_are_independent() {
    let mut host = host();
    host.object("PodGroup", "other", "g", r#"{"spec": {"minMember": 1}}"#);
    let other = member("x").namespace("other");
    host.resident(&member("a"), "n");
    host.resident(&member("b"), "n");
    host.resident(&other, "n");
    assert_eq!(host.permit(&other, "n", b""), Permission::APPROVE);
    assert_eq!(host.permit(&member("b"), "n", b"").decision, Decision::Wait(MINUTE));
    assert_eq!(host.unreserve(&other, "n", b""), Undone::default());
}
