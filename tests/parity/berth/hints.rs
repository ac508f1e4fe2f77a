//! Queueing hints: asks Berth's plugins about a change in the same way as the queue does.

use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::Event;
use berth_core::cache::Cache;
use berth_core::cluster_event::ClusterEvent;
use berth_core::model::Pod;

use super::{Cluster, NOW};
use crate::answer::Hints;

/// Derives the queue's events from the core's events, through a cache of its own.
#[derive(Default)]
pub struct Events(Cache);

impl Events {
    /// Returns the events that the queue would get.
    pub fn of(&mut self, event: &Event) -> Vec<ClusterEvent> {
        match event.clone() {
            Event::NodeSet(node) => self.0.set_node(node),
            Event::NodeRemoved(name) => self.0.remove_node(&name),
            // Pods without a node belong to the queue, not to the cache.
            Event::PodSet(pod) if pod.node_name.is_empty() => {}
            Event::PodSet(pod) => self.0.set_pod(pod),
            Event::PodRemoved(pod) => self.0.remove_pod(&pod.uid),
            Event::ObjectsListed(reads) => {
                self.0.want_objects(vec![reads.clone()]);
                self.0.objects_listed(reads);
            }
            Event::ObjectSet(object) => self.0.set_object(object),
            Event::ObjectRemoved(key) => self.0.remove_object(&key),
            _ => {}
        }
        self.0.take_events()
    }
}

impl Cluster {
    /// Returns, by plugin, whether a pod that the plugin rejected would be queued again after these events. Empty
    /// if there are no events.
    pub fn hints(&mut self, pod: &Pod, events: &[ClusterEvent]) -> Result<Hints> {
        let mut hints = Hints::new();
        let pod = Arc::new(pod.clone());
        let (core, guests) = self.engine.parts();
        for name in self.plugins.clone() {
            let profile = self.profiles.get(name).with_context(|| format!("there is no profile {name}"))?;
            let Some(plugin) = profile.plugins().next().cloned() else { continue };
            for event in events {
                let helps = core.hint(&plugin, event, &pod, NOW, guests);
                *hints.entry(name.to_owned()).or_default() |= helps;
            }
        }
        Ok(hints)
    }
}
