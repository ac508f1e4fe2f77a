//! PersistentVolumes.

use berth_guest::selector::WrittenNodeSelector;
use serde::Deserialize;

use crate::claim::{Metadata, Storage};
use crate::csi::CsiVolume;

/// `v1.PersistentVolume`. What it is to CSI drivers tells [`migration`](crate::migration).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PersistentVolume {
    /// `metadata`.
    pub metadata: Metadata,
    /// `spec`.
    pub spec: VolumeSpec,
    /// `status`.
    pub status: VolumeStatus,
}

/// `spec` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct VolumeSpec {
    /// `accessModes`.
    pub access_modes: Vec<String>,
    /// `capacity`.
    pub capacity: Storage,
    /// `claimRef`: whose it is, or is to be.
    pub claim_ref: Option<ClaimReference>,
    /// `nodeAffinity`: from which nodes it can be reached.
    pub node_affinity: NodeAffinity,
    /// `storageClassName`. [`PersistentVolume::class`] tells the class.
    pub storage_class_name: String,
    /// `volumeAttributesClassName`; empty where there is none.
    pub volume_attributes_class_name: String,
    /// `volumeMode`; absent, it is `Filesystem`.
    pub volume_mode: Option<String>,
    /// `csi`.
    pub csi: Option<CsiVolume>,
    /// `awsElasticBlockStore`.
    pub aws_elastic_block_store: Option<InTreeVolume>,
    /// `azureDisk`.
    pub azure_disk: Option<InTreeVolume>,
    /// `cinder`.
    pub cinder: Option<InTreeVolume>,
    /// `gcePersistentDisk`.
    pub gce_persistent_disk: Option<InTreeVolume>,
    /// `portworxVolume`.
    pub portworx_volume: Option<InTreeVolume>,
}

/// Which disk an in-tree volume is; each kind has its own name for that.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InTreeVolume {
    /// The disk.
    #[serde(rename = "volumeID", alias = "diskURI", alias = "pdName")]
    pub id: String,
    /// Of an Azure disk.
    pub kind: String,
}

/// `spec.claimRef` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClaimReference {
    /// `namespace`.
    pub namespace: String,
    /// `name`.
    pub name: String,
    /// `uid`; empty where any claim of that name is meant.
    pub uid: String,
}

/// `spec.nodeAffinity` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeAffinity {
    /// `required`.
    pub required: Option<WrittenNodeSelector>,
}

/// `status` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct VolumeStatus {
    /// `phase`: `Available`, `Bound`, …
    pub phase: String,
}

impl PersistentVolume {
    /// The storage class that it is of; empty where it is of none.
    pub fn class(&self) -> &str {
        self.metadata.class(&self.spec.storage_class_name)
    }
}
