//! Volumes of pods, and their claims, persistent volumes and storage classes.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::Objects;
use super::labels::NAMESPACES;
use super::parts::{Part, any_of, field, list, merged, object, optional};
use crate::case::Case;

/// The names of the CSI drivers.
pub const DRIVERS: [&str; 2] = ["csi.a.example", "csi.b.example"];
/// The names of volumes. Each name is listed twice, so that most volumes exist. Each volume has a different size
/// (`SIZES`), because kube-scheduler chooses any of two equal volumes.
pub const VOLUMES: [&str; 8] = ["v0", "v1", "v2", "v3", "v0", "v1", "v2", "v3"];
const SIZES: [&str; 4] = ["2Gi", "4096Mi", "5G", "8Gi"];

/// The names of storage classes. Each name is listed twice, so that most classes exist.
pub const CLASSES: [&str; 8] = ["made", "local", "at-once", "in-tree", "made", "local", "at-once", "in-tree"];

/// The names of claims. A name such as `p0-e0` is that of the claim for the ephemeral volume `e0` of the pod `p0`. A
/// name that is listed more often occurs more often.
const CLAIMS: [&str; 13] = ["c0", "c1", "c2", "c0", "c1", "c2", "c0", "c1", "c2", "p0-e0", "p1-e0", "r0-e0", "r1-e1"];

/// The names of the claims of pods to schedule. The claims `c0` to `c2`, which pods name, are listed four times, so
/// that most of a pod's claims exist and the nodes decide the result.
pub const CLAIMS_OF_PODS: [&str; 15] =
    ["c0", "c1", "c2", "c0", "c1", "c2", "c0", "c1", "c2", "c0", "c1", "c2", "p0-e0", "p0-e1", "p1-e0"];

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

const ZONES: [&str; 6] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.ebs.csi.aws.com/zone",
    "topology.gke.io/zone",
];

/// Draws the labels of nodes that volumes refer to.
pub fn topology() -> Vec<Part> {
    let label = |key: &'static str| {
        let value = any_of(&["a-b-c", "a-b-d"]).prop_map(move |value| json!({"metadata": {"labels": {key: value}}}));
        prop_oneof![2 => Just(json!({})), 1 => value].boxed()
    };
    ZONES.into_iter().map(label).collect()
}

/// Draws `metadata.namespace`, mostly `default`.
pub fn namespace() -> Part {
    let namespace = prop_oneof![5 => Just("default".into()), 1 => any_of(&NAMESPACES[..2])];
    field("metadata.namespace", namespace)
}

/// Draws `spec.volumes` with claims, ephemeral volumes and empty directories.
pub fn claims() -> Part {
    let named = any_of(&CLAIMS[..3]).prop_map(|name| json!({"persistentVolumeClaim": {"claimName": name}}));
    volumes(prop_oneof![4 => named.boxed(), 1 => ephemeral(), 1 => Just(json!({"emptyDir": {}}))].boxed())
}

/// Draws `spec.volumes` with in-tree disks and empty directories.
pub fn disks() -> Part {
    volumes(prop_oneof![4 => exclusive(), 2 => migratable(), 1 => Just(json!({"emptyDir": {}}))].boxed())
}

/// Draws `spec.volumes` with claims or with disks.
pub fn both() -> Part {
    prop_oneof![3 => claims(), 1 => disks()].boxed()
}

fn volumes(of: Part) -> Part {
    let named = |mut list: Value| {
        for (at, volume) in list.as_array_mut().into_iter().flatten().enumerate() {
            volume["name"] = format!("e{at}").into();
        }
        list
    };
    prop_oneof![1 => Just(json!({})), 6 => field("spec.volumes", list(of, 1..=3).prop_map(named))].boxed()
}

fn ephemeral() -> Part {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    Just(json!({"ephemeral": {"volumeClaimTemplate": {"spec": spec}}})).boxed()
}

/// Draws a disk that VolumeRestrictions checks.
fn exclusive() -> Part {
    let read_only = || any_of(&[false, true, true]);
    let of = |source: &'static str, fixed: Value, id: &'static str, ids: &[&'static str]| {
        (any_of(ids), read_only())
            .prop_map(move |(value, read_only)| {
                let disk = merged(fixed.clone(), json!({id: value, "readOnly": read_only}));
                json!({ source: disk })
            })
            .boxed()
    };
    let iqns = ["iqn.2001-04.com.example:storage.disk1", "iqn.2001-04.com.example:storage.disk2"];
    let monitors = (any_of(&["m0", "m1"]), any_of(&["m1", "m2"])).prop_map(|(one, other)| json!([one, other]));
    let rbd = (monitors, any_of(&["i0", "i1"]), any_of(&["rbd", "fast"]), read_only());
    prop_oneof![
        of("gcePersistentDisk", json!({}), "pdName", &["d0", "d1"]),
        of("awsElasticBlockStore", json!({}), "volumeID", &["vol-0", "aws://a/vol-0", "aws:///vol-1"]),
        of("iscsi", json!({"targetPortal": "10.0.0.1", "lun": 0}), "iqn", &iqns),
        rbd.prop_map(|(monitors, image, pool, read_only)| {
            json!({"rbd": {"monitors": monitors, "image": image, "pool": pool, "readOnly": read_only}})
        }),
    ]
    .boxed()
}

/// Draws an in-tree volume that a CSI driver has taken over; rarely, one that can't be translated to CSI.
fn migratable() -> Part {
    let disk =
        |name: Value| json!({"diskName": name, "diskURI": format!("/subscriptions/s/{}", name), "kind": "Managed"});
    let unmanaged = json!({"diskName": "d0", "diskURI": "https://example.com/d0", "kind": "Dedicated"});
    prop_oneof![
        4 => any_of(&["0", "1"]).prop_map(|id| json!({"cinder": {"volumeID": id}})),
        4 => any_of(&["0", "1"]).prop_map(|id| json!({"portworxVolume": {"volumeID": id}})),
        4 => any_of(&["d0", "d1"]).prop_map(move |name| json!({"azureDisk": disk(name)})),
        1 => Just(json!({ "azureDisk": unmanaged })),
        4 => Just(json!({"awsElasticBlockStore": {"volumeID": "aws://a/disk"}})),
    ]
    .boxed()
}

const MODES: [&str; 3] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];

/// Draws access modes except ReadWriteOncePod, which can't be combined with others.
fn access_modes() -> Part {
    list(any_of(&MODES), 1..=2)
        .prop_map(|modes| {
            let mut modes = modes.as_array().cloned().unwrap_or_default();
            modes.dedup();
            modes.into()
        })
        .boxed()
}

fn annotation(key: &'static str, value: Part) -> Part {
    value.prop_map(move |value| json!({"metadata": {"annotations": {key: value}}})).boxed()
}

fn sometimes(part: Part) -> Part {
    prop_oneof![4 => Just(json!({})), 1 => part].boxed()
}

/// Draws PersistentVolumeClaims.
pub fn persistent_volume_claims() -> Objects {
    let modes = prop_oneof![3 => access_modes(), 1 => Just(json!(["ReadWriteOncePod"]))];
    let bound = (any_of(&VOLUMES), any_of(&[true, true, true, false])).prop_map(|(volume, completed)| {
        let annotations = if completed == true { json!({BIND_COMPLETED: "yes"}) } else { json!({}) };
        json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume}})
    });
    let owner = select(vec!["p0", "p1", "r0", "r1"]).prop_map(|uid| {
        let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": uid, "uid": uid, "controller": true});
        json!({"metadata": {"ownerReferences": [owner]}})
    });
    let terminating =
        json!({"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["example.com/wait"]}});
    let class = prop_oneof![8 => any_of(&CLASSES), 1 => any_of(&["none", ""])];
    Objects {
        api_version: "v1",
        kind: "PersistentVolumeClaim",
        names: &CLAIMS,
        namespaces: &NAMESPACES[..1],
        parts: vec![
            field("spec.accessModes", modes),
            field("spec.resources.requests.storage", any_of(&["1Gi", "4Gi", "4294967297", "4500M"])),
            prop_oneof![1 => Just(json!({})), 9 => field("spec.storageClassName", class)].boxed(),
            prop_oneof![Just(json!({})), bound].boxed(),
            prop_oneof![1 => Just(json!({})), 2 => owner].boxed(),
            sometimes(annotation(SELECTED_NODE, any_of(&["n0", "n1"]))),
            sometimes(annotation(CLASS, any_of(&CLASSES))),
            sometimes(field("spec.selector.matchLabels.disk", any_of(&["ssd"]))),
            sometimes(field("spec.volumeMode", any_of(&["Block", "Filesystem"]))),
            sometimes(field("spec.volumeAttributesClassName", any_of(&["fast"]))),
            sometimes(field("status.phase", any_of(&["Lost", "Bound", "Pending"]))),
            prop_oneof![19 => Just(json!({})), 1 => Just(terminating)].boxed(),
        ],
    }
}

/// Draws PersistentVolumes.
pub fn persistent_volumes() -> Objects {
    let claim = any_of(&[true, false]).prop_map(|known| {
        // `settle` derives the claim's name from the volume's name, so that no two volumes are for the same claim.
        let uid = if known == true { json!({"uid": "PersistentVolumeClaim-default-"}) } else { json!({}) };
        json!({"spec": {"claimRef": merged(json!({"namespace": "default", "name": "c"}), uid)}})
    });
    let terminating =
        json!({"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["example.com/wait"]}});
    Objects {
        api_version: "v1",
        kind: "PersistentVolume",
        names: &VOLUMES,
        namespaces: &[],
        parts: vec![
            source(),
            field("spec.accessModes", access_modes()),
            field("spec.storageClassName", any_of(&CLASSES)),
            field("status.phase", any_of(&["Available", "Available", "Available", "Bound"])),
            prop_oneof![1 => Just(json!({})), 2 => field("spec.nodeAffinity.required.nodeSelectorTerms", terms())]
                .boxed(),
            zones(),
            sometimes(claim.boxed()),
            sometimes(annotation(CLASS, any_of(&CLASSES))),
            sometimes(field("metadata.labels.disk", any_of(&["ssd", "hdd"]))),
            sometimes(field("spec.volumeMode", any_of(&["Block", "Filesystem"]))),
            prop_oneof![19 => Just(json!({})), 1 => Just(terminating)].boxed(),
        ],
    }
}

/// Draws the source of a volume. Only CSI volumes have a VolumeAttributesClass.
fn source() -> Part {
    let csi = (any_of(&DRIVERS), any_of(&["h0", "h1", "h2"]))
        .prop_map(|(driver, handle)| json!({"csi": {"driver": driver, "volumeHandle": handle}}))
        .boxed();
    let csi = object(vec![csi, sometimes(field("volumeAttributesClassName", any_of(&["fast"])))]);
    let ebs = any_of(&["vol-0", "aws://a/vol-0", "aws://a/disk"]);
    let azure = json!({"diskName": "d0", "diskURI": "/subscriptions/s/d0", "kind": "Managed"});
    prop_oneof![
        4 => csi,
        2 => ebs.prop_map(|id| json!({"awsElasticBlockStore": {"volumeID": id}})),
        2 => any_of(&["d0", "d1"]).prop_map(|name| json!({"gcePersistentDisk": {"pdName": name}})),
        1 => Just(json!({ "azureDisk": azure })),
        1 => any_of(&["0", "1"]).prop_map(|id| json!({"cinder": {"volumeID": id}})),
        1 => any_of(&["0", "1"]).prop_map(|id| json!({"portworxVolume": {"volumeID": id}})),
        1 => Just(json!({"nfs": {"server": "nfs.example", "path": "/"}})),
    ]
    .prop_map(|spec| json!({ "spec": spec }))
    .boxed()
}

fn zones() -> Part {
    let zones = any_of(&["a-b-c", "a-b-c__a-b-d", "a-b-c__c-d-e", "a-b-c__ ", "b"]);
    let label = (select(ZONES[..4].to_vec()), zones)
        .prop_map(|(key, value)| json!({"metadata": {"labels": {key: value}}}))
        // The API server refuses blanks in labels.
        .prop_map(|labels| if labels.to_string().contains("__ ") { json!({}) } else { labels });
    prop_oneof![1 => Just(json!({})), 1 => label].boxed()
}

fn terms() -> Part {
    let expression = (select(ZONES.to_vec()), list(any_of(&["a-b-c", "a-b-d"]), 1..=2), any_of(&["In", "In", "NotIn"]))
        .prop_map(|(key, values, operator)| json!({"key": key, "operator": operator, "values": values}));
    let expression = prop_oneof![
        6 => expression,
        1 => select(ZONES.to_vec()).prop_map(|key| json!({"key": key, "operator": "Exists"})),
    ];
    let by_name = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]});
    let term = prop_oneof![
        8 => list(expression.boxed(), 1..=2).prop_map(|expressions| json!({"matchExpressions": expressions})),
        1 => Just(by_name),
    ];
    list(term.boxed(), 1..=2)
}

/// Draws StorageClasses.
pub fn storage_classes() -> Objects {
    let provisioner = any_of(&[
        DRIVERS[0],
        DRIVERS[1],
        "kubernetes.io/no-provisioner",
        "kubernetes.io/aws-ebs",
        "kubernetes.io/gce-pd",
        "kubernetes.io/vsphere-volume",
    ]);
    let values = list(any_of(&["a-b-c", "a-b-d"]), 1..=1);
    let allowed = (select(ZONES.to_vec()), values)
        .prop_map(|(key, values)| json!([{"matchLabelExpressions": [{"key": key, "values": values}]}]));
    Objects {
        api_version: "storage.k8s.io/v1",
        kind: "StorageClass",
        names: &CLASSES,
        namespaces: &[],
        parts: vec![
            field("provisioner", provisioner),
            field("volumeBindingMode", any_of(&["WaitForFirstConsumer", "WaitForFirstConsumer", "Immediate"])),
            sometimes(optional("allowedTopologies", allowed)),
        ],
    }
}

/// Sets the fields that follow from a volume's name: its size, and the claim that it is reserved for.
pub fn settle(case: &mut Case) {
    for volume in case.set_mut().filter(|object| object["kind"] == "PersistentVolume") {
        let Some(at) = VOLUMES.iter().position(|name| volume["metadata"]["name"] == **name) else { continue };
        volume["spec"]["capacity"] = json!({"storage": SIZES[at]});
        if let Some(reference) = volume["spec"].get_mut("claimRef") {
            let claim = CLAIMS[at];
            reference["name"] = claim.into();
            if let Some(uid) = reference.get_mut("uid") {
                *uid = format!("PersistentVolumeClaim-default-{claim}").into();
            }
        }
    }
}
