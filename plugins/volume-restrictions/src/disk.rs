//! Disks that are named in pods themselves, and who may have them at the same time.

use berth_guest::types::{Disk, VolumeSource};

/// Whether it may be refused to a second pod.
pub fn is_exclusive(source: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    matches!(source, GcePersistentDisk(_) | AwsElasticBlockStore(_) | Iscsi(_) | Rbd(_))
}

/// Whether two pods on one node can't both have theirs.
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
