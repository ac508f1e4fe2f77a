//! Volumes of a pod that may be limited.

use berth_guest::types::{Volume, VolumeSource};
use berth_guest_volumes::PersistentVolume;
use berth_guest_volumes::migration::InTree;

/// A kind of in-tree volume.
pub type Source = InTree;

/// What makes a volume one and the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id<'a> {
    /// The disk.
    Disk(&'a str),
    /// Namespace and name of the claim, as long as the disk is not known.
    Claim(&'a str, &'a str),
}

/// The volumes of a pod.
#[derive(Debug)]
pub struct Uses {
    /// `metadata.namespace`.
    pub namespace: String,
    /// Those that may be limited.
    pub volumes: Vec<Use>,
}

/// One of them.
#[derive(Debug)]
pub enum Use {
    /// A disk that the pod names.
    Disk(Source, String),
    /// A claim.
    Claim(String),
}

impl Uses {
    /// Of a pod with these volumes.
    pub fn new(namespace: &str, volumes: &[Volume]) -> Uses {
        let used = volumes.iter().filter_map(|volume| match &volume.source {
            VolumeSource::AwsElasticBlockStore(disk) => Some(Use::Disk(InTree::AwsElasticBlockStore, disk.id.clone())),
            VolumeSource::GcePersistentDisk(disk) => Some(Use::Disk(InTree::GcePersistentDisk, disk.id.clone())),
            VolumeSource::AzureDisk(disk) => Some(Use::Disk(InTree::AzureDisk, disk.id.clone())),
            VolumeSource::Cinder(disk) => Some(Use::Disk(InTree::Cinder, disk.id.clone())),
            VolumeSource::PersistentVolumeClaim(source) => Some(Use::Claim(source.claim.clone())),
            _ => None,
        });
        Uses { namespace: namespace.to_owned(), volumes: used.collect() }
    }

    /// Whether none may be limited.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }
}

/// The disk of a PersistentVolume, where it is of this kind.
pub fn disk(volume: &PersistentVolume, source: Source) -> Option<&str> {
    let spec = &volume.spec;
    let disk = match source {
        InTree::AwsElasticBlockStore => &spec.aws_elastic_block_store,
        InTree::GcePersistentDisk => &spec.gce_persistent_disk,
        InTree::AzureDisk => &spec.azure_disk,
        InTree::Cinder => &spec.cinder,
        InTree::PortworxVolume => &spec.portworx_volume,
    };
    disk.as_ref().map(|disk| disk.id.as_str())
}
