//! The questions of the queue to plugins.

use std::sync::Arc;

use super::entry::{QueuedPod, Rejector, SortKey};
use crate::cluster_event::ClusterEvent;
use crate::model::Pod;
use crate::plugins::PluginError;

/// The result of pre-enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The pod may be tried.
    Admitted,
    /// This plugin gates the pod.
    Gated(Rejector),
    /// A plugin failed.
    Failed(PluginError),
}

/// The pods that may fit now, among pods that await their victims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpedPods {
    /// All of them.
    All,
    /// The pods with these uids.
    Only(Vec<Box<str>>),
}

/// Asks plugins on behalf of the queue.
pub trait Advisor {
    /// Asks pre-enqueue whether the pod may be tried.
    fn admit(&mut self, entry: &QueuedPod) -> Admission;

    /// Returns the sort key of the pod, as queue-sort gives it.
    fn sort_key(&mut self, entry: &QueuedPod) -> SortKey;

    /// Returns for each of these pods, which the plugin rejected, whether the event can help the pod.
    fn hints(&mut self, rejector: &Rejector, event: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool>;

    /// Returns the pods that may fit after the event, among those that await their victims, have `pod`'s signature for
    /// the plugin, and have `pod`'s priority.
    fn pods_that_fit(&mut self, rejector: &Rejector, event: &ClusterEvent, pod: &Arc<Pod>) -> HelpedPods;
}
