//! Tests that claims get existing or new volumes, and that volumes are released after their claims.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::volumes::{claim, volume};
use super::{ago, cluster, created, heads, key, lines, node, pod, status, with};

fn claim(more: Value) -> Value {
    let claim = json!({
        "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": "default", "name": "c" },
        "spec": {
            "storageClassName": "s",
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "5Gi" } },
        },
        "status": { "phase": "Pending" },
    });
    with(claim, more)
}

fn volume(name: &str, size: &str, more: Value) -> Value {
    let volume = json!({
        "kind": "PersistentVolume",
        "metadata": { "name": name },
        "spec": { "storageClassName": "s", "accessModes": ["ReadWriteOnce"], "capacity": { "storage": size } },
        "status": { "phase": "Available" },
    });
    with(volume, more)
}

fn class(more: Value) -> Value {
    with(json!({ "kind": "StorageClass", "metadata": { "name": "s" }, "provisioner": "disks.example.com" }), more)
}

fn waiting() -> Value {
    json!({ "volumeBindingMode": "WaitForFirstConsumer" })
}

fn named(uid: Option<&str>) -> Value {
    json!({ "spec": { "claimRef": { "namespace": "default", "name": "c", "uid": uid } } })
}

fn of_claim(cluster: &Cluster) -> Vec<String> {
    heads(&claim::plan(cluster, &key("default/c")))
}

fn of_volume(cluster: &Cluster) -> Vec<String> {
    lines(&volume::plan(cluster, &key("v")))
}

#[test]
fn a_claim_takes_the_smallest_volume_that_fits() {
    let other_class = json!({ "spec": { "storageClassName": "t" } });
    let block = json!({ "spec": { "volumeMode": "Block" } });
    let shared = json!({ "spec": { "accessModes": ["ReadOnlyMany"] } });
    let taken = json!({ "spec": { "claimRef": { "namespace": "default", "name": "d", "uid": "d" } } });
    let released = json!({ "status": { "phase": "Released" } });
    let others = [other_class, block, shared, taken, released];
    let others = (0..).zip(others).map(|(number, more): (i32, _)| volume(&format!("a{number}"), "5Gi", more));
    let fitting =
        [volume("large", "9Gi", json!({})), volume("small", "6Gi", json!({})), volume("tiny", "4Gi", json!({}))];
    let cluster = cluster([claim(json!({}))].into_iter().chain(others).chain(fitting));
    assert_eq!(of_claim(&cluster), ["patch PersistentVolume small"]);
}

#[test]
fn a_selector_narrows_the_choice() {
    let labelled = volume("b", "9Gi", json!({ "metadata": { "labels": { "tier": "fast" } } }));
    let wanting = claim(json!({ "spec": { "selector": { "matchLabels": { "tier": "fast" } } } }));
    assert_eq!(of_claim(&cluster([wanting, volume("a", "5Gi", json!({})), labelled])), ["patch PersistentVolume b"]);
}

#[test]
fn claim_and_volume_are_bound_in_steps() {
    let meant = volume("v", "5Gi", named(Some("c-uid")));
    assert_eq!(
        of_volume(&cluster([claim(json!({})), meant.clone()])),
        [r#"patch PersistentVolume/status v {"status":{"phase":"Bound"}}"#,]
    );
    let plan = claim::plan(&cluster([claim(json!({})), meant.clone()]), &key("default/c"));
    assert_eq!(
        lines(&plan),
        [concat!(
            r#"patch PersistentVolumeClaim default/c {"metadata":{"annotations":"#,
            r#"{"pv.kubernetes.io/bind-completed":"yes","pv.kubernetes.io/bound-by-controller":"yes"}},"#,
            r#""spec":{"volumeName":"v"}}"#,
        )]
    );
    let bound = claim(json!({
        "metadata": { "annotations": { "pv.kubernetes.io/bind-completed": "yes" } }, "spec": { "volumeName": "v" },
    }));
    let written =
        status(&claim::plan(&cluster([bound.clone(), meant]), &key("default/c")), Kind::PersistentVolumeClaim);
    assert_eq!(
        written,
        json!({ "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "5Gi" } })
    );
    let lost = status(&claim::plan(&cluster([bound]), &key("default/c")), Kind::PersistentVolumeClaim);
    assert_eq!(lost, json!({ "phase": "Lost" }));
}

#[test]
fn claim_and_volume_can_preselect_each_other() {
    let wanting = claim(json!({ "spec": { "volumeName": "v" } }));
    assert_eq!(of_claim(&cluster([wanting.clone(), volume("v", "1Gi", json!({}))])), ["patch PersistentVolume v"]);
    assert_eq!(of_claim(&cluster([wanting])), [] as [&str; 0], "it isn't there yet");
    let offered = volume("v", "5Gi", named(None));
    let plan = claim::plan(&cluster([claim(json!({})), offered.clone()]), &key("default/c"));
    assert_eq!(heads(&plan), ["patch PersistentVolume v"]);
    assert!(!lines(&plan)[0].contains("bound-by-controller"), "the user's choice stays the user's");
    assert_eq!(of_volume(&cluster([offered])), [] as [&str; 0], "available for its claim");
}

#[test]
fn a_class_with_a_provisioner_creates_the_volume() {
    let allowed =
        json!({ "allowedTopologies": [{ "matchLabelExpressions": [{ "key": "zone", "values": ["a", "b"] }] }] });
    let plan = claim::plan(&cluster([claim(json!({})), class(allowed)]), &key("default/c"));
    let made = created(&plan);
    assert_eq!(made["metadata"]["name"], "pvc-c-uid");
    assert_eq!(made["spec"]["capacity"], json!({ "storage": "5Gi" }));
    assert_eq!(made["spec"]["claimRef"]["uid"], "c-uid");
    assert_eq!(made["spec"]["csi"]["driver"], "disks.example.com");
    assert_eq!(made["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    let terms = &made["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
    assert_eq!(terms, &json!([{ "matchExpressions": [{ "key": "zone", "operator": "In", "values": ["a", "b"] }] }]));
    let none = class(json!({ "provisioner": "kubernetes.io/no-provisioner" }));
    assert_eq!(of_claim(&cluster([claim(json!({})), none])), [] as [&str; 0]);
    assert_eq!(of_claim(&cluster([claim(json!({}))])), [] as [&str; 0], "no such class");
}

#[test]
fn a_waiting_claim_is_bound_after_the_scheduler_selects_a_node() {
    let chosen =
        |node: &str| claim(json!({ "metadata": { "annotations": { "volume.kubernetes.io/selected-node": node } } }));
    let free = || volume("v", "5Gi", json!({}));
    assert_eq!(of_claim(&cluster([claim(json!({})), class(waiting()), free()])), [] as [&str; 0]);
    let plan = claim::plan(&cluster([chosen("n1"), class(waiting()), node("n1", json!({}))]), &key("default/c"));
    let terms = &created(&plan)["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
    let host =
        json!([{ "matchExpressions": [{ "key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"] }] }]);
    assert_eq!(terms, &host);
    let reserved = volume("v", "5Gi", named(Some("c-uid")));
    assert_eq!(
        of_claim(&cluster([claim(json!({})), class(waiting()), reserved])),
        ["patch PersistentVolumeClaim default/c"]
    );
    let lost = claim::plan(&cluster([chosen("gone"), class(waiting())]), &key("default/c"));
    assert_eq!(
        lines(&lost),
        [
            r#"patch PersistentVolumeClaim default/c {"metadata":{"annotations":{"volume.kubernetes.io/selected-node":null}}}"#,
        ],
        "the scheduler is to choose again"
    );
}

#[test]
fn a_claim_without_a_class_gets_the_default_one() {
    let default =
        class(json!({ "metadata": { "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } } }));
    let silent = claim(json!({ "spec": { "storageClassName": null } }));
    let plan = claim::plan(&cluster([silent, default.clone()]), &key("default/c"));
    assert_eq!(lines(&plan), [r#"patch PersistentVolumeClaim default/c {"spec":{"storageClassName":"s"}}"#]);
    let none = claim(json!({ "spec": { "storageClassName": "" } }));
    assert_eq!(of_claim(&cluster([none, default])), [] as [&str; 0], "an empty name means none");
}

#[test]
fn a_volume_is_released_with_its_claim_and_deleted_by_policy() {
    let policy = |policy: &str, phase: &str| {
        let more = json!({ "spec": { "persistentVolumeReclaimPolicy": policy }, "status": { "phase": phase } });
        volume("v", "5Gi", with(named(Some("c-uid")), more))
    };
    let release = r#"patch PersistentVolume/status v {"status":{"phase":"Released"}}"#;
    let mut seen = cluster([claim(json!({})), policy("Delete", "Bound")]);
    assert_eq!(of_volume(&seen), [] as [&str; 0]);
    seen.remove(Kind::PersistentVolumeClaim, &key("default/c"), "c-uid");
    assert_eq!(of_volume(&seen), [release]);
    let unseen = format!("{release} unless PersistentVolumeClaim default/c");
    assert_eq!(of_volume(&cluster([policy("Delete", "Bound")])), [unseen]);
    assert_eq!(of_volume(&cluster([policy("Delete", "Released")])), ["delete PersistentVolume v"]);
    assert_eq!(of_volume(&cluster([policy("Retain", "Released")])), [] as [&str; 0]);
}

#[test]
fn a_volume_whose_claim_uses_another_is_available_again() {
    let elsewhere = claim(json!({ "spec": { "volumeName": "w" } }));
    let by_us = json!({ "metadata": { "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } } });
    let of =
        |more: Value| of_volume(&cluster([elsewhere.clone(), volume("v", "5Gi", with(named(Some("c-uid")), more))]));
    assert!(of(by_us)[0].contains(r#""claimRef":null"#));
    assert!(of(json!({}))[0].contains(r#""claimRef":{"resourceVersion":null,"uid":null}"#));
}

#[test]
fn claims_and_volumes_in_use_are_kept() {
    let going = |finalizer: &str| json!({ "metadata": { "deletionTimestamp": ago(1), "finalizers": [finalizer] } });
    let going_claim = || claim(going("kubernetes.io/pvc-protection"));
    let user = |node: Option<&str>, phase: &str| {
        pod(
            "p",
            json!({
                "spec": { "nodeName": node, "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": "c" } }] },
                "status": { "phase": phase },
            }),
        )
    };
    let release = ["patch PersistentVolumeClaim default/c"];
    assert_eq!(of_claim(&cluster([going_claim()])), release);
    assert_eq!(of_claim(&cluster([going_claim(), user(Some("n"), "Running")])), [] as [&str; 0]);
    assert_eq!(of_claim(&cluster([going_claim(), user(Some("n"), "Succeeded")])), release);
    assert_eq!(of_claim(&cluster([going_claim(), user(None, "Pending")])), release, "it can't start any more");
    let volume = |phase: &str| {
        volume("v", "5Gi", with(going("kubernetes.io/pv-protection"), json!({ "status": { "phase": phase } })))
    };
    let free = r#"patch PersistentVolume v {"metadata":{"finalizers":[]}}"#;
    assert_eq!(of_volume(&cluster([volume("Released")])), [free]);
    assert!(!of_volume(&cluster([volume("Bound")])).contains(&free.to_owned()));
}
