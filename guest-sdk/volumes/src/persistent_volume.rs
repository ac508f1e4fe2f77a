//! PersistentVolumes.

use berth_guest::selector::WrittenNodeSelector;
use serde::Deserialize;

use crate::claim::{Metadata, Storage};
use crate::csi::CsiVolume;

/// `v1.PersistentVolume`. The module [`migration`](crate::migration) translates it to CSI.
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
    /// `claimRef`: the claim that the volume is bound to, or reserved for.
    pub claim_ref: Option<ClaimReference>,
    /// `nodeAffinity`: the nodes that can reach the volume.
    pub node_affinity: NodeAffinity,
    /// `storageClassName`. Use [`PersistentVolume::class`] to get the class.
    pub storage_class_name: String,
    /// `volumeAttributesClassName`; empty if absent.
    pub volume_attributes_class_name: String,
    /// `volumeMode`; `Filesystem` if absent.
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

/// The disk of an in-tree volume. The field's name depends on the kind of volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InTreeVolume {
    /// The id of the disk.
    #[serde(rename = "volumeID", alias = "diskURI", alias = "pdName")]
    pub id: String,
    /// `kind`, of an Azure disk.
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
    /// `uid`; empty if any claim of that name is meant.
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
    /// Returns the volume's storage class; empty if it has none.
    pub fn class(&self) -> &str {
        self.metadata.class(&self.spec.storage_class_name)
    }
}
