//! Reads volumes.

use berth_core::model::{Disk, Volume, VolumeSource};

use super::json::partial;

partial! {
    /// `v1.Volume`. Sources that no plugin reads are skipped.
    VolumeData {
        name: Box<str>,
        persistent_volume_claim: Option<ClaimData>,
        ephemeral: Option<EphemeralData>,
        gce_persistent_disk: Option<GceData>,
        aws_elastic_block_store: Option<AwsData>,
        azure_disk: Option<AzureData>,
        cinder: Option<AwsData>,
        portworx_volume: Option<AwsData>,
        iscsi: Option<IscsiData>,
        rbd: Option<RbdData>,
        csi: Option<CsiData>,
        image: Option<ImageData>,
    }

    ClaimData {
        claim_name: Box<str>,
        read_only: bool,
    }

    EphemeralData {}

    GceData {
        pd_name: Box<str>,
        read_only: bool,
    }

    /// The fields that awsElasticBlockStore, cinder and portworxVolume share.
    AwsData {
        #[serde(rename = "volumeID")]
        volume_id: Box<str>,
        read_only: bool,
    }

    AzureData {
        #[serde(rename = "diskURI")]
        disk_uri: Box<str>,
        kind: Box<str>,
        read_only: bool,
    }

    IscsiData {
        iqn: Box<str>,
        read_only: bool,
    }

    RbdData {
        monitors: Vec<Box<str>>,
        image: Box<str>,
        pool: Option<Box<str>>,
        read_only: bool,
    }

    CsiData {
        driver: Box<str>,
    }

    ImageData {
        reference: Box<str>,
    }
}

/// The default pool of rbd.
const RBD_POOL: &str = "rbd";

impl VolumeData {
    pub(super) fn into_model(self, pod_name: &str, pod_uid: &str) -> Volume {
        let source = self.source(pod_name, pod_uid);
        let name = if source == VolumeSource::Other { "".into() } else { self.name };
        Volume { name, source }
    }

    fn source(&self, pod_name: &str, pod_uid: &str) -> VolumeSource {
        let disk = |id: &str, read_only: &bool| Disk { id: id.into(), read_only: *read_only, ..Disk::default() };
        match self {
            Self { persistent_volume_claim: Some(c), .. } => {
                VolumeSource::PersistentVolumeClaim(c.claim_name.clone(), c.read_only)
            }
            // The ephemeral volume controller creates the pod's claim under this name.
            Self { ephemeral: Some(_), .. } => {
                VolumeSource::Ephemeral(format!("{pod_name}-{}", self.name).into(), pod_uid.into())
            }
            Self { gce_persistent_disk: Some(d), .. } => {
                VolumeSource::GcePersistentDisk(disk(&d.pd_name, &d.read_only))
            }
            Self { aws_elastic_block_store: Some(d), .. } => {
                VolumeSource::AwsElasticBlockStore(disk(&d.volume_id, &d.read_only))
            }
            Self { azure_disk: Some(d), .. } => {
                VolumeSource::AzureDisk(Disk { pool: d.kind.clone(), ..disk(&d.disk_uri, &d.read_only) })
            }
            Self { cinder: Some(d), .. } => VolumeSource::Cinder(disk(&d.volume_id, &d.read_only)),
            Self { portworx_volume: Some(d), .. } => VolumeSource::PortworxVolume(disk(&d.volume_id, &d.read_only)),
            Self { iscsi: Some(d), .. } => VolumeSource::Iscsi(disk(&d.iqn, &d.read_only)),
            Self { rbd: Some(d), .. } => VolumeSource::Rbd(d.to_disk()),
            Self { csi: Some(c), .. } => VolumeSource::Csi(c.driver.clone()),
            Self { image: Some(i), .. } => VolumeSource::Image(i.reference.clone()),
            _ => VolumeSource::Other,
        }
    }
}

impl RbdData {
    fn to_disk(&self) -> Disk {
        Disk {
            id: self.image.clone(),
            pool: self.pool.clone().unwrap_or_else(|| RBD_POOL.into()),
            monitors: self.monitors.clone(),
            read_only: self.read_only,
        }
    }
}
