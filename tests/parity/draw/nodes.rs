//! Parts of nodes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::containers::quantity;
use super::parts::{Part, any_of, field, list, map, object, perhaps};

/// Labels that nodes have and selectors name.
pub const LABELS: [&str; 4] = ["disk", "cores", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// A value that this label may have.
pub fn label_value(key: &'static str) -> Part {
    match key {
        "disk" => any_of(&["ssd", "hdd", ""]),
        "cores" => any_of(&["8", "2", "08", "many", "9223372036854775808"]),
        _ => any_of(&["a", "b", "c"]),
    }
}

/// `metadata.labels`, those of the hostname apart.
pub fn labels() -> Part {
    field("metadata.labels", map(&LABELS, label_value))
}

/// Effects of taints.
pub const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Keys of taints, one of which the API server gives to nodes that are unschedulable.
pub const TAINTS: [&str; 4] = ["dedicated", "gpu", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready"];

/// `spec.taints`; the API server lets none be there twice.
pub fn taints() -> Part {
    let taint = object(vec![
        field("key", any_of(&TAINTS)),
        perhaps("value", any_of(&["a", "b", ""])),
        field("effect", any_of(&EFFECTS)),
    ]);
    perhaps("spec.taints", list(taint, 1..=3).prop_map(without_twins))
}

fn without_twins(taints: Value) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for taint in taints.as_array().into_iter().flatten() {
        if !kept.iter().any(|kept| kept["key"] == taint["key"] && kept["effect"] == taint["effect"]) {
            kept.push(taint.clone());
        }
    }
    kept.into()
}

/// `spec.unschedulable`
pub fn unschedulable() -> Part {
    perhaps("spec.unschedulable", any_of(&[true, false]))
}

/// `status.allocatable`
pub fn allocatable() -> Part {
    let resources =
        map(&["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu", "vendor.io/nic"], |resource| {
            quantity(resource, 16)
        });
    let pods = perhaps("pods", any_of(&["110", "3", "1", "0"]));
    let plenty = Just(json!({"cpu": "64", "memory": "128Gi", "ephemeral-storage": "100Gi", "pods": "110"}));
    prop_oneof![
        2 => field("status.allocatable", object(vec![plenty.boxed(), resources.clone()])),
        1 => field("status.allocatable", object(vec![resources, pods])),
    ]
    .boxed()
}

/// `status.declaredFeatures`, sorted as the API server wants them.
pub fn declared_features() -> Part {
    const FEATURES: [&str; 3] =
        ["ExtendWebSocketsToKubelet", "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"];
    let features = proptest::sample::subsequence(FEATURES.to_vec(), 0..=3);
    field("status.declaredFeatures", features.prop_map(Value::from))
}

/// Names under which pods ask for images, and nodes have them.
pub const IMAGES: [&str; 7] = [
    "app:1",
    "app",
    "app:latest",
    "registry:5000/app",
    "registry:5000/app:latest",
    "registry.io/team/app@sha256:7173b809ca12ec5dee4506cd86be934c4596dd234ee82c0662eac04a8c2c71dc",
    "db:2",
];

/// `status.images`; one image can have several names.
pub fn images() -> Part {
    const MIB: i64 = 1 << 20;
    let image = object(vec![
        field("names", list(any_of(&IMAGES), 1..=2)),
        field("sizeBytes", any_of(&[100 * MIB, 23 * MIB, 22 * MIB, 700 * MIB, 5000 * MIB, 0, 123_456_789])),
    ]);
    perhaps("status.images", list(image, 0..=4))
}
