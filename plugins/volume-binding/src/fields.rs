//! The fields of objects that the plugin reads. The resource version detects that an object has changed between the
//! decision and the write.

/// The fields of a PersistentVolumeClaim.
pub const CLAIM: [&str; 16] = [
    r#"metadata.annotations["volume.beta.kubernetes.io/storage-class"]"#,
    r#"metadata.annotations["volume.kubernetes.io/selected-node"]"#,
    r#"metadata.annotations["pv.kubernetes.io/bind-completed"]"#,
    "metadata.deletionTimestamp",
    "metadata.ownerReferences.controller",
    "metadata.ownerReferences.uid",
    "metadata.resourceVersion",
    "spec.accessModes",
    "spec.resources.requests.storage",
    "spec.selector.matchExpressions",
    "spec.selector.matchLabels",
    "spec.storageClassName",
    "spec.volumeAttributesClassName",
    "spec.volumeMode",
    "spec.volumeName",
    "status.phase",
];

/// The fields of a PersistentVolume.
pub const VOLUME: [&str; 20] = [
    r#"metadata.annotations["volume.beta.kubernetes.io/storage-class"]"#,
    "metadata.deletionTimestamp",
    "metadata.labels",
    "metadata.resourceVersion",
    "spec.accessModes",
    "spec.awsElasticBlockStore.volumeID",
    "spec.azureDisk.diskURI",
    "spec.azureDisk.kind",
    "spec.capacity.storage",
    "spec.cinder.volumeID",
    "spec.claimRef.name",
    "spec.claimRef.namespace",
    "spec.claimRef.uid",
    "spec.gcePersistentDisk.pdName",
    "spec.nodeAffinity.required",
    "spec.portworxVolume.volumeID",
    "spec.storageClassName",
    "spec.volumeAttributesClassName",
    "spec.volumeMode",
    "status.phase",
];

/// The fields of a StorageClass.
pub const CLASS: [&str; 3] = ["allowedTopologies", "provisioner", "volumeBindingMode"];

/// The fields of a CSINode.
pub const CSI_NODE: [&str; 1] = [r#"metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"]"#];

/// The fields of a CSIDriver.
pub const DRIVER: [&str; 1] = ["spec.storageCapacity"];

/// The fields of a CSIStorageCapacity.
pub const CAPACITY: [&str; 4] = ["capacity", "maximumVolumeSize", "nodeTopology", "storageClassName"];
