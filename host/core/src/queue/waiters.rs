//! Index of the waiting pods by rejecting plugin, so that an event only looks at the pods that it may concern.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{QueuedPod, Rejector};
use crate::cluster_event::ClusterEvent;
use crate::facts::PodFacts;
use crate::plugins::{PluginId, PodSignatureId};

/// A waiting pod: its arrival number and its uid.
pub(crate) type Waiter = (u64, Box<str>);

/// All pods that wait for an event: the unschedulable pods, and the pods that pre-enqueue gates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiters {
    by_plugin: BTreeMap<PluginId, RejectedPods>,
    /// Pods without a rejecting plugin, for example because the cluster had no node.
    without_rejector: BTreeSet<Waiter>,
}

#[derive(Clone, Debug)]
struct RejectedPods {
    rejector: Rejector,
    groups: BTreeMap<GroupKey, BTreeSet<Waiter>>,
}

/// The key of a group of pods that one plugin rejected. A queueing hint for one pod of a group holds for the whole
/// group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupKey {
    pub signature: PodSignatureId,
    pub pending: bool,
    /// The priority of the pods if they await their victims ([`QueuedPod::awaits_victims`]). The priority decides which
    /// nominated pods count for these pods.
    pub awaits_victims: Option<i32>,
    /// The nominated node of the pods if the plugin reads the nominated node. A change of the nominated node causes no
    /// attempt, so that the signature, which is that of the rejected version, does not show the change.
    pub nominated_node: Option<Box<str>>,
}

/// A plugin that an event concerns, with the pods that it rejected.
pub(crate) struct Concerned<'a> {
    /// The rejector of one of the pods.
    pub rejector: &'a Rejector,
    groups: &'a BTreeMap<GroupKey, BTreeSet<Waiter>>,
}

impl Concerned<'_> {
    /// Returns the groups of waiting pods. No group is empty.
    pub fn groups(&self) -> impl Iterator<Item = (&GroupKey, &BTreeSet<Waiter>)> {
        self.groups.iter()
    }
}

impl Waiters {
    pub fn add(&mut self, number: u64, entry: &QueuedPod) {
        let waiter = (number, entry.pod.key.uid.clone());
        for rejector in entry.rejectors() {
            let rejected = self
                .by_plugin
                .entry(rejector.id)
                .or_insert_with(|| RejectedPods { rejector: rejector.clone(), groups: BTreeMap::new() });
            rejected.groups.entry(group(rejector, entry)).or_default().insert(waiter.clone());
        }
        if entry.rejectors().is_empty() {
            self.without_rejector.insert(waiter);
        }
    }

    pub fn remove(&mut self, number: u64, entry: &QueuedPod) {
        let waiter = (number, entry.pod.key.uid.clone());
        self.without_rejector.remove(&waiter);
        for rejector in entry.rejectors() {
            let Some(rejected) = self.by_plugin.get_mut(&rejector.id) else { continue };
            if let Some(waiters) = rejected.groups.get_mut(&group(rejector, entry)) {
                waiters.remove(&waiter);
                if waiters.is_empty() {
                    rejected.groups.remove(&group(rejector, entry));
                }
            }
            if rejected.groups.is_empty() {
                self.by_plugin.remove(&rejector.id);
            }
        }
    }

    /// Returns the plugins that the event concerns.
    pub fn concerned(&self, event: &ClusterEvent) -> impl Iterator<Item = Concerned<'_>> {
        let by_plugin = self.by_plugin.values().filter(|of| of.rejector.is_concerned_by(event));
        by_plugin.map(|RejectedPods { rejector, groups }| Concerned { rejector, groups })
    }

    /// Returns the pods that any event may help.
    pub fn without_rejector(&self) -> impl Iterator<Item = &Waiter> {
        self.without_rejector.iter()
    }
}

fn group(rejector: &Rejector, entry: &QueuedPod) -> GroupKey {
    let awaits_victims = entry.awaits_victims.then_some(entry.pod.spec.priority);
    let reads_nominated_node = rejector.declaration.pod.facts.contains(PodFacts::NOMINATED_NODE);
    let nominated_node = reads_nominated_node.then(|| entry.pod.nominated_node_name.clone());
    GroupKey { signature: rejector.signature, pending: rejector.pending, awaits_victims, nominated_node }
}
