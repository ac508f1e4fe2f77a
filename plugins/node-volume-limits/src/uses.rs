//! The volumes of a pod that may count.

use berth_guest::types::{Volume, VolumeSource};
use berth_guest_volumes::{CsiVolume, migration};

/// Those of a pod.
#[derive(Debug)]
pub struct Uses {
    /// `metadata.namespace`.
    pub namespace: String,
    /// In the pod's order.
    pub volumes: Vec<Use>,
}

/// One of them.
#[derive(Debug)]
pub enum Use {
    /// A claim that the pod names.
    Claim(String),
    /// A claim that is made for the pod.
    Ephemeral {
        /// Its name.
        claim: String,
        /// The pod's name and uid.
        pod: (String, String),
    },
    /// An in-tree volume as its CSI driver knows it, or why it does not.
    InTree(Result<CsiVolume, String>),
}

impl Uses {
    /// Of a pod with these volumes.
    pub fn new(namespace: &str, volumes: &[Volume]) -> Uses {
        Uses { namespace: namespace.to_owned(), volumes: volumes.iter().filter_map(Use::new).collect() }
    }

    /// Whether no volume may count.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }

    /// Whether it may be found that something is wrong with them.
    pub fn may_be_wrong(&self) -> bool {
        self.volumes.iter().any(|volume| matches!(volume, Use::Ephemeral { .. } | Use::InTree(Err(_))))
    }
}

impl Use {
    fn new(volume: &Volume) -> Option<Use> {
        match &volume.source {
            VolumeSource::PersistentVolumeClaim(source) => Some(Use::Claim(source.claim.clone())),
            VolumeSource::Ephemeral(source) => {
                let pod = source.claim.strip_suffix(&format!("-{}", volume.name)).unwrap_or(&source.claim);
                Some(Use::Ephemeral { claim: source.claim.clone(), pod: (pod.to_owned(), source.pod_uid.clone()) })
            }
            source => {
                let wrong = |wrong| format!("converting volume({}) from inline to csi: {wrong}", volume.name);
                Some(Use::InTree(migration::inline(source)?.map_err(wrong)))
            }
        }
    }
}
