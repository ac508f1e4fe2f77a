//! Disks in pod specs, and conflicts between pods that use the same disk.

use berth_guest::types::{Disk, VolumeSource};

/// Returns true for a disk type that may conflict between pods.
pub fn is_exclusive(source: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    matches!(source, GcePersistentDisk(_) | AwsElasticBlockStore(_) | Iscsi(_) | Rbd(_))
}

/// Returns true if two pods with these volumes can't run on the same node.
pub fn conflict(one: &VolumeSource, other: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    match (one, other) {
        (AwsElasticBlockStore(one), AwsElasticBlockStore(other)) => one.id == other.id,
        (GcePersistentDisk(one), GcePersistentDisk(other)) | (Iscsi(one), Iscsi(other)) => {
            one.id == other.id && !both_only_read(one, other)
        }
        (Rbd(one), Rbd(other)) => {
            one.id == other.id
                && one.pool == other.pool
                && one.monitors.iter().any(|monitor| other.monitors.contains(monitor))
                && !both_only_read(one, other)
        }
        _ => false,
    }
}

fn both_only_read(one: &Disk, other: &Disk) -> bool {
    one.read_only && other.read_only
}
