//! Asks plugins about pods in the queue: pre-enqueue and queue-sort.

use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::Timestamp;
use berth_core::model::Pod;
use berth_core::plugins::{Cycle, PluginId, Plugins, PodSignatureId, QueueTimes};

use super::listener::status_of;
use super::{Cluster, NOW};
use crate::answer::Status;
use crate::case::PROFILE;

impl Cluster {
    /// Returns the rejection by the plugin's pre-enqueue, or `None` if pre-enqueue accepts the pod.
    pub fn pre_enqueue_rejection(&mut self, pod: &Pod, plugin: &str) -> Result<Option<Status>> {
        let profile = self.profiles.get(plugin).with_context(|| format!("there is no profile {plugin}"))?;
        let Some(id) = profile.pre_enqueue.first().map(|plugin| plugin.id) else { return Ok(None) };
        let status = self.asked(pod, |guests, cycle| guests.pre_enqueue(id, cycle))?;
        Ok(status.as_ref().map(status_of))
    }

    /// Returns the names of the pods in the order in which they are scheduled. The pods enter the queue in the
    /// given order, two at a time.
    pub fn order(&mut self, pods: &[Pod]) -> Result<Vec<String>> {
        let profile = self.profiles.get(PROFILE).context("the profile is gone")?;
        let id: PluginId = profile.queue_sort.as_ref().context("nothing puts pods in order")?.id;
        let mut keyed = Vec::new();
        for (at, pod) in pods.iter().enumerate() {
            let queued = Timestamp(NOW.0 + 1000 * (at as u64 / 2));
            let times = QueueTimes { first_queued: queued, queued };
            let key = self.asked(pod, |guests, cycle| guests.sort_key(id, cycle, times))?;
            keyed.push((key, pod.key.name.to_string()));
        }
        keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(keyed.into_iter().map(|(_, name)| name).collect())
    }

    /// Asks a plugin directly, without the core. The template ids are high, because the core uses low template ids.
    fn asked<R, E: std::error::Error + Send + Sync + 'static>(
        &mut self,
        pod: &Pod,
        ask: impl FnOnce(&mut dyn Plugins, &Cycle<'_>) -> Result<R, E>,
    ) -> Result<R> {
        self.asked += 1;
        let signature = PodSignatureId(u32::MAX - self.asked);
        let (core, guests) = self.engine.parts();
        let (pod, cache) = (Arc::new(pod.clone()), core.cache());
        let cycle = Cycle { id: 0, time: NOW, seed: 0, signature, pod: &pod, cache };
        Ok(ask(guests, &cycle)?)
    }
}
