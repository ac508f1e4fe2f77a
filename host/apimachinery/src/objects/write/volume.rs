//! Writes volumes.

use berth_core::model::{Disk, Volume, VolumeSource};

use super::fields::Fields;

/// Returns the volume at this index of the pod's volumes. The model does not have the name and the source of a volume
/// that no plugin reads. Such a volume becomes an emptyDir, with the index in its name.
pub(super) fn volume(index: usize, volume: &Volume) -> Fields {
    let (source, fields) = source(&volume.source);
    let volume_name = match volume.source {
        VolumeSource::Other => &format!("volume-{index}"),
        _ => &*volume.name,
    };
    Fields::default().text("name", volume_name).with(source, fields)
}

/// Returns the name of the source's field, and the value of the field.
fn source(source: &VolumeSource) -> (&'static str, Fields) {
    match source {
        VolumeSource::PersistentVolumeClaim(claim, read_only) => {
            let fields = Fields::default().text("claimName", claim);
            ("persistentVolumeClaim", fields.flag("readOnly", *read_only))
        }
        // The name of the claim follows from the names of the pod and the volume.
        VolumeSource::Ephemeral(..) => ("ephemeral", Fields::default()),
        VolumeSource::GcePersistentDisk(of) => ("gcePersistentDisk", disk("pdName", of)),
        VolumeSource::AwsElasticBlockStore(of) => ("awsElasticBlockStore", disk("volumeID", of)),
        VolumeSource::AzureDisk(of) => ("azureDisk", disk("diskURI", of).text("kind", &of.pool)),
        VolumeSource::Cinder(of) => ("cinder", disk("volumeID", of)),
        VolumeSource::PortworxVolume(of) => ("portworxVolume", disk("volumeID", of)),
        VolumeSource::Iscsi(of) => ("iscsi", disk("iqn", of)),
        // An absent pool is the pool "rbd", so that an empty pool has to be written.
        VolumeSource::Rbd(of) => ("rbd", disk("image", of).texts("monitors", &of.monitors).with("pool", &*of.pool)),
        VolumeSource::Csi(driver) => ("csi", Fields::default().text("driver", driver)),
        VolumeSource::Image(reference) => ("image", Fields::default().text("reference", reference)),
        VolumeSource::Other => ("emptyDir", Fields::default()),
    }
}

fn disk(id: &str, disk: &Disk) -> Fields {
    Fields::default().text(id, &disk.id).flag("readOnly", disk.read_only)
}
