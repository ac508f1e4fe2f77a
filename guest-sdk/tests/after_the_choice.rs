//! Tests of reserve, the steps after it, and queueing hints: what the functions get, and what they may answer.

use std::time::Duration;

use berth_guest::hints::{Event, Hint};
use berth_guest::intents::{Intent, ObjectReference, Patch, PatchType, Wait};
use berth_guest::lifecycle::{Decision, Permission, PodActions, Reservation, Reserved, Undone};
use berth_guest::prelude::*;
use berth_guest::testing::{Host, node, pod};
use berth_guest::types::{Code, NodeFacts, PodFacts};
use berth_guest::{ClusterEvent, EventActions};
use serde::Deserialize;

/// Takes part in reserve, unreserve, permit, pre-bind, bind, post-bind and queueing hints. The labels and annotations
/// of the pod, the node's labels and the reserved state choose the answers.
mod licenses {
    use super::*;

    fn reserve(pod: &pod::Labels, node: &node::Labels) -> Result<Reservation, Rejection> {
        match (pod.get("license"), node.get("licenses")) {
            (None, _) => Ok(Reservation::default()),
            (Some(_), None) => Err(Rejection::unresolvable("node(s) had no licenses")),
            (Some(license), Some(_)) => Ok(Reservation::of(license)),
        }
    }

    fn unreserve(reserved: &Reserved, pod: &pod::Identity) -> Undone {
        assert_eq!(reserved.state, b"cad");
        Undone::default().rejecting(format!("with-{}", pod.uid), "the license is free").activating(["next"])
    }

    fn permit(reserved: &Reserved, pod: &pod::Identity) -> Result<Permission, &'static str> {
        match reserved.state.as_slice() {
            b"" => Ok(Permission::APPROVE),
            b"none" => Err("no license is left"),
            _ => Ok(Permission::wait(Duration::from_secs(5)).approving([format!("before-{}", pod.uid)])),
        }
    }

    fn pre_bind(reserved: &Reserved) -> Vec<Intent> {
        let node = ObjectReference::new("v1", "Node", &reserved.node_name);
        vec![
            Intent::patch_status(node.clone(), "{}"),
            Intent::wait_until(node, "object.status.licensed == true", Duration::from_secs(600)),
        ]
    }

    fn bind(_: &Reserved, annotations: &pod::Annotations) -> Result<Option<Vec<Intent>>, String> {
        match annotations.get("bound-by") {
            None => Ok(None),
            Some("others") => Ok(Some(Vec::new())),
            Some(other) => Err(format!("bound by {other}?")),
        }
    }

    fn post_bind(reserved: &Reserved) {
        assert_eq!(reserved.node_name, "a");
    }

    fn queueing_hint(
        event: &Event,
        pod: &pod::Labels,
        node: node::Change<'_, node::Labels>,
        other: pod::Change<'_, (pod::Labels, pod::Annotations)>,
    ) -> Result<Hint, String> {
        let license = pod.get("license");
        Ok(Hint::queue_if(match event.kind_name() {
            "Node" => {
                let has = |labels: Option<&node::Labels>| labels.map(|labels| labels.get("license") == license);
                has(node.after) == Some(true) && has(node.before) != Some(true)
            }
            "Pod" => other.before.is_some_and(|(labels, _)| labels.get("license") == license) && other.after.is_none(),
            _ => event.name == "licenses" && event.before::<Left>()? != event.after::<Left>()?,
        }))
    }

    #[derive(PartialEq, Deserialize)]
    struct Left {
        left: u32,
    }

    berth_guest::plugin!(
        name: "Licenses",
        reserve: reserve,
        unreserve: unreserve,
        permit: permit,
        pre_bind: pre_bind,
        bind: bind,
        post_bind: post_bind,
        queueing_hint: queueing_hint,
        retry_on: [
            ClusterEvent::new("Node", EventActions::UPDATE_LABELS | EventActions::ADD),
            ClusterEvent::new("Pod", EventActions::DELETE),
            ClusterEvent::new("v1/ConfigMap", EventActions::UPDATE),
        ],
    );
}

fn host() -> Host<licenses::Plugin> {
    let mut host = Host::new();
    host.node(node("a").label("licenses", "3"));
    host.node(node("b"));
    host
}

#[test]
fn the_declaration_has_the_facts_that_are_read() {
    let host = host();
    let declaration = host.declaration();
    assert_eq!(declaration.node.facts, NodeFacts::LABELS);
    let facts = PodFacts::LABELS | PodFacts::ANNOTATIONS;
    assert_eq!(declaration.pod.facts, facts);
}

#[test]
fn reserve_returns_state_or_a_rejection() {
    let mut host = host();
    let licensed = pod().label("license", "cad");
    assert_eq!(host.reserve(&licensed, "a"), Ok(Reservation { state: b"cad".to_vec(), intents: Vec::new() }));
    assert_eq!(host.reserve(&pod(), "b"), Ok(Reservation::default()));
    let refused = host.reserve(&licensed, "b").unwrap_err();
    assert_eq!(refused.code, Code::UnschedulableAndUnresolvable);
    assert_eq!(refused.reasons, ["node(s) had no licenses"]);
    let undone = host.unreserve(&licensed.uid("u"), "a", b"cad");
    let reject = vec![("with-u".to_owned(), "the license is free".to_owned())];
    let pods = PodActions { approve: Vec::new(), reject, activate: vec!["next".to_owned()] };
    assert_eq!(undone, Undone { intents: Vec::new(), pods });
}

#[test]
fn permit_approves_denies_or_waits() {
    let mut host = host();
    assert_eq!(host.permit(&pod(), "a", b""), Permission::APPROVE);
    let denied = Permission::deny("no license is left");
    assert_eq!(host.permit(&pod(), "a", b"none"), denied);
    let waits = host.permit(&pod().uid("u"), "a", b"cad");
    assert_eq!(waits.decision, Decision::Wait(Duration::from_secs(5)));
    assert_eq!(waits.pods, PodActions { approve: vec!["before-u".to_owned()], ..PodActions::default() });
}

#[test]
fn intents_keep_their_order() {
    let object = ObjectReference::new("v1", "Node", "a");
    let patch = Patch {
        object: object.clone(),
        subresource: "status".into(),
        patch: "{}".into(),
        patch_type: PatchType::Merge,
    };
    let wait = Wait { object, until: "object.status.licensed == true".into(), timeout_ms: 600_000 };
    assert_eq!(host().pre_bind(&pod(), "a", b""), [Intent::Patch(patch), Intent::WaitUntil(wait)]);
}

#[test]
fn bind_returns_intents_or_skips() {
    let mut host = host();
    assert_eq!(host.bind(&pod(), "a", b""), None);
    assert_eq!(host.bind(&pod().annotation("bound-by", "others"), "a", b""), Some(Vec::new()));
    host.post_bind(&pod(), "a", b"");
}

#[test]
#[should_panic(expected = "bind: bound by whom?")]
fn a_bind_may_fail() {
    host().bind(&pod().annotation("bound-by", "whom"), "a", b"");
}

#[test]
fn a_hint_receives_the_change() {
    let mut host = host();
    let licensed = pod().label("license", "cad");
    let [bare, with, other] = [node("a"), node("a").label("license", "cad"), node("a").label("license", "other")];
    for (actions, change, hint) in [
        (EventActions::ADD, [None, Some(&with)], Hint::Queue),
        (EventActions::ADD, [None, Some(&other)], Hint::Skip),
        (EventActions::UPDATE_LABELS, [Some(&other), Some(&with)], Hint::Queue),
        (EventActions::UPDATE_LABELS, [Some(&with), Some(&with)], Hint::Skip),
        (EventActions::UPDATE_LABELS, [Some(&with), Some(&bare)], Hint::Skip),
        (EventActions::DELETE, [Some(&with), None], Hint::Skip),
    ] {
        assert_eq!(host.node_hint(actions, change, &licensed), hint, "{change:?}");
    }
    let unlicensed = pod();
    for (actions, change, hint) in [
        (EventActions::DELETE, [Some(&licensed), None], Hint::Queue),
        (EventActions::DELETE, [Some(&unlicensed), None], Hint::Skip),
        (EventActions::ADD, [None, Some(&licensed)], Hint::Skip),
    ] {
        assert_eq!(host.pod_hint(actions, change, &licensed), hint, "{change:?}");
    }
    for (name, before, after, hint) in [
        ("licenses", r#"{"left": 0}"#, r#"{"left": 1}"#, Hint::Queue),
        ("licenses", r#"{"left": 1}"#, r#"{"left": 1}"#, Hint::Skip),
        ("others", r#"{"left": 0}"#, r#"{"left": 1}"#, Hint::Skip),
    ] {
        let change = [Some(before), Some(after)];
        assert_eq!(host.object_hint("v1/ConfigMap", EventActions::UPDATE, ["ns", name], change, &licensed), hint);
    }
}

#[test]
#[should_panic(expected = "queueing-hint: left: invalid type")]
fn a_hint_may_fail() {
    let change = [Some(r#"{"left": "few"}"#), None];
    host().object_hint("v1/ConfigMap", EventActions::UPDATE, ["ns", "licenses"], change, &pod());
}
