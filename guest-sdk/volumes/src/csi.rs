//! The objects of CSI drivers: drivers, their limits on nodes, storage capacity, and attached volumes.

use berth_guest::selector::WrittenLabelSelector;
use berth_quantity::Quantity;
use serde::Deserialize;

use crate::claim::Metadata;

/// The annotation that [`CsiNode::migrated`] reads.
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";

/// A volume, as its CSI driver identifies it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(default, rename_all = "camelCase")]
pub struct CsiVolume {
    /// `driver`.
    pub driver: String,
    /// `volumeHandle`.
    pub volume_handle: String,
}

/// `storage.k8s.io/v1.CSINode`. The name of the object is the name of the node.
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
    /// `count`: the most volumes of the driver that the node can attach. Unlimited if absent.
    pub count: Option<i64>,
}

impl CsiNode {
    /// Returns the most volumes of the driver that the node can attach; `None` if unlimited.
    pub fn limit(&self, driver: &str) -> Option<i64> {
        // If a driver is listed twice, the last entry with a limit counts.
        let known = self.spec.drivers.iter().rev().filter(|known| known.name == driver);
        known.filter_map(|known| known.allocatable.count).next()
    }

    /// Returns true if any driver has a limit.
    pub fn has_limits(&self) -> bool {
        self.spec.drivers.iter().any(|driver| driver.allocatable.count.is_some())
    }

    /// Returns the in-tree volume plugins that are migrated to CSI on the node, as a comma-separated list.
    pub fn migrated(&self) -> Option<&str> {
        self.metadata.annotations.get(MIGRATED_PLUGINS).map(String::as_str)
    }

    /// Returns true if the in-tree volume plugin of this name is migrated to CSI on the node.
    pub fn has_migrated(&self, provisioner: &str) -> bool {
        self.migrated().is_some_and(|list| list.split(',').any(|migrated| migrated == provisioner))
    }
}

/// `storage.k8s.io/v1.CSIDriver`. The name of the object is the name of the driver.
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
    /// `storageCapacity`: true if the driver publishes CSIStorageCapacity objects.
    pub storage_capacity: bool,
}

/// `storage.k8s.io/v1.CSIStorageCapacity`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CsiStorageCapacity {
    /// `storageClassName`.
    pub storage_class_name: String,
    /// `nodeTopology`: selects the nodes that the capacity is for; no nodes if absent.
    pub node_topology: Option<WrittenLabelSelector>,
    /// `capacity`.
    pub capacity: Option<Quantity>,
    /// `maximumVolumeSize`.
    pub maximum_volume_size: Option<Quantity>,
}

impl CsiStorageCapacity {
    /// Returns the size of the largest possible volume; `None` if the object does not say.
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
    /// `attacher`: the name of the driver.
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
