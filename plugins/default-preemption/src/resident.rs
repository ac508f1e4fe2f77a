//! A pod on a node.

use berth_guest::{node, pod};

/// A pod on a node.
#[derive(Debug)]
pub struct Resident {
    /// The pod's node.
    pub node: node::Id,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.labels`.
    pub labels: pod::Labels,
    /// `spec.priority`.
    pub priority: i32,
    /// `status.startTime`, in milliseconds since 1970; `None` if the pod has not started.
    pub started: Option<i64>,
}

impl Resident {
    /// Returns the pod's start time in milliseconds since 1970, or `now` if the pod has not started.
    pub fn started(&self, now: i64) -> i64 {
        self.started.unwrap_or(now)
    }
}
