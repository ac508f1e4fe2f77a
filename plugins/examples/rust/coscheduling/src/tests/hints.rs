use berth_guest::EventActions;
use berth_guest::hints::Hint;

use super::*;

const KIND: &str = "scheduling.x-k8s.io/v1alpha1/PodGroup";

/// Returns a host with the complete group `g`.
fn complete() -> Host<Plugin> {
    let mut host = host();
    for uid in ["a", "b", "c"] {
        host.pending(&member(uid));
    }
    host
}

#[test]
fn the_pods_own_pod_group_causes_a_retry() {
    let mut host = host();
    for (actions, name, expected) in [
        (EventActions::ADD, ["default", "g"], Hint::Queue),
        (EventActions::UPDATE, ["default", "g"], Hint::Queue),
        (EventActions::DELETE, ["default", "g"], Hint::Skip),
        (EventActions::ADD, ["default", "h"], Hint::Skip),
        (EventActions::UPDATE, ["other", "g"], Hint::Skip),
    ] {
        let hint = host.object_hint(KIND, actions, name, [None, Some("{}")], &member("a"));
        assert_eq!(hint, expected, "{actions:?} {name:?}");
    }
}

#[test]
fn a_member_that_gets_a_node_causes_a_retry() {
    let mut host = host();
    for (before, after, expected) in [
        (None, Some(member("b")), Hint::Queue),
        (Some(pod()), Some(member("b")), Hint::Queue),
        (Some(member("b")), Some(member("b")), Hint::Skip),
        (None, Some(member("b").namespace("other")), Hint::Skip),
        (None, Some(pod()), Hint::Skip),
    ] {
        let change = [before.as_ref(), after.as_ref()];
        assert_eq!(host.pod_hint(EventActions::ADD, change, &member("a")), expected, "{change:?}");
    }
}

#[test]
fn a_change_of_a_node_that_makes_room_causes_a_retry_of_a_complete_group() {
    let new = node("new");
    for (actions, expected) in [
        (EventActions::ADD, Hint::Queue),
        (EventActions::UPDATE_ALLOCATABLE, Hint::Queue),
        (EventActions::UPDATE_TAINTS, Hint::Queue),
        (EventActions::UPDATE_LABELS, Hint::Queue),
        (EventActions::UPDATE_CONDITION, Hint::Skip),
        (EventActions::DELETE, Hint::Skip),
    ] {
        let change = [None, Some(&new)];
        assert_eq!(complete().node_hint(actions, change, &member("a")), expected, "{actions:?}");
        assert_eq!(host().node_hint(actions, change, &member("a")), Hint::Skip, "{actions:?}");
        assert_eq!(complete().node_hint(actions, change, &pod()), Hint::Skip, "{actions:?}");
    }
}

#[test]
fn another_pod_that_frees_resources_causes_a_retry_of_a_complete_group() {
    let (other, own) = (member("x").namespace("other"), member("b"));
    for (actions, before, after, expected) in [
        (EventActions::DELETE, &other, None, Hint::Queue),
        (EventActions::UPDATE_SCALE_DOWN, &other, Some(&other), Hint::Queue),
        (EventActions::UPDATE_LABELS, &other, Some(&other), Hint::Skip),
        (EventActions::DELETE, &own, None, Hint::Skip),
        (EventActions::UPDATE_SCALE_DOWN, &own, Some(&own), Hint::Skip),
    ] {
        let change = [Some(before), after];
        assert_eq!(complete().pod_hint(actions, change, &member("a")), expected, "{actions:?}");
        assert_eq!(host().pod_hint(actions, change, &member("a")), Hint::Skip, "{actions:?}");
    }
}

#[test]
fn a_pending_pod_that_completes_the_group_causes_a_retry() {
    let mut host = host();
    for uid in ["a", "b"] {
        host.pending(&member(uid));
    }
    assert!(!gated(&mut host, &member("a")).is_empty());
    let added = member("c");
    let hint = |host: &mut Host<Plugin>, pod: &PodBuilder| {
        host.pending_pod_hint(EventActions::ADD, [None, Some(pod)], &member("a"))
    };
    assert_eq!(hint(&mut host, &added), Hint::Skip, "the group is not complete yet");
    host.pending(&added);
    assert_eq!(hint(&mut host, &added), Hint::Queue);
    assert_eq!(hint(&mut host, &added.clone().namespace("other")), Hint::Skip);
    let removed = host.pending_pod_hint(EventActions::DELETE, [Some(&added), None], &member("a"));
    assert_eq!(removed, Hint::Skip);
    // Once the group was admitted, a member that gives up its node causes no retry.
    assert!(gated(&mut host, &member("a")).is_empty());
    assert_eq!(hint(&mut host, &added), Hint::Skip);
}

#[test]
fn the_record_of_an_incomplete_group_ends_with_its_pods() {
    let groups = crate::Groups::default();
    for key in ["default/g", "default/h"] {
        groups.set_incomplete(&key.to_owned(), true);
    }
    assert!(!groups.was_incomplete("default/g") && groups.was_incomplete("default/h"));
}
