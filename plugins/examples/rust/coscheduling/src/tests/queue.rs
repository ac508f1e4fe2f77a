use berth_guest::Queued;

use super::*;

/// Returns the times of a pod that has not failed yet.
fn queued(time: i64) -> Queued {
    Queued { first_queued: time, queued: time }
}

/// Adds a PodGroup of the namespace `default` with this creation time.
fn created(host: &mut Host<Plugin>, name: &str, time: &str) {
    let fields = format!(r#"{{"metadata": {{"creationTimestamp": "{time}"}}, "spec": {{"minMember": 3}}}}"#);
    host.object("PodGroup", "default", name, &fields);
}

#[test]
fn an_incomplete_group_does_not_enter_the_queue() {
    let mut host = host();
    host.resident(&member("a"), "n");
    host.pending(&member("b"));
    host.pending(&member("other").namespace("other"));
    host.pending(&pod().uid("alone"));
    let incomplete = "cannot find enough sibling pods, current pods number: 2, minMember of group: 3";
    assert_eq!(gated(&mut host, &member("b")), [incomplete]);
    assert_eq!(gated(&mut host.fresh(), &member("b")), [incomplete]);
    host.pending(&member("c"));
    assert_eq!(gated(&mut host, &member("b")), [""; 0]);
}

#[test]
fn pods_with_scheduling_gates_do_not_complete_a_group() {
    let mut host = host();
    for uid in ["a", "b", "c"] {
        host.pending(&member(uid));
    }
    let d = host.pending(&member("d").scheduling_gate("wait"));
    assert_eq!(gated(&mut host, &member("a")), [""; 0], "three of four have no gate");
    group(&mut host, r#"{"minMember": 4}"#);
    assert_eq!(gated(&mut host, &member("a")), ["cannot proceed due to gated pods in the same PodGroup"]);
    host.change_pending(d, &member("d"));
    assert_eq!(gated(&mut host, &member("a")), [""; 0]);
}

#[test]
fn pods_without_a_group_are_skipped() {
    let mut host = host();
    assert!(host.skips(&pod()) && host.skips(&pod().label(LABEL, "")));
    assert!(!host.skips(&member("a")) && !host.skips(&pod().label(LABEL, "missing")));
}

#[test]
fn a_pod_without_a_pod_group_enters_the_queue() {
    let mut host = host();
    assert_eq!(host.held_back(&pod()), None);
    assert_eq!(host.held_back(&member("a").namespace("other")), None);
}

#[test]
fn an_invalid_pod_group_keeps_its_pods_out_of_the_queue() {
    let mut host = host();
    group(&mut host, r#"{"minMember": 1, "minResources": {"cpu": "much"}}"#);
    let [reason] = &gated(&mut host, &member("a"))[..] else { panic!() };
    assert!(reason.starts_with("PodGroup default/g is invalid: ") && reason.contains("much"), "{reason}");
    group(&mut host, r#"{"minMember": 1}"#);
    host.pending(&member("a"));
    assert_eq!(gated(&mut host, &member("a")), [""; 0]);
}

#[test]
fn pods_are_ordered_by_priority_then_time_then_group() {
    let mut host = host();
    created(&mut host, "g", "1970-01-01T00:00:02Z");
    created(&mut host, "h", "1970-01-01T00:00:02Z");
    created(&mut host, "later", "1970-01-01T00:00:03Z");
    let member = |group: &str| pod().label(LABEL, group);
    let keys = [
        host.sort_key(&pod().priority(1), queued(9000)),
        host.sort_key(&pod(), queued(1999)),
        host.sort_key(&pod(), queued(2000)),
        host.sort_key(&member("g"), queued(9000)),
        host.sort_key(&member("h"), queued(8000)),
        host.sort_key(&member("later"), queued(2000)),
        // A group without a PodGroup has the time of its pod.
        host.sort_key(&member("missing"), queued(4000)),
    ];
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(keys[2], [0, 2000]);
}

#[test]
fn the_pods_of_a_group_have_one_key_until_they_fail() {
    let mut host = host();
    created(&mut host, "g", "1970-01-01T00:00:02Z");
    assert_eq!(host.sort_key(&member("a"), queued(5)), host.sort_key(&member("b"), queued(6)));
    let failed = host.sort_key(&member("a"), Queued { first_queued: 5, queued: 7000 });
    assert_eq!(failed[..2], [0, 7000]);
}

#[test]
fn groups_of_the_same_time_are_ordered_by_their_names() {
    let mut host = host();
    let mut names = ["a", "a-b", "abcdefg", "abcdefg-1", "abcdefgh", "b", "z"];
    names.sort_unstable();
    let key = |name: &&str| host.sort_key(&pod().label(LABEL, name), queued(1));
    let keys: Vec<Vec<i64>> = names.iter().map(key).collect();
    assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
    let longest = pod().namespace(&"n".repeat(63)).label(LABEL, &"l".repeat(63));
    assert!(host.sort_key(&longest, queued(1)).len() <= 64);
}

#[test]
fn the_pods_of_a_group_share_a_pod_signature() {
    let host = host();
    let reads = &host.declaration().pod;
    let facts = berth_guest::types::PodFacts::NAMESPACE | berth_guest::types::PodFacts::PRIORITY;
    assert_eq!((reads.facts, &reads.label_keys[..]), (facts, &[LABEL.to_owned()][..]));
}

/// The host sends changes of objects in the order of their ids, so the deletion of a PodGroup may come after the
/// creation of another one with the same name.
#[test]
fn a_pod_group_that_replaces_another_one_stays() {
    use berth_guest::Guest;
    use berth_guest::bindings::objects::exports::berth::scheduler::objects::{Change, Object};

    let created = |id: u32, uid: &str, fields: &str| {
        let [namespace, name, uid, fields] = ["default", "g", uid, fields].map(str::to_owned);
        Change::Object(Object { id, kind: 0, namespace, name, uid, fields, assumed: false })
    };
    let mut guest = Guest::<Plugin>::default();
    guest.configure("{}").unwrap();
    guest.add_signature(0, member("a").0);
    guest.apply_objects(vec![created(1, "old", "{}")]);
    assert_eq!(guest.pre_enqueue(0), Ok(None));
    guest.apply_objects(vec![created(0, "new", r#"{"spec": {"minMember": 2}}"#), Change::ObjectRemoved(1)]);
    assert!(guest.pre_enqueue(0).unwrap().is_some());
    guest.apply_objects(vec![Change::ObjectRemoved(0)]);
    assert_eq!(guest.pre_enqueue(0), Ok(None));
}
