//! The volumes of a pod that may count towards limits.

use berth_guest::types::{Volume, VolumeSource};
use berth_guest_volumes::{CsiVolume, migration};

/// The volumes of a pod.
#[derive(Debug)]
pub struct Uses {
    /// `metadata.namespace`.
    pub namespace: String,
    /// The volumes, in the order of the pod's spec.
    pub volumes: Vec<Use>,
}

/// A volume of a pod.
#[derive(Debug)]
pub enum Use {
    /// A claim that the pod names.
    Claim(String),
    /// A claim that is created for an ephemeral volume.
    Ephemeral {
        /// The claim's name.
        claim: String,
        /// The pod's name and uid.
        pod: (String, String),
    },
    /// An in-tree volume, translated to its CSI volume, or an error if the translation fails.
    InTree(Result<CsiVolume, String>),
}

impl Uses {
    /// Selects the pod's volumes that may count towards limits.
    pub fn new(namespace: &str, volumes: &[Volume]) -> Uses {
        Uses { namespace: namespace.to_owned(), volumes: volumes.iter().filter_map(Use::new).collect() }
    }

    /// Returns true if no volume can count towards limits.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }

    /// Returns true if a volume may be invalid: an ephemeral volume, whose claim may belong to another pod, or an
    /// in-tree volume that can't be translated.
    pub fn may_be_invalid(&self) -> bool {
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
                let conversion_error =
                    |error| format!("converting volume({}) from inline to csi: {error}", volume.name);
                Some(Use::InTree(migration::inline(source)?.map_err(conversion_error)))
            }
        }
    }
}
