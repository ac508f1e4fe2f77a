//! Tests that only what is granted is allowed, and that each refusal names the entry that grants it.

use std::time::Duration;

use berth_core::intent::Wait;
use berth_core::model::Object;

use super::*;

/// Returns the authority of the plugin `P` with these grants.
fn authority(grants: Grants) -> Authority {
    Authority::new("P".into(), Some(Arc::new(grants)))
}

fn kind(api_version: &str, kind: &str) -> ObjectKind {
    ObjectKind { api_version: api_version.into(), kind: kind.into() }
}

fn object(api_version: &str, kind: &str, namespace: &str) -> ObjectReference {
    let [api_version, kind, namespace] = [api_version, kind, namespace].map(Into::into);
    ObjectReference { api_version, kind, namespace, name: "a".into(), uid: "".into() }
}

fn namespaces(names: &[&str]) -> Namespaces {
    Namespaces::Named(names.iter().map(|name| (*name).into()).collect())
}

fn patch(object: ObjectReference, subresource: &str, body: &str) -> Intent {
    let subresource = subresource.into();
    Intent::Patch(Patch { object, subresource, patch: body.into(), patch_type: PatchType::Merge })
}

fn wait(object: ObjectReference) -> Intent {
    Intent::WaitUntil(Wait { object, until: "true".into(), timeout: Duration::ZERO })
}

/// Returns the grant to change ConfigMaps of the namespace `ns`: create them, and patch the fields `data` and `status`.
fn write() -> Grants {
    let write = WriteGrant {
        kind: kind("v1", "ConfigMap"),
        namespaces: namespaces(&["ns"]),
        verbs: [Verb::Create, Verb::Patch].into(),
        subresources: ["approval".into()].into(),
        fields: vec!["data".into(), "status".into()],
    };
    Grants { write: vec![write], ..Grants::default() }
}

/// Returns the message of a refusal; `None` if the intent is allowed.
fn refused(authority: &Authority, intent: Intent) -> Option<String> {
    authority.check(&[intent]).err().map(|refusal| refusal.to_string())
}

#[test]
fn a_refusal_names_the_entry_that_grants_it() {
    let nothing = authority(Grants::default());
    let map = || object("v1", "ConfigMap", "ns");
    let assumed = Object {
        key: ObjectKey { kind: Arc::new(kind("v1", "Claim")), namespace: "ns".into(), name: "a".into() },
        uid: "".into(),
        fields: "{}".into(),
    };
    let pod = || object("v1", "Pod", "ns");
    let map_entry = "{apiVersion: v1, kind: ConfigMap, namespaces: [ns]";
    for (intent, action, entry) in [
        (
            patch(map(), "", r#"{"data": {"a": "b"}}"#),
            "patches data.a of v1 ConfigMap ns/a",
            format!("write: [{map_entry}, verbs: [patch], fields: [data.a]}}]"),
        ),
        (
            patch(map(), "scale", "{}"),
            "patches v1 ConfigMap ns/a",
            format!("write: [{map_entry}, verbs: [patch], subresources: [scale]}}]"),
        ),
        (
            patch(pod(), "binding", r#"{"target": {"name": "n"}}"#),
            "binds v1 Pod ns/a",
            "write: [{apiVersion: v1, kind: Pod, namespaces: [ns], verbs: [bind]}]".to_owned(),
        ),
        (
            patch(object("v1", "Node", ""), "", r#"{"metadata": {"annotations": {"a.b/c": "1"}}}"#),
            r#"patches metadata.annotations["a.b/c"] of v1 Node a"#,
            r#"write: [{apiVersion: v1, kind: Node, verbs: [patch], fields: ["metadata.annotations[\"a.b/c\"]"]}]"#
                .to_owned(),
        ),
        (
            Intent::Create(object("apps/v1", "ReplicaSet", "ns"), "{}".into()),
            "creates apps/v1 ReplicaSet ns/a",
            "write: [{apiVersion: apps/v1, kind: ReplicaSet, namespaces: [ns], verbs: [create]}]".to_owned(),
        ),
        (Intent::Delete(map()), "deletes v1 ConfigMap ns/a", format!("write: [{map_entry}, verbs: [delete]}}]")),
        (
            Intent::Assume(Arc::new(assumed)),
            "assumes a change of v1 Claim ns/a",
            "write: [{apiVersion: v1, kind: Claim, namespaces: [ns], verbs: [assume]}]".to_owned(),
        ),
        (wait(map()), "waits for v1 ConfigMap ns/a", format!("read: [{map_entry}}}]")),
        (Intent::Delete(pod()), "evicts or deletes pod ns/a", "evictPods: {namespaces: [ns]}".to_owned()),
        (Intent::Evict(pod(), "room".into()), "evicts or deletes pod ns/a", "evictPods: {namespaces: [ns]}".to_owned()),
    ] {
        let expected = format!(
            "{action}, which is not granted to it; to grant it, add to plugins[] of the BerthConfiguration: \
             - {{name: P, grants: {{{entry}}}}}"
        );
        assert_eq!(refused(&nothing, intent.clone()), Some(expected));
        assert_eq!(refused(&Authority::new("P".into(), None), intent), None);
    }
}

#[test]
fn nothing_beyond_a_grant_is_allowed() {
    let authority = authority(write());
    let map = |namespace: &str| object("v1", "ConfigMap", namespace);
    let data = r#"{"data": {"a": "b"}}"#;
    for (intent, is_allowed) in [
        (patch(map("ns"), "", data), true),
        (patch(map("ns"), "status", r#"{"status": {"x": 1}}"#), true),
        (patch(map("ns"), "approval", r#"{"status": {"x": 1}}"#), true),
        (patch(map("ns"), "scale", r#"{"status": {"x": 1}}"#), false),
        (patch(map("ns"), "binding", data), false),
        (patch(map("ns"), "", r#"{"data": {"a": "b"}, "immutable": true}"#), false),
        (patch(map("ns"), "", "not JSON"), false),
        (patch(map("other"), "", data), false),
        (patch(map(""), "", data), false),
        (patch(object("v2", "ConfigMap", "ns"), "", data), false),
        (patch(object("v1", "Secret", "ns"), "", data), false),
        (Intent::Create(map("ns"), "{}".into()), true),
        (Intent::Create(map("other"), "{}".into()), false),
        (Intent::Delete(map("ns")), false),
    ] {
        assert_eq!(refused(&authority, intent.clone()).is_none(), is_allowed, "{intent:?}");
    }
}

/// The needed grants allow the intents that they were made of, and nothing else.
#[test]
fn the_needed_grants_allow_what_is_asked_for() {
    let map = || object("v1", "ConfigMap", "ns");
    let pod = || object("v1", "Pod", "ns");
    let intents = [
        patch(map(), "", r#"{"data": {"a": "b"}, "immutable": true}"#),
        patch(map(), "scale", r#"{"spec": 1}"#),
        patch(pod(), "binding", r#"{"target": {"name": "n"}}"#),
        Intent::Create(map(), "{}".into()),
        Intent::Delete(map()),
        Intent::Delete(pod()),
        Intent::Evict(pod(), "room".into()),
        wait(object("v1", "Secret", "ns")),
        wait(object("v1", "Node", "")),
    ];
    let needed = |without: Option<usize>| {
        let mut grants = needed_grants(&[]);
        let others = intents.iter().enumerate().filter(|(at, _)| Some(*at) != without);
        others.for_each(|(_, intent)| add_needed_grants(&mut grants, intent));
        grants
    };
    let grants = needed(None);
    assert_eq!(authority(grants.clone()).check(&intents), Ok(()));
    assert_eq!((grants.read.len(), grants.write.len()), (1, 2), "{grants:?}");
    for without in 0..6 {
        // The grant for the eviction covers the deletion of the pod.
        let is_covered = matches!(intents[without], Intent::Delete(ref object) if *object.kind == *"Pod");
        let checked = authority(needed(Some(without))).check(&intents);
        assert_eq!(checked.is_ok(), is_covered, "without {:?}", intents[without]);
    }
}

#[test]
fn only_the_granted_namespaces_allow_evictions_and_deletions_of_pods() {
    let authority = authority(Grants { evict_pods: Some(namespaces(&["ns"])), ..Grants::default() });
    for (namespace, is_allowed) in [("ns", true), ("other", false)] {
        let pod = || object("v1", "Pod", namespace);
        assert_eq!(refused(&authority, Intent::Evict(pod(), "room".into())).is_none(), is_allowed);
        assert_eq!(refused(&authority, Intent::Delete(pod())).is_none(), is_allowed);
        assert_eq!(authority.check_eviction(namespace, "a").is_ok(), is_allowed);
    }
}

#[test]
fn reads_need_a_grant_except_reads_of_nodes_and_pods() {
    let read = vec![ReadGrant { kind: kind("v1", "ConfigMap"), namespaces: namespaces(&["ns"]) }];
    let authority = authority(Grants { read, ..Grants::default() });
    let reads = |kinds: &[ObjectKind]| -> Vec<ObjectReads> {
        kinds.iter().map(|kind| ObjectReads { kind: Arc::new(kind.clone()), ..ObjectReads::default() }).collect()
    };
    assert_eq!(authority.check_reads(&reads(&[kind("v1", "ConfigMap")])), Ok(()));
    let missing = [kind("v1", "ConfigMap"), kind("v1", "Secret"), kind("policy/v1", "PodDisruptionBudget")];
    assert_eq!(
        authority.check_reads(&reads(&missing)).unwrap_err().to_string(),
        "reads v1 Secret, policy/v1 PodDisruptionBudget, which is not granted to it; to grant it, add to plugins[] of the \
         BerthConfiguration: - {name: P, grants: {read: [{apiVersion: v1, kind: Secret}, {apiVersion: policy/v1, kind: \
         PodDisruptionBudget}]}}"
    );
    assert!(authority.sees(&kind("v1", "ConfigMap"), "ns"));
    assert!(!authority.sees(&kind("v1", "ConfigMap"), "other"));
    assert_eq!(refused(&authority, wait(object("v1", "Node", ""))), None);
    assert_eq!(refused(&authority, wait(object("v1", "Pod", "any"))), None);
    assert!(refused(&authority, wait(object("v1", "ConfigMap", "other"))).is_some());
}

#[test]
fn texts_that_yaml_would_misread_are_quoted() {
    for (text, expected) in [
        ("ns-1", "ns-1"),
        ("apps/v1", "apps/v1"),
        ("1", r#""1""#),
        ("a: b", r#""a: b""#),
        ("", r#""""#),
        ("true", r#""true""#),
    ] {
        assert_eq!(scalar(text), expected);
    }
}
