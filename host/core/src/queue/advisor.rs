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

/// Of pods for whom room is being made: who might go somewhere now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MayGo {
    /// Any of them.
    All,
    /// Those of these uids.
    These(Vec<Box<str>>),
}

/// Whoever asks the plugins.
pub trait Advisor {
    /// May the pod be tried at all? (pre-enqueue)
    fn admit(&mut self, entry: &QueuedPod) -> Admission;

    /// Its place in the order. (queue-sort)
    fn sort_key(&mut self, entry: &QueuedPod) -> SortKey;

    /// Whether the event can help each of these pods, which the plugin rejected.
    fn hints(&mut self, rejector: &Rejector, event: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool>;

    /// Of those for whom room is being made, who are of `pod`'s template for the plugin and of its priority: who might go somewhere
    /// since the event.
    fn who_may_go(&mut self, rejector: &Rejector, event: &ClusterEvent, pod: &Arc<Pod>) -> MayGo;
}
