//! Metrics of state that is read at each scrape.

use std::collections::BTreeMap;

use berth_core::Core;
use berth_core::queue::{Incoming, SubQueue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::labels::{CacheLabels, IncomingLabels, QueueLabels, RejectionLabels};
use super::{add, plugins, process};
use berth_plugin_host::PluginStatus;

/// The state of queue, cache and plugins at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The state of the core, or `None` if there is no scheduler yet or the scheduling thread did not answer.
    pub core: Option<CoreState>,
    /// The status of all plugins.
    pub plugins: Vec<PluginStatus>,
}

/// The metrics of the core.
#[derive(Clone, Debug, Default)]
pub struct CoreState {
    /// The number of pending pods in each sub-queue, indexed by [`SubQueue`].
    waiting: [i64; SubQueue::ALL.len()],
    /// The number of pending pods that a plugin rejected, by plugin name and scheduler name.
    rejected: BTreeMap<(String, String), i64>,
    /// The numbers of pods that entered a sub-queue since the start, by sub-queue and event.
    incoming: Incoming,
    nodes: usize,
    pods: usize,
    /// The number of pods that have a reserved node and are not yet known to be bound.
    assumed: usize,
}

impl CoreState {
    /// Reads the state. Takes time in proportion to the numbers of pods in the cache and in the queue.
    #[must_use]
    pub fn of(core: &Core) -> Self {
        let mut state = Self {
            incoming: core.queue().incoming().clone(),
            nodes: core.cache().node_count(),
            pods: core.cache().pods().count(),
            assumed: core.in_flight(),
            ..Self::default()
        };
        for (sub_queue, entry) in core.queue().pods() {
            state.waiting[sub_queue as usize] += 1;
            for rejector in entry.rejectors() {
                let labels = (rejector.declaration.name.to_string(), entry.pod.spec.scheduler_name.to_string());
                *state.rejected.entry(labels).or_default() += 1;
            }
        }
        state
    }

    fn add_to(&self, registry: &mut Registry) {
        let pending = add(registry, "scheduler_pending_pods", "Pending pods, by sub-queue", gauges());
        let cache = add(registry, "scheduler_cache_size", "Nodes, pods, and pods that are being bound", gauges());
        let help = "Pods that entered a sub-queue, by the event that caused it";
        let incoming: Family<IncomingLabels, Counter> =
            add(registry, "scheduler_queue_incoming_pods", help, Family::default());
        let help = "Pending pods that a plugin rejected. A pod counts once for each plugin that rejected it";
        let rejected = add(registry, "scheduler_unschedulable_pods", help, gauges());
        for sub_queue in SubQueue::ALL {
            let queue = sub_queue.name();
            pending.get_or_create(&QueueLabels { queue }).set(self.waiting[sub_queue as usize]);
        }
        for (sub_queue, event, count) in self.incoming.iter() {
            // For incoming pods, kube-scheduler counts gated pods as unschedulable.
            let sub_queue = if sub_queue == SubQueue::Gated { SubQueue::Unschedulable } else { sub_queue };
            let labels = IncomingLabels { queue: sub_queue.name(), event: event.to_owned() };
            incoming.get_or_create(&labels).inc_by(count);
        }
        for (r#type, size) in [("nodes", self.nodes), ("pods", self.pods), ("assumed_pods", self.assumed)] {
            let size = i64::try_from(size).unwrap_or(i64::MAX);
            cache.get_or_create(&CacheLabels { r#type }).set(size);
        }
        for ((plugin, profile), pods) in self.rejected.clone() {
            rejected.get_or_create(&RejectionLabels { plugin, profile }).set(pods);
        }
    }
}

fn gauges<L: Clone + Eq + std::hash::Hash>() -> Family<L, Gauge> {
    Family::default()
}

impl Snapshot {
    pub(super) fn registry(&self) -> Registry {
        let mut registry = Registry::default();
        if let Some(core) = &self.core {
            core.add_to(&mut registry);
        }
        plugins::add_to(&mut registry, &self.plugins);
        process::add_to(&mut registry);
        registry
    }
}
