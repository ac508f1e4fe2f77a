//! The objects of CSI drivers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Objects;
use super::parts::{any_of, field, list, object, optional};
use super::volumes::{CLASSES, DRIVERS, VOLUMES};

/// The names of nodes. Each name is listed twice, so that most nodes have a CSINode.
const NODES: [&str; 10] = ["n0", "n1", "n2", "n3", "n4", "n0", "n1", "n2", "n3", "n4"];

/// The drivers that CSINodes list, mostly with a limit of volumes per node. The last three replace in-tree volume
/// plugins.
const LIMITING: [&str; 5] =
    [DRIVERS[0], DRIVERS[1], "ebs.csi.aws.com", "pd.csi.storage.gke.io", "cinder.csi.openstack.org"];

/// Draws CSINodes, each with different drivers.
pub fn nodes() -> Objects {
    let driver = object(vec![
        field("name", any_of(&LIMITING)),
        field("nodeID", any_of(&["id"])),
        prop_oneof![1 => Just(json!({})), 4 => field("allocatable.count", any_of(&[0, 1, 2, 3]))].boxed(),
    ]);
    let drivers = list(driver, 0..=3).prop_map(|drivers| {
        let mut kept: Vec<Value> = Vec::new();
        for driver in drivers.as_array().into_iter().flatten() {
            if !kept.iter().any(|kept| kept["name"] == driver["name"]) {
                kept.push(driver.clone());
            }
        }
        kept.into()
    });
    let migrated =
        any_of(&["kubernetes.io/aws-ebs", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs,kubernetes.io/cinder"]);
    let migrated = migrated
        .prop_map(|list| json!({"metadata": {"annotations": {"storage.alpha.kubernetes.io/migrated-plugins": list}}}));
    Objects {
        api_version: "storage.k8s.io/v1",
        kind: "CSINode",
        names: &NODES,
        namespaces: &[],
        parts: vec![field("spec.drivers", drivers), prop_oneof![Just(json!({})), migrated].boxed()],
    }
}

/// Draws CSIDrivers.
pub fn drivers() -> Objects {
    Objects {
        api_version: "storage.k8s.io/v1",
        kind: "CSIDriver",
        names: &DRIVERS,
        namespaces: &[],
        parts: vec![optional("spec.storageCapacity", any_of(&[true, true, false]))],
    }
}

/// Draws CSIStorageCapacities.
pub fn capacities() -> Objects {
    let label = any_of(&["a-b-c", "a-b-d"]).prop_map(|zone| json!({"topology.kubernetes.io/zone": zone}));
    let amount = || any_of(&["1Gi", "4Gi", "10Gi", "0"]);
    let topology = prop_oneof![Just(json!({})), field("matchLabels", label)];
    Objects {
        api_version: "storage.k8s.io/v1",
        kind: "CSIStorageCapacity",
        names: &["k0", "k1", "k2"],
        namespaces: &["kube-system"],
        parts: vec![
            field("storageClassName", any_of(&CLASSES)),
            optional("nodeTopology", topology),
            optional("capacity", amount()),
            optional("maximumVolumeSize", amount()),
        ],
    }
}

/// Draws VolumeAttachments.
pub fn attachments() -> Objects {
    Objects {
        api_version: "storage.k8s.io/v1",
        kind: "VolumeAttachment",
        names: &["a0", "a1", "a2"],
        namespaces: &[],
        parts: vec![
            field("spec.attacher", any_of(&LIMITING[..3])),
            field("spec.nodeName", any_of(&NODES)),
            field("spec.source.persistentVolumeName", any_of(&VOLUMES)),
        ],
    }
}
