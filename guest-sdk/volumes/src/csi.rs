//! What CSI drivers say of themselves, of nodes, and of what they have attached.

use berth_guest::selector::WrittenLabelSelector;
use serde::Deserialize;

use crate::claim::Metadata;
use crate::quantity::Quantity;

/// See [`CsiNode::migrated`].
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";

/// A volume as its CSI driver knows it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(default, rename_all = "camelCase")]
pub struct CsiVolume {
    /// `driver`.
    pub driver: String,
    /// `volumeHandle`.
    pub volume_handle: String,
}

/// `storage.k8s.io/v1.CSINode`, named after its node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CsiNode {
    /// `metadata`.
    pub metadata: Metadata,
    /// `spec`.
    pub spec: CsiNodeSpec,
}

/// `spec` of a CSINode.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CsiNodeSpec {
    /// `drivers`.
    pub drivers: Vec<CsiNodeDriver>,
}

/// `spec.drivers[]` of a CSINode.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CsiNodeDriver {
    /// `name`.
    pub name: String,
    /// `allocatable`.
    pub allocatable: Allocatable,
}

/// `spec.drivers[].allocatable` of a CSINode.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Allocatable {
    /// `count`: how many volumes of the driver the node takes; absent, any number.
    pub count: Option<i64>,
}

impl CsiNode {
    /// How many volumes of the driver the node takes, where that is limited.
    pub fn limit(&self, driver: &str) -> Option<i64> {
        // Of a driver that is named twice, the last one with a limit counts.
        let known = self.spec.drivers.iter().rev().filter(|known| known.name == driver);
        known.filter_map(|known| known.allocatable.count).next()
    }

    /// Whether any driver's volumes are limited.
    pub fn has_limits(&self) -> bool {
        self.spec.drivers.iter().any(|driver| driver.allocatable.count.is_some())
    }

    /// The in-tree volumes that the node's kubelet leaves to their CSI drivers, as a list with commas.
    pub fn migrated(&self) -> Option<&str> {
        self.metadata.annotations.get(MIGRATED_PLUGINS).map(String::as_str)
    }

    /// Whether these are among them.
    pub fn has_migrated(&self, provisioner: &str) -> bool {
        self.migrated().is_some_and(|list| list.split(',').any(|migrated| migrated == provisioner))
    }
}

/// `storage.k8s.io/v1.CSIDriver`, named after the driver.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CsiDriver {
    /// `spec`.
    pub spec: CsiDriverSpec,
}

/// `spec` of a CSIDriver.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CsiDriverSpec {
    /// `storageCapacity`: it tells by CSIStorageCapacity how much there is.
    pub storage_capacity: bool,
}

/// `storage.k8s.io/v1.CSIStorageCapacity`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CsiStorageCapacity {
    /// `storageClassName`.
    pub storage_class_name: String,
    /// `nodeTopology`: the nodes for which it is; none, where absent.
    pub node_topology: Option<WrittenLabelSelector>,
    /// `capacity`.
    pub capacity: Option<Quantity>,
    /// `maximumVolumeSize`.
    pub maximum_volume_size: Option<Quantity>,
}

impl CsiStorageCapacity {
    /// How large a volume may be; not at all where nothing is said.
    pub fn largest(&self) -> Option<Quantity> {
        self.maximum_volume_size.or(self.capacity)
    }
}

/// `storage.k8s.io/v1.VolumeAttachment`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct VolumeAttachment {
    /// `spec`.
    pub spec: VolumeAttachmentSpec,
}

/// `spec` of a VolumeAttachment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct VolumeAttachmentSpec {
    /// `attacher`: the driver.
    pub attacher: String,
    /// `nodeName`.
    pub node_name: String,
    /// `source`.
    pub source: AttachedSource,
}

/// `spec.source` of a VolumeAttachment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AttachedSource {
    /// `persistentVolumeName`; absent for an inline volume.
    pub persistent_volume_name: Option<String>,
}
