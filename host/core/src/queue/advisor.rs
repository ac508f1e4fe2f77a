//! What the queue asks plugins about the pods in it.

use std::sync::Arc;

use super::entry::{QueuedPod, Rejector};
use crate::cluster_event::ClusterEvent;
use crate::model::Pod;
use crate::plugins::PluginError;

/// A pod's place in the order: pods are tried in ascending order, element by element.
pub type SortKey = Arc<[i64]>;

/// Whether a pod may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may.
    Admitted,
    /// This plugin holds it back.
    Gated(Rejector),
    /// A plugin could not tell.
    Failed(PluginError),
}

/// Whoever asks the plugins.
pub trait Advisor {
    /// May the pod be tried at all? (pre-enqueue)
    fn admit(&mut self, entry: &QueuedPod) -> Admission;

    /// Its place in the order. (queue-sort)
    fn sort_key(&mut self, entry: &QueuedPod) -> SortKey;

    /// Whether the event can help each of these pods, which the plugin rejected.
    fn hints(&mut self, rejector: &Rejector, event: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool>;
}
