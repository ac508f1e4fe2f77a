//! Converts volumes of a pod.

use berth_core::model::{Disk, Volume, VolumeSource};
use bumpalo::Bump;

use super::{each, strings};
use crate::bindings::types as wit;

pub(super) fn volumes<'a>(arena: &'a Bump, volumes: &'a [Volume]) -> &'a [wit::Volume<'a>] {
    each(arena, volumes, |volume| wit::Volume { name: &volume.name, source: source(arena, &volume.source) })
}

fn source<'a>(arena: &'a Bump, source: &'a VolumeSource) -> wit::VolumeSource<'a> {
    let claim = |claim, read_only: &bool| wit::ClaimSource { claim, read_only: *read_only };
    match source {
        VolumeSource::PersistentVolumeClaim(name, read_only) => {
            wit::VolumeSource::PersistentVolumeClaim(claim(name, read_only))
        }
        VolumeSource::Ephemeral(claim, pod_uid) => {
            wit::VolumeSource::Ephemeral(wit::EphemeralSource { claim, pod_uid })
        }
        VolumeSource::GcePersistentDisk(it) => wit::VolumeSource::GcePersistentDisk(disk(arena, it)),
        VolumeSource::AwsElasticBlockStore(it) => wit::VolumeSource::AwsElasticBlockStore(disk(arena, it)),
        VolumeSource::AzureDisk(it) => wit::VolumeSource::AzureDisk(disk(arena, it)),
        VolumeSource::Cinder(it) => wit::VolumeSource::Cinder(disk(arena, it)),
        VolumeSource::PortworxVolume(it) => wit::VolumeSource::PortworxVolume(disk(arena, it)),
        VolumeSource::Iscsi(it) => wit::VolumeSource::Iscsi(disk(arena, it)),
        VolumeSource::Rbd(it) => wit::VolumeSource::Rbd(disk(arena, it)),
        VolumeSource::Csi(driver) => wit::VolumeSource::Csi(driver),
        VolumeSource::Image(reference) => wit::VolumeSource::Image(reference),
        VolumeSource::Other => wit::VolumeSource::Other,
    }
}

fn disk<'a>(arena: &'a Bump, disk: &'a Disk) -> wit::Disk<'a> {
    wit::Disk { id: &disk.id, pool: &disk.pool, monitors: strings(arena, &disk.monitors), read_only: disk.read_only }
}
