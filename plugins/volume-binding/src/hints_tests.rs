//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{self, Queue, Skip};
use berth_guest::testing::{Host, node, pod};

use crate::Plugin;

fn hint(kind: &str, [namespace, name]: [&str; 2], before: &str, after: &str) -> Hint {
    let is_new = before.is_empty();
    let (actions, before) = if is_new { (Actions::ADD, None) } else { (Actions::UPDATE, Some(before)) };
    let incoming = pod().name("web").namespace("here").claim("data").ephemeral("scratch");
    Host::<Plugin>::new().object_hint(kind, actions, [namespace, name], [before, Some(after)], &incoming)
}

#[test]
fn storage_objects_that_cause_a_retry() {
    let claim = "v1/PersistentVolumeClaim";
    let class = "storage.k8s.io/v1/StorageClass";
    let csi_node = "storage.k8s.io/v1/CSINode";
    let driver = "storage.k8s.io/v1/CSIDriver";
    let capacity = "storage.k8s.io/v1/CSIStorageCapacity";
    let topology = r#"{"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}]}"#;
    let migrated = r#"{"metadata": {"annotations": {"storage.alpha.kubernetes.io/migrated-plugins": "a"}}}"#;
    let [with_capacity, without_capacity] =
        [true, false].map(|with_capacity| format!(r#"{{"spec": {{"storageCapacity": {with_capacity}}}}}"#));
    for (kind, object, before, after, expected) in [
        (claim, ["here", "data"], "", "{}", Queue),
        (claim, ["here", "data"], "{}", "{}", Queue),
        (claim, ["here", "web-scratch"], "{}", "{}", Queue),
        (claim, ["here", "other"], "{}", "{}", Skip),
        (claim, ["there", "data"], "{}", "{}", Skip),
        ("v1/PersistentVolume", ["", "pv"], "", "{}", Queue),
        ("v1/PersistentVolume", ["", "pv"], "{}", "{}", Queue),
        (class, ["", "fast"], "", "{}", Queue),
        (class, ["", "fast"], "{}", topology, Queue),
        (class, ["", "fast"], topology, topology, Skip),
        (csi_node, ["", "n"], "", "{}", Queue),
        (csi_node, ["", "n"], "{}", migrated, Queue),
        (csi_node, ["", "n"], migrated, migrated, Skip),
        (driver, ["", "d"], &with_capacity, &without_capacity, Queue),
        (driver, ["", "d"], &without_capacity, &with_capacity, Skip),
        (driver, ["", "d"], "", &without_capacity, Skip),
        (capacity, ["ns", "c"], "", "{}", Queue),
        (capacity, ["ns", "c"], "{}", r#"{"capacity": "1Gi"}"#, Queue),
        (capacity, ["ns", "c"], r#"{"capacity": "2Gi"}"#, r#"{"capacity": "1Gi"}"#, Skip),
        (capacity, ["ns", "c"], r#"{"capacity": "1Gi"}"#, r#"{"capacity": "1Gi", "maximumVolumeSize": "2Gi"}"#, Queue),
    ] {
        assert_eq!(hint(kind, object, before, after), expected, "{kind} {object:?} {before} {after}");
    }
}

#[test]
fn new_nodes_and_changed_labels_cause_a_retry() {
    let mut host = Host::<Plugin>::new();
    let incoming = pod().claim("data");
    let node = node("n");
    assert_eq!(host.node_hint(Actions::ADD, [None, Some(&node)], &incoming), Queue);
    assert_eq!(host.node_hint(Actions::UPDATE_LABELS, [Some(&node), Some(&node)], &incoming), Queue);
    assert_eq!(host.node_hint(Actions::UPDATE_TAINTS, [Some(&node), Some(&node)], &incoming), Skip);
}
