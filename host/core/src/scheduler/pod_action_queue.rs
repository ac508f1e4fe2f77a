//! The pod actions that plugins returned during a step.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::Pod;
use crate::plugins::PodActions;

/// The pod actions of a step that are not applied yet.
#[derive(Debug, Default)]
pub(super) struct PodActionQueue {
    queue: VecDeque<QueuedActions>,
}

/// What one plugin does with other pods.
#[derive(Debug)]
pub(super) struct QueuedActions {
    pub plugin: Arc<str>,
    /// The uid of the pod that the plugin was asked about.
    pub by: Box<str>,
    /// The plugin may only act on pods of this profile.
    pub scheduler_name: Box<str>,
    pub pods: PodActions,
}

impl PodActionQueue {
    /// Adds the actions that the plugin returned when it was asked about `pod`.
    pub fn add(&mut self, plugin: &Arc<str>, pod: &Pod, pods: PodActions) {
        if !pods.is_empty() {
            let (by, scheduler_name) = (pod.key.uid.clone(), pod.spec.scheduler_name.clone());
            self.queue.push_back(QueuedActions { plugin: Arc::clone(plugin), by, scheduler_name, pods });
        }
    }

    /// Removes the actions that were added first, and returns them.
    pub fn take_first(&mut self) -> Option<QueuedActions> {
        self.queue.pop_front()
    }
}
