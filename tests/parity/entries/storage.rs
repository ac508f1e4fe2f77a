//! Plugins that read volumes.

use super::Behavior::{Fails, Filters, Skips};
use super::Entry;
use crate::draw::{Draw, Objects, csi, volumes};

/// The rows that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[
    Entry {
        plugin: "VolumeRestrictions",
        draw: || Draw {
            pods: vec![volumes::both(), volumes::namespace()],
            objects: vec![volumes::persistent_volume_claims()],
            settle: volumes::settle,
            ..Draw::plain()
        },
        fields: &[
            "pod.spec.volumes[].gcePersistentDisk.readOnly=true",
            "pod.spec.volumes[].awsElasticBlockStore.volumeID",
            "pod.spec.volumes[].iscsi.iqn",
            "pod.spec.volumes[].rbd.monitors",
            "pod.spec.volumes[].rbd.pool=fast",
            "pod.spec.volumes[].persistentVolumeClaim.claimName",
            "resident.spec.volumes[].persistentVolumeClaim.claimName",
            "resident.spec.volumes[].rbd.image",
            "resident.metadata.namespace=blue",
            "persistentvolumeclaim.spec.accessModes[]=ReadWriteOncePod",
        ],
        behaviors: &[Filters, Skips],
    },
    Entry {
        plugin: "NodeVolumeLimits",
        draw: || Draw {
            nodes: volumes::topology(),
            pods: vec![volumes::both()],
            objects: vec![
                volumes::persistent_volume_claims(),
                volumes::persistent_volumes(),
                volumes::storage_classes(),
                csi::nodes(),
                csi::attachments(),
            ],
            settle: volumes::settle,
            ..Draw::plain()
        },
        fields: &[
            "pod.spec.volumes[].ephemeral",
            "pod.spec.volumes[].azureDisk.kind=Dedicated",
            "pod.spec.volumes[].cinder.volumeID",
            "pod.spec.volumes[].portworxVolume.volumeID",
            "pod.spec.volumes[].awsElasticBlockStore.volumeID=aws://a/disk",
            "resident.spec.volumes[].ephemeral",
            "resident.spec.volumes[].gcePersistentDisk",
            "persistentvolumeclaim.metadata.ownerReferences[].uid",
            "persistentvolumeclaim.spec.volumeName",
            "persistentvolumeclaim.spec.storageClassName",
            "persistentvolume.spec.csi.volumeHandle",
            "persistentvolume.spec.awsElasticBlockStore.volumeID",
            "persistentvolume.spec.gcePersistentDisk.pdName",
            "persistentvolume.spec.azureDisk.diskURI",
            "persistentvolume.metadata.labels.topology.kubernetes.io/zone=a-b-c__a-b-d",
            "storageclass.provisioner=kubernetes.io/aws-ebs",
            "storageclass.provisioner=kubernetes.io/vsphere-volume",
            "csinode.spec.drivers[].allocatable.count=0",
            "volumeattachment.spec.source.persistentVolumeName",
        ],
        behaviors: &[Filters, Skips, Fails],
    },
    Entry {
        plugin: "VolumeBinding",
        draw: || Draw {
            nodes: volumes::topology(),
            pods: vec![volumes::claims()],
            objects: vec![
                Objects { names: &volumes::CLAIMS_OF_PODS, ..volumes::persistent_volume_claims() },
                volumes::persistent_volumes(),
                volumes::storage_classes(),
                csi::nodes(),
                csi::drivers(),
                csi::capacities(),
            ],
            settle: volumes::settle,
            ..Draw::plain()
        },
        fields: &[
            "pod.spec.volumes[].ephemeral",
            "persistentvolumeclaim.metadata.annotations.volume.kubernetes.io/selected-node",
            "persistentvolumeclaim.metadata.annotations.pv.kubernetes.io/bind-completed",
            "persistentvolumeclaim.metadata.deletionTimestamp",
            "persistentvolumeclaim.metadata.ownerReferences[].uid",
            "persistentvolumeclaim.spec.accessModes[]=ReadWriteMany",
            "persistentvolumeclaim.spec.resources.requests.storage",
            "persistentvolumeclaim.spec.selector.matchLabels",
            "persistentvolumeclaim.spec.volumeAttributesClassName",
            "persistentvolumeclaim.spec.volumeMode=Block",
            "persistentvolumeclaim.spec.volumeName",
            "persistentvolumeclaim.status.phase=Lost",
            "persistentvolume.metadata.deletionTimestamp",
            "persistentvolume.metadata.labels.disk",
            "persistentvolume.spec.claimRef.uid",
            "persistentvolume.spec.nodeAffinity.required.nodeSelectorTerms[].matchExpressions[].operator=NotIn",
            "persistentvolume.spec.nodeAffinity.required.nodeSelectorTerms[].matchFields",
            "persistentvolume.spec.volumeAttributesClassName",
            "persistentvolume.spec.volumeMode=Block",
            "persistentvolume.spec.awsElasticBlockStore.volumeID=aws://a/disk",
            "persistentvolume.spec.gcePersistentDisk.pdName",
            "persistentvolume.status.phase=Available",
            "storageclass.allowedTopologies",
            "storageclass.provisioner=kubernetes.io/no-provisioner",
            "storageclass.volumeBindingMode=WaitForFirstConsumer",
            "csinode.metadata.annotations.storage.alpha.kubernetes.io/migrated-plugins",
            "csidriver.spec.storageCapacity=true",
            "csistoragecapacity.nodeTopology.matchLabels",
            "csistoragecapacity.maximumVolumeSize",
        ],
        behaviors: &[Filters, Skips],
    },
    Entry {
        plugin: "VolumeZone",
        draw: || Draw {
            nodes: volumes::topology(),
            pods: vec![volumes::claims(), volumes::namespace()],
            objects: vec![
                volumes::persistent_volume_claims(),
                volumes::persistent_volumes(),
                volumes::storage_classes(),
            ],
            settle: volumes::settle,
            ..Draw::plain()
        },
        fields: &[
            "node.metadata.labels.topology.kubernetes.io/zone",
            "node.metadata.labels.failure-domain.beta.kubernetes.io/region",
            "persistentvolumeclaim.spec.volumeName",
            "persistentvolumeclaim.metadata.annotations.volume.beta.kubernetes.io/storage-class",
            "persistentvolume.metadata.labels.topology.kubernetes.io/region",
            "persistentvolume.metadata.labels.failure-domain.beta.kubernetes.io/zone=a-b-c__a-b-d",
            "storageclass.volumeBindingMode=Immediate",
            "storageclass.volumeBindingMode=WaitForFirstConsumer",
        ],
        behaviors: &[Filters, Skips],
    },
];
