//! What became of an attempt to schedule a pod: told to whoever measures, and of no influence on what is decided.

use std::sync::Arc;

use crate::model::Pod;
use crate::time::Timestamp;

/// An attempt that has ended: from the beginning of its cycle to the verdict, or to the end of the binding.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The pod. Its `spec.schedulerName` is the profile.
    pub pod: Arc<Pod>,
    /// How it ended.
    pub outcome: Outcome,
    /// Which attempt it was for this pod; the first is 1.
    pub number: u32,
    /// When the pod came into the queue.
    pub first_seen: Timestamp,
    /// When the attempt's cycle began.
    pub began: Timestamp,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The API server took the binding.
    Scheduled,
    /// No node fits, or a plugin turned the pod away from the one that was chosen.
    Unschedulable,
    /// A plugin failed, or what had to be done for the pod could not be.
    Error,
}
