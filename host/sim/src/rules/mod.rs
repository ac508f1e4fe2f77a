//! The rules of each kind: defaults, admission, validation, and the restrictions on updates.

mod cluster;
mod network;
mod storage;
mod template;
mod workloads;

use serde_json::Value;

pub use cluster::{Definitions, Events, LimitRanges, Namespaces, Nodes, PriorityClasses, Secrets};
pub use network::Services;
pub use storage::{PersistentVolumeClaims, PersistentVolumes, ResourceClaims, StorageClasses};
pub use workloads::{CronJobs, DaemonSets, Deployments, Jobs, ReplicaSets, ReplicationControllers, StatefulSets};

pub use super::pods::Pods;

use super::failure::{Failure, Problems};
use super::state::State;

/// The rules of one kind. The server calls the methods in this order:
/// - for a new object: `default`, `keeps_status`, `admit`, `create`, `check`;
/// - for an update: `default`, `update`, `check_update`, `check`;
/// - for an update of the status: `default`, `update_status`, `check_status_update`, `check`.
///
/// The server calls `holds` for an object that is being deleted and has neither a grace period nor a finalizer.
pub trait Rules: Send + Sync {
    /// Sets the kind's defaults in an object that a client creates, updates or patches.
    fn default(&self, _object: &mut Value) {}

    /// Applies admission to a new object. Admission can read other objects.
    ///
    /// # Errors
    /// The rejection, usually 403.
    fn admit(&self, _state: &State, _object: &mut Value) -> Result<(), Failure> {
        Ok(())
    }

    /// Sets the fields that the server decides for a new object. The server has already dropped the object's status,
    /// unless [`keeps_status`](Self::keeps_status) returns true.
    fn create(&self, _object: &mut Value) {}

    /// Returns true if a client can create an object with its status.
    fn keeps_status(&self) -> bool {
        false
    }

    /// Restores the fields that an update of the main resource cannot change and that the server ignores without an
    /// error. The server has already restored the status, if the kind has a status subresource.
    fn update(&self, _new: &mut Value, _old: &Value) {}

    /// Validates a new or updated object.
    fn check(&self, _object: &Value, _problems: &mut Problems) {}

    /// Validates the differences between the new and the old object in an update.
    fn check_update(&self, _new: &Value, _old: &Value, _problems: &mut Problems) {}

    /// Restores the fields that an update of the status cannot change. The server has already restored everything
    /// except status and metadata.
    fn update_status(&self, _new: &mut Value, _old: &Value) {}

    /// Validates the differences in an update of the status.
    fn check_status_update(&self, _new: &Value, _old: &Value, _problems: &mut Problems) {}

    /// Returns true if something other than `metadata.finalizers` keeps a deleted object.
    fn holds(&self, _object: &Value) -> bool {
        false
    }
}

/// The rules of a kind without rules of its own.
pub struct Plain;

impl Rules for Plain {}
