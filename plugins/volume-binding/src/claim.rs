//! A PersistentVolumeClaim with its names.

use berth_guest_volumes::PersistentVolumeClaim;

/// A PersistentVolumeClaim.
#[derive(Debug)]
pub struct Claim {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`.
    pub uid: String,
    /// The object's other fields.
    pub object: PersistentVolumeClaim,
}
