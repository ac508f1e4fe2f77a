//! Volumes of a pod, reduced to the fields that scheduling reads.

use serde::{Deserialize, Serialize};

/// A disk with its identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Disk {
    /// `pdName`, `volumeID`, `diskURI`, iscsi's `iqn`, rbd's `image`.
    pub id: Box<str>,
    /// rbd's pool, azureDisk's kind.
    pub pool: Box<str>,
    /// rbd's monitors.
    pub monitors: Vec<Box<str>>,
    /// Mounted read-only.
    pub read_only: bool,
}

/// Where a volume comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VolumeSource {
    /// `persistentVolumeClaim`: claim name, read-only.
    PersistentVolumeClaim(Box<str>, bool),
    /// `ephemeral`: the name of the claim made for the volume, and the uid of the pod, which has to own the claim.
    Ephemeral(Box<str>, Box<str>),
    /// `gcePersistentDisk`
    GcePersistentDisk(Disk),
    /// `awsElasticBlockStore`
    AwsElasticBlockStore(Disk),
    /// `azureDisk`
    AzureDisk(Disk),
    /// `cinder`
    Cinder(Disk),
    /// `portworxVolume`
    PortworxVolume(Disk),
    /// `iscsi`
    Iscsi(Disk),
    /// `rbd`
    Rbd(Disk),
    /// `csi`, inline: the driver's name.
    Csi(Box<str>),
    /// `image`: the reference.
    Image(Box<str>),
    /// A source that no scheduler plugin reads.
    Other,
}

/// `pod.spec.volumes[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// The volume's name in the pod. Empty for [`VolumeSource::Other`]: admission generates random names for such
    /// volumes, which would give every pod a signature of its own.
    pub name: Box<str>,
    /// The source of the volume.
    pub source: VolumeSource,
}
