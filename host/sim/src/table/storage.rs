//! The columns of volumes, volume claims, storage classes and device kinds.

use serde_json::Value;

use super::{AGE_COLUMN, Column, or_none, text_column, wide_column};
use crate::value::{is_true, items, text, text_at};

/// The columns of PersistentVolumes.
pub const PERSISTENT_VOLUMES: &[Column] = &[
    text_column("Capacity", |volume| text_at(volume, "/spec/capacity/storage").into()),
    text_column("Access Modes", |volume| access_modes(&volume["spec"])),
    text_column("Reclaim Policy", |volume| text_at(volume, "/spec/persistentVolumeReclaimPolicy").into()),
    text_column("Status", phase),
    text_column("Claim", claim),
    text_column("StorageClass", |volume| text_at(volume, "/spec/storageClassName").into()),
    text_column("VolumeAttributesClass", |volume| or_unset(volume, "/spec/volumeAttributesClassName")),
    text_column("Reason", |volume| text_at(volume, "/status/reason").into()),
    AGE_COLUMN,
    wide_column("VolumeMode", |volume| or_unset(volume, "/spec/volumeMode")),
];

/// The columns of PersistentVolumeClaims.
pub const PERSISTENT_VOLUME_CLAIMS: &[Column] = &[
    text_column("Status", phase),
    text_column("Volume", |claim| text_at(claim, "/spec/volumeName").into()),
    text_column("Capacity", |claim| text_at(claim, "/status/capacity/storage").into()),
    text_column("Access Modes", |claim| access_modes(&claim["status"])),
    text_column("StorageClass", |claim| text_at(claim, "/spec/storageClassName").into()),
    text_column("VolumeAttributesClass", |claim| or_unset(claim, "/spec/volumeAttributesClassName")),
    AGE_COLUMN,
    wide_column("VolumeMode", |claim| or_unset(claim, "/spec/volumeMode")),
];

fn phase(object: &Value) -> Value {
    match object["metadata"].get("deletionTimestamp") {
        Some(_) => "Terminating".into(),
        None => text_at(object, "/status/phase").into(),
    }
}

fn claim(volume: &Value) -> Value {
    match volume.pointer("/spec/claimRef") {
        Some(claim) => format!("{}/{}", text(claim, "namespace"), text(claim, "name")).into(),
        None => "".into(),
    }
}

fn access_modes(part: &Value) -> Value {
    let short = |mode: &str| match mode {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        _ => "",
    };
    items(part, "accessModes").filter_map(Value::as_str).map(short).collect::<Vec<_>>().join(",").into()
}

fn or_unset(object: &Value, pointer: &str) -> Value {
    match text_at(object, pointer) {
        "" => "<unset>".into(),
        found => found.into(),
    }
}

/// The columns of StorageClasses.
pub const STORAGE_CLASSES: &[Column] = &[
    text_column("Provisioner", |class| text(class, "provisioner").into()),
    text_column("ReclaimPolicy", |class| text(class, "reclaimPolicy").into()),
    text_column("VolumeBindingMode", |class| text(class, "volumeBindingMode").into()),
    text_column("AllowVolumeExpansion", |class| is_true(class, "allowVolumeExpansion").into()),
    AGE_COLUMN,
];

/// The columns of ResourceClaims.
pub const RESOURCE_CLAIMS: &[Column] = &[text_column("State", claim_state), AGE_COLUMN];

fn claim_state(claim: &Value) -> Value {
    let mut states = Vec::new();
    if claim["metadata"].get("deletionTimestamp").is_some() {
        states.push("deleted");
    }
    match claim.pointer("/status/allocation") {
        None => states.push("pending"),
        Some(_) => {
            states.push("allocated");
            states.push(if items(&claim["status"], "reservedFor").next().is_some() { "reserved" } else { "" });
        }
    }
    states.retain(|state| !state.is_empty());
    states.join(",").into()
}

/// The columns of ResourceSlices.
pub const RESOURCE_SLICES: &[Column] = &[
    text_column("Node", |slice| or_none(slice, "/spec/nodeName")),
    text_column("Driver", |slice| text_at(slice, "/spec/driver").into()),
    text_column("Pool", |slice| text_at(slice, "/spec/pool/name").into()),
    AGE_COLUMN,
];
