//! What the API server does with an object of a kind beyond storing it: defaults, admission, validation, and what an
//! update may change.

mod cluster;
mod network;
mod storage;
mod template;
mod workloads;

use serde_json::Value;

pub use cluster::{Definitions, Events, Namespaces, Nodes, PriorityClasses, Secrets};
pub use network::Services;
pub use storage::{PersistentVolumeClaims, PersistentVolumes, ResourceClaims, StorageClasses};
pub use workloads::{CronJobs, DaemonSets, Deployments, Jobs, ReplicaSets, ReplicationControllers, StatefulSets};

pub use super::pods::Pods;

use super::failure::{Failure, Problems};
use super::state::State;

/// A kind's own rules. The methods are called in the order in which they stand here.
pub trait Rules: Send + Sync {
    /// Fills in what a client may leave out; at every write.
    fn default(&self, _object: &mut Value) {}

    /// Admission at creation, which may look at other objects.
    ///
    /// # Errors
    /// The refusal, usually 403.
    fn admit(&self, _state: &State, _object: &mut Value) -> Result<(), Failure> {
        Ok(())
    }

    /// Sets what the server itself decides about a new object. Its status has been dropped already, unless
    /// [`keeps_status`](Self::keeps_status).
    fn create(&self, _object: &mut Value) {}

    /// True where a new object may bring its status.
    fn keeps_status(&self) -> bool {
        false
    }

    /// Restores what an update of the main resource must not change but is not refused for. The status has been
    /// restored already where the kind has that subresource.
    fn update(&self, _new: &mut Value, _old: &Value) {}

    /// Validates a new or updated object.
    fn check(&self, _object: &Value, _problems: &mut Problems) {}

    /// Validates what an update changes.
    fn check_update(&self, _new: &Value, _old: &Value, _problems: &mut Problems) {}

    /// Restores what an update of the status must not change. Everything but status and metadata has been restored.
    fn update_status(&self, _new: &mut Value, _old: &Value) {}

    /// Validates what an update of the status changes.
    fn check_status_update(&self, _new: &Value, _old: &Value, _problems: &mut Problems) {}

    /// True where the object outlives its deletion for another reason than `metadata.finalizers`.
    fn holds(&self, _object: &Value) -> bool {
        false
    }
}

/// A kind without rules of its own.
pub struct Plain;

impl Rules for Plain {}
