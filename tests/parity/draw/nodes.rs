//! The parts of nodes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::parts::{Part, any_of, field, list, map, object, optional};
use super::quantities::quantity;

/// The keys of the labels that nodes have and selectors name.
pub const LABELS: [&str; 4] = ["disk", "cores", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Draws a value of the label with this key.
pub fn label_value(key: &'static str) -> Part {
    match key {
        "disk" => any_of(&["ssd", "hdd", ""]),
        "cores" => any_of(&["8", "2", "08", "many", "9223372036854775808"]),
        _ => any_of(&["a", "b", "c"]),
    }
}

/// Draws `metadata.labels`, without the hostname.
pub fn labels() -> Part {
    field("metadata.labels", map(&LABELS, label_value))
}

/// The effects of taints.
pub const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The keys of taints. The node lifecycle controller adds `node.kubernetes.io/unschedulable` to unschedulable nodes.
pub const TAINTS: [&str; 4] = ["dedicated", "gpu", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready"];

/// Draws `spec.taints`, without two taints of the same key and effect, which the API server refuses.
pub fn taints() -> Part {
    let taint = object(vec![
        field("key", any_of(&TAINTS)),
        optional("value", any_of(&["a", "b", ""])),
        field("effect", any_of(&EFFECTS)),
    ]);
    optional("spec.taints", list(taint, 1..=3).prop_map(without_duplicates))
}

fn without_duplicates(taints: Value) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for taint in taints.as_array().into_iter().flatten() {
        if !kept.iter().any(|kept| kept["key"] == taint["key"] && kept["effect"] == taint["effect"]) {
            kept.push(taint.clone());
        }
    }
    kept.into()
}

/// Draws `spec.unschedulable`.
pub fn unschedulable() -> Part {
    optional("spec.unschedulable", any_of(&[true, false]))
}

/// Draws `status.allocatable`.
pub fn allocatable() -> Part {
    let resources =
        map(&["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu", "vendor.io/nic"], |resource| {
            quantity(resource, 16)
        });
    let pods = optional("pods", any_of(&["110", "3", "1", "0"]));
    let plenty = Just(json!({"cpu": "64", "memory": "128Gi", "ephemeral-storage": "100Gi", "pods": "110"}));
    prop_oneof![
        2 => field("status.allocatable", object(vec![plenty.boxed(), resources.clone()])),
        1 => field("status.allocatable", object(vec![resources, pods])),
    ]
    .boxed()
}

/// Draws `status.declaredFeatures`, sorted as the API server requires.
pub fn declared_features() -> Part {
    const FEATURES: [&str; 3] =
        ["ExtendWebSocketsToKubelet", "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"];
    let features = proptest::sample::subsequence(FEATURES.to_vec(), 0..=3);
    field("status.declaredFeatures", features.prop_map(Value::from))
}

/// The names under which pods refer to images and nodes list them.
pub const IMAGES: [&str; 7] = [
    "app:1",
    "app",
    "app:latest",
    "registry:5000/app",
    "registry:5000/app:latest",
    "registry.io/team/app@sha256:7173b809ca12ec5dee4506cd86be934c4596dd234ee82c0662eac04a8c2c71dc",
    "db:2",
];

/// Draws `status.images`. An image can have several names.
pub fn images() -> Part {
    const MIB: i64 = 1 << 20;
    let image = object(vec![
        field("names", list(any_of(&IMAGES), 1..=2)),
        field("sizeBytes", any_of(&[100 * MIB, 23 * MIB, 22 * MIB, 700 * MIB, 5000 * MIB, 0, 123_456_789])),
    ]);
    optional("status.images", list(image, 0..=4))
}
