//! Disks in pod specs, and conflicts between pods that use the same disk.

use berth_guest::types::{Disk, VolumeSource};

/// Returns true for a disk type that may conflict between pods.
pub fn is_exclusive(source: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    matches!(source, GcePersistentDisk(_) | AwsElasticBlockStore(_) | Iscsi(_) | Rbd(_))
}

/// Returns true if two pods with these volumes can't run on the same node.
pub fn conflict(first: &VolumeSource, second: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    match (first, second) {
        (AwsElasticBlockStore(first), AwsElasticBlockStore(second)) => first.id == second.id,
        (GcePersistentDisk(first), GcePersistentDisk(second)) | (Iscsi(first), Iscsi(second)) => {
            first.id == second.id && !both_only_read(first, second)
        }
        (Rbd(first), Rbd(second)) => {
            first.id == second.id
                && first.pool == second.pool
                && first.monitors.iter().any(|monitor| second.monitors.contains(monitor))
                && !both_only_read(first, second)
        }
        _ => false,
    }
}

fn both_only_read(first: &Disk, second: &Disk) -> bool {
    first.read_only && second.read_only
}
