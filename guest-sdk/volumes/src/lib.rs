//! Shared code of plugins that read volumes: the fields of Kubernetes' storage objects that scheduling reads, and the
//! migration of in-tree volumes to CSI drivers.
//!
//! A plugin's [index](berth_guest::index) keeps the objects as [`Known`]. The index declares with
//! [`Kind`](berth_guest::objects::Kind) which fields of the objects it reads. All other fields are empty.
//!
//! ```
//! use berth_guest::index::Index;
//! use berth_guest::objects::{Kind, Object};
//! use berth_guest::plugin::NoArgs;
//! use berth_guest::prelude::*;
//! use berth_guest_volumes::{Known, PersistentVolumeClaim};
//!
//! pub struct Claims(Known<PersistentVolumeClaim>);
//!
//! impl Index for Claims {
//!     type Nodes = ();
//!     type Pods = ();
//!     type PendingPods = ();
//!
//!     fn new(_: &NoArgs) -> Claims {
//!         Claims(Known::default())
//!     }
//!
//!     fn kinds(_: &NoArgs) -> Vec<Kind> {
//!         vec![Kind::new("v1", "PersistentVolumeClaim", ["spec.storageClassName"])]
//!     }
//!
//!     fn object_set(&mut self, claim: &Object<'_>) {
//!         self.0.set(claim);
//!     }
//!
//!     fn object_removed(&mut self, claim: &Object<'_>) {
//!         self.0.remove(claim);
//!     }
//! }
//!
//! fn pre_filter(namespace: &pod::Namespace, claims: &Claims) -> PreFilter {
//!     let scratch = claims.0.get(namespace, "scratch");
//!     let fast = scratch.is_some_and(|claim| claim.class() == "fast");
//!     if fast { PreFilter::All } else { PreFilter::Skip }
//! }
//!
//! berth_guest::plugin!(name: "FastScratch", index: Claims, pre_filter: pre_filter);
//! # fn main() {}
//! ```

mod claim;
mod csi;
mod known;
pub mod migration;
mod persistent_volume;
mod residents;
mod storage_class;
mod topology;

pub use berth_quantity::Quantity;
pub use claim::{
    ClaimSpec, ClaimStatus, Metadata, OwnerReference, PersistentVolumeClaim, READ_WRITE_ONCE_POD, Resources,
};
pub use csi::{Allocatable, AttachedSource, CsiDriver, CsiNode, CsiStorageCapacity, CsiVolume, VolumeAttachment};
pub use known::{Known, not_found, path};
pub use persistent_volume::{ClaimReference, PersistentVolume, VolumeSpec, VolumeStatus};
pub use residents::Residents;
pub use storage_class::{StorageClass, TopologyTerm, WAIT_FOR_FIRST_CONSUMER};
