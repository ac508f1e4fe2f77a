//! The plugin's index of the cluster: claims, zones of volumes, and classes.

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::plugin::NoArgs;
use berth_guest_volumes::{Known, PersistentVolume, PersistentVolumeClaim, StorageClass};

use crate::zones::{LABELS, Zones};

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Claims by namespace and name.
    pub claims: Known<PersistentVolumeClaim>,
    /// Zones of volumes, by volume name.
    pub volumes: Known<Vec<Zones>>,
    /// Classes by name.
    pub classes: Known<StorageClass>,
}

const CLAIM: usize = 0;
const VOLUME: usize = 1;

impl Index for Cluster {
    type Nodes = ();
    type Pods = ();
    type PendingPods = ();

    fn new(_: &NoArgs) -> Cluster {
        Cluster::default()
    }

    fn kinds(_: &NoArgs) -> Vec<Kind> {
        let class = r#"metadata.annotations["volume.beta.kubernetes.io/storage-class"]"#;
        let labels = LABELS.map(|label| format!("metadata.labels[\"{label}\"]"));
        vec![
            Kind::new("v1", "PersistentVolumeClaim", ["spec.volumeName", "spec.storageClassName", class]),
            Kind::new("v1", "PersistentVolume", labels.each_ref().map(String::as_str)),
            Kind::new("storage.k8s.io/v1", "StorageClass", ["volumeBindingMode"]),
        ]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => self.claims.set(object),
            VOLUME => {
                let volume = object.read::<PersistentVolume>().unwrap_or_default();
                self.volumes.insert(object, Zones::of_volume(&volume.metadata.labels));
            }
            _ => self.classes.set(object),
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => _ = self.claims.remove(object),
            VOLUME => _ = self.volumes.remove(object),
            _ => _ = self.classes.remove(object),
        }
    }
}
