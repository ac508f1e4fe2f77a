//! Asks plugins about pods in the queue: pre-enqueue, queue-sort and queueing hints.

mod victims;

use std::sync::Arc;

use super::Core;
use super::scheduling::cut;
use super::step::Step;
use crate::cache::{Cache, NodeId};
use crate::cluster_event::{ClusterEvent, Subject};
use crate::cycle::plugin_seed;
use crate::model::Pod;
use crate::nominations::Nominations;
use crate::plugins::{
    Code, Cycle, Declaration, ExtensionPoints, Hint, HintEvent, PluginError, Plugins, PodSignatureId, PointOutcome,
    QueueTimes, Scope, Status, WhatIf,
};
use crate::profile::{Profile, ProfilePlugin};
use crate::queue::{Admission, Advisor, HelpedPods, Queue, QueuedPod, Rejector, SortKey};
use crate::results::ResultCache;
use crate::time::Timestamp;

/// The context to ask plugins outside of a scheduling cycle.
struct Advice<'a> {
    profiles: &'a [Profile],
    cache: &'a Cache,
    nominations: &'a Nominations,
    results: &'a mut ResultCache,
    plugins: &'a mut dyn Plugins,
    cycle: u64,
    seed: u64,
    now: Timestamp,
}

impl Core {
    /// Passes new cluster events to the queue.
    pub(super) fn pass_events(&mut self, step: &mut Step<'_>) {
        let mut events = self.cache.take_events();
        events.append(&mut self.nominations.take_events());
        events.iter().for_each(|event| self.stop_awaiting_on_event(event));
        let (queue, mut advice) = self.queue_and_advice(step.now, step.plugins);
        for event in &events {
            queue.on_event(event, &mut advice);
        }
    }

    /// Passes new cluster events to the queue, and moves admitted pods to their sub-queues.
    pub(super) fn settle(&mut self, step: &mut Step<'_>) {
        self.pass_events(step);
        let now = step.now;
        let (queue, mut advice) = self.queue_and_advice(now, step.plugins);
        for (entry, error) in queue.settle(now, &mut advice) {
            if error.filling {
                self.queue.add_failed(entry, Some(error.plugin), now);
                continue;
            }
            let plugin = error.down.then(|| Arc::clone(&error.plugin));
            self.failed(entry, plugin, cut(error.to_string()), step);
        }
        self.results.evict_pod_signatures(step.plugins);
    }

    /// Returns whether a pod that this plugin rejected would be tried again after the event. The queue is not
    /// changed.
    pub fn hint(
        &mut self,
        plugin: &ProfilePlugin,
        event: &ClusterEvent,
        pod: &Arc<Pod>,
        now: Timestamp,
        plugins: &mut dyn Plugins,
    ) -> bool {
        let declaration = Arc::clone(&plugin.declaration);
        if !declaration.is_concerned_by(event) {
            return false;
        }
        let signature = self.results.pod_signatures.of(&declaration.pod, pod, self.cycles);
        let rejector = Rejector { id: plugin.id, declaration, pending: false, signature };
        let (_, mut advice) = self.queue_and_advice(now, plugins);
        advice.hints(&rejector, event, &[pod]).contains(&true)
    }

    fn queue_and_advice<'a>(&'a mut self, now: Timestamp, plugins: &'a mut dyn Plugins) -> (&'a mut Queue, Advice<'a>) {
        let advice = Advice {
            profiles: &self.profiles,
            cache: &self.cache,
            nominations: &self.nominations,
            results: &mut self.results,
            plugins,
            cycle: self.cycles,
            seed: self.options.seed,
            now,
        };
        (&mut self.queue, advice)
    }
}

impl Advice<'_> {
    fn profile(&self, pod: &Pod) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// Returns whether the plugin's answers at pre-enqueue and queue-sort can be cached: the result cache is enabled,
    /// and the answers depend on the pod and the plugin's arguments alone.
    fn keeps(&self, plugin: &ProfilePlugin) -> bool {
        let declaration = &plugin.declaration;
        self.results.is_enabled()
            && !declaration.reads_time
            && declaration.node.is_empty()
            && declaration.cluster_facts.is_empty()
            && declaration.objects.is_empty()
            && declaration.pending_pods.is_none()
    }

    fn ask<R>(
        &mut self,
        declaration: &Declaration,
        pod: &Arc<Pod>,
        signature: PodSignatureId,
        ask: impl FnOnce(&mut dyn Plugins, &Cycle<'_>) -> Result<R, PluginError>,
    ) -> Result<R, PluginError> {
        let seed = plugin_seed(self.seed, self.cycle, &declaration.name);
        let cycle = Cycle { id: self.cycle, time: self.now, seed, signature, pod, cache: self.cache };
        ask(self.plugins, &cycle)
    }

    fn pre_enqueue(&mut self, plugin: &ProfilePlugin, pod: &Arc<Pod>) -> Result<Option<Rejector>, PluginError> {
        let ProfilePlugin { id, declaration, .. } = plugin;
        let signature = self.results.pod_signatures.of(&declaration.pod, pod, self.cycle);
        let seed = plugin_seed(self.seed, self.cycle, &declaration.name);
        let cycle = Cycle { id: self.cycle, time: self.now, seed, signature, pod, cache: self.cache };
        if self.results.skips(plugin, &cycle, self.plugins) {
            return Ok(None);
        }
        let keeps = self.keeps(plugin);
        let kept = &self.results.of(*id, signature, self.cycle).pre_enqueue;
        let answer = match kept.clone().filter(|_| keeps) {
            Some(answer) => answer,
            None => {
                let answer = self.ask(declaration, pod, signature, |plugins, cycle| plugins.pre_enqueue(*id, cycle))?;
                self.results.of(*id, signature, self.cycle).pre_enqueue = Some(answer.clone());
                answer
            }
        };
        match answer {
            None => Ok(None),
            Some(Status { code: Code::Error, reasons }) => Err(plugin.failed(reasons.join(", "))),
            Some(Status { code, .. }) => {
                let pending = code == Code::Pending;
                Ok(Some(Rejector { id: *id, declaration: Arc::clone(declaration), pending, signature }))
            }
        }
    }

    /// Returns whether this plugin's filter passes the pod on the node as it is now, or on the node without its pods:
    /// in the second case preemption may help. A failed call counts as a pass, so that the pod is not lost.
    fn may_fit(&mut self, rejector: &Rejector, node: NodeId, pod: &Arc<Pod>) -> bool {
        let removed = self.cache.node(node).map_or_else(Vec::new, |info| info.pods.clone());
        let cases = [Vec::new(), removed].map(|removed| WhatIf { node, added: Vec::new(), removed });
        self.fits(rejector, &cases, pod).contains(&true)
    }

    /// Returns the plugin's own queueing hints. A failed call counts as the hint `queue` for all pods, so that no pod
    /// is lost.
    fn plugins_hints(&mut self, rejector: &Rejector, event: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool> {
        let reads = &rejector.declaration.pod;
        let mut signature =
            |pod: &Option<Arc<Pod>>| Some(self.results.pod_signatures.of(reads, pod.as_ref()?, self.cycle));
        let changed = match &event.subject {
            Subject::Pod { before, after } | Subject::PendingPod { before, after, .. } => {
                [signature(before), signature(after)]
            }
            Subject::Node { .. } | Subject::Object { .. } => [None; 2],
        };
        let happened = HintEvent { event, pods: changed };
        let seed = plugin_seed(self.seed, self.cycle, &rejector.declaration.name);
        let (id, time, cache) = (self.cycle, self.now, self.cache);
        let signatures: Vec<PodSignatureId> =
            pods.iter().map(|pod| self.results.pod_signatures.of(reads, pod, id)).collect();
        let about = pods.iter().zip(signatures);
        let about: Vec<Cycle<'_>> =
            about.map(|(pod, signature)| Cycle { id, time, seed, signature, pod, cache }).collect();
        match self.plugins.queueing_hints(rejector.id, &happened, &about) {
            Ok(hints) if hints.len() == pods.len() => hints.iter().map(|hint| *hint == Hint::Queue).collect(),
            _ => vec![true; pods.len()],
        }
    }

    /// Returns the first plugin that gates the pod. The plugin that gated the pod before is asked first.
    fn gate(&mut self, entry: &QueuedPod) -> Result<Option<Rejector>, PluginError> {
        let mut plugins = self.profile(&entry.pod).map_or_else(Vec::new, |profile| profile.pre_enqueue.clone());
        if let Some(gate) = &entry.gate {
            plugins.sort_by_key(|plugin| plugin.id != gate.id);
        }
        for plugin in &plugins {
            if let Some(gate) = self.pre_enqueue(plugin, &entry.pod)? {
                return Ok(Some(gate));
            }
        }
        Ok(None)
    }
}

impl Advisor for Advice<'_> {
    fn admit(&mut self, entry: &QueuedPod) -> Admission {
        if self.profile(&entry.pod).is_none_or(|profile| profile.pre_enqueue.is_empty()) {
            return Admission::Admitted;
        }
        self.plugins.point_begins(ExtensionPoints::PRE_ENQUEUE, &entry.pod.spec.scheduler_name);
        let gate = self.gate(entry);
        let (outcome, admission) = match gate {
            Ok(None) => (PointOutcome::Success, Admission::Admitted),
            Ok(Some(gate)) => (PointOutcome::Unschedulable, Admission::Gated(gate)),
            Err(error) => (PointOutcome::Error, Admission::Failed(error)),
        };
        self.plugins.point_ends(outcome);
        admission
    }

    /// Without a queue-sort plugin in the profile, or after its failure, the key is that of PrioritySort.
    fn sort_key(&mut self, entry: &QueuedPod) -> SortKey {
        let (pod, times) = (&entry.pod, QueueTimes { first_queued: entry.first_seen, queued: entry.queued });
        let by_priority = || {
            let queued = i64::try_from(times.queued.0).unwrap_or(i64::MAX);
            SortKey::from([-i64::from(pod.spec.priority), queued])
        };
        let Some(plugin) = self.profile(pod).and_then(|profile| profile.queue_sort.clone()) else {
            return by_priority();
        };
        let signature = self.results.pod_signatures.of(&plugin.declaration.pod, pod, self.cycle);
        if self.keeps(&plugin)
            && let Some((known, key)) = &self.results.of(plugin.id, signature, self.cycle).sort_key
            && *known == times
        {
            return key.clone();
        }
        let answer =
            self.ask(&plugin.declaration, pod, signature, |plugins, cycle| plugins.sort_key(plugin.id, cycle, times));
        let Ok(key) = answer else { return by_priority() };
        let key = SortKey::from(key);
        self.results.of(plugin.id, signature, self.cycle).sort_key = Some((times, key.clone()));
        key
    }

    /// Asks a plugin with queueing hints of its own for its hints. For a plugin whose verdicts depend on one node alone,
    /// the filter's verdict on the node of the event is the hint. For any other plugin or event, for a plugin in
    /// no profile, and after a failed call, the answer is true for all pods, so that no pod is lost.
    fn hints(&mut self, rejector: &Rejector, event: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool> {
        let declaration = &rejector.declaration;
        let serves = |profile: &Profile| profile.plugin_ids().any(|id| id == rejector.id);
        if !self.profiles.iter().any(serves) {
            return vec![true; pods.len()];
        }
        if declaration.points.contains(ExtensionPoints::QUEUEING_HINT) {
            return self.plugins_hints(rejector, event, pods);
        }
        let node = node_alone(declaration, event).and_then(|name| self.cache.node_id(name));
        pods.iter().map(|pod| node.is_none_or(|node| self.may_fit(rejector, node, pod))).collect()
    }

    fn pods_that_fit(&mut self, rejector: &Rejector, event: &ClusterEvent, pod: &Arc<Pod>) -> HelpedPods {
        self.pods_that_fit_on_node(rejector, event, pod)
    }
}

/// Returns whether the plugin's verdict on a node depends on that node alone.
pub(super) fn by_node(declaration: &Declaration) -> bool {
    declaration.filter_scope == Scope::Node
        && declaration.cluster_facts.is_empty()
        && declaration.points.contains(ExtensionPoints::FILTER)
}

/// Returns the name of the only node that may have become feasible by this event, if the event is about an existing
/// node and the plugin's verdicts depend on one node alone.
fn node_alone<'a>(declaration: &Declaration, event: &'a ClusterEvent) -> Option<&'a str> {
    match &event.subject {
        Subject::Node { after: Some(node), .. } if by_node(declaration) => Some(&node.name),
        _ => None,
    }
}

#[cfg(test)]
#[path = "hints_test.rs"]
mod tests;

#[cfg(test)]
#[path = "sort_key_test.rs"]
mod sort_key_tests;
