//! The volumes of a pod that may be limited.

use berth_guest::types::{Volume, VolumeSource};
use berth_guest_volumes::PersistentVolume;
use berth_guest_volumes::migration::InTree;

/// A kind of in-tree volume.
pub type Source = InTree;

/// The identity of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id<'a> {
    /// The id of the disk.
    Disk(&'a str),
    /// Namespace and name of the claim, if the disk is not known yet.
    Claim(&'a str, &'a str),
}

/// The volumes of a pod.
#[derive(Debug)]
pub struct Uses {
    /// `metadata.namespace`.
    pub namespace: String,
    /// The volumes that can count against a node's volume limit: the in-tree volumes in the pod's spec, and its claims.
    pub volumes: Vec<Use>,
}

/// A volume of a pod.
#[derive(Debug)]
pub enum Use {
    /// A disk in the pod spec.
    Disk(Source, String),
    /// The name of a claim.
    Claim(String),
}

impl Uses {
    /// Selects the volumes that may be limited.
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

    /// Returns true if no volume may be limited.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }
}

/// Returns the disk of a PersistentVolume of this kind.
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
