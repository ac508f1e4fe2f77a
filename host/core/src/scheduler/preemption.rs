//! Preemption: starts the evictions that a post-filter decided, and tracks them until the cluster shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Core;
use super::advice::by_node;
use super::reservation::{Reservation, UndoReason};
use super::step::Step;
use crate::action::{Action, PodEvent};
use crate::cache::PodId;
use crate::cluster_event::{ClusterEvent, Subject};
use crate::cycle::NominationChange;
use crate::model::Pod;
use crate::plugins::PreemptionPlan;
use crate::profile::ProfilePlugin;
use crate::queue::{AfterEvictions, QueuedPod};

/// Evictions that were requested and that the cluster does not show yet. A pod with such evictions requests no other
/// evictions. The pod is not tried before the cluster shows the evictions or they have failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evictions {
    /// By the uid of the preempting pod.
    underway: BTreeMap<Box<str>, Underway>,
    /// The uids of the preempting pods, by the uid of the victim.
    by_victim: BTreeMap<Box<str>, BTreeSet<Box<str>>>,
}

/// The evictions for one preempting pod.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Underway {
    /// The uids of the victims that are not being deleted yet, and whose eviction has not failed.
    victims: BTreeSet<Box<str>>,
    /// At least one victim could not be evicted.
    failed: bool,
}

impl Evictions {
    /// Creates a value from the evictions for each preempting pod, by uid.
    pub(crate) fn new(underway: BTreeMap<Box<str>, Underway>) -> Self {
        let mut by_victim: BTreeMap<Box<str>, BTreeSet<Box<str>>> = BTreeMap::new();
        for (uid, of_pod) in &underway {
            for victim in &of_pod.victims {
                by_victim.entry(victim.clone()).or_default().insert(uid.clone());
            }
        }
        Self { underway, by_victim }
    }

    /// Returns the evictions for each preempting pod, by uid.
    pub(crate) fn underway(&self) -> &BTreeMap<Box<str>, Underway> {
        &self.underway
    }

    /// Returns the uids of the victims of this pod that are not being deleted yet.
    pub fn underway_for(&self, uid: &str) -> impl Iterator<Item = &str> {
        self.underway.get(uid).into_iter().flat_map(|underway| underway.victims.iter().map(|victim| &**victim))
    }

    pub fn are_underway_for(&self, uid: &str) -> bool {
        self.underway.contains_key(uid)
    }

    /// Drops the evictions for a pod that was deleted or has a node now.
    pub fn not_needed_by(&mut self, uid: &str) {
        for victim in self.underway.remove(uid).unwrap_or_default().victims {
            if let Some(pods) = self.by_victim.get_mut(&victim) {
                pods.remove(uid);
                if pods.is_empty() {
                    self.by_victim.remove(&victim);
                }
            }
        }
    }

    /// Ends the evictions of a victim that is being deleted or gone, or that could not be evicted (`stays`). Returns
    /// the uids of the preempting pods for which this was the last victim, each with whether all of its victims were
    /// evicted.
    fn ended(&mut self, victim: &str, stays: bool) -> Vec<(Box<str>, bool)> {
        let mut done = Vec::new();
        for uid in self.by_victim.remove(victim).unwrap_or_default() {
            let Some(underway) = self.underway.get_mut(&uid) else { continue };
            underway.victims.remove(victim);
            underway.failed |= stays;
            if underway.victims.is_empty() {
                done.push((uid.clone(), !underway.failed));
                self.underway.remove(&uid);
            }
        }
        done
    }

    fn begin(&mut self, uid: &str, victim: &str) {
        self.underway.entry(uid.into()).or_default().victims.insert(victim.into());
        self.by_victim.entry(victim.into()).or_default().insert(uid.into());
    }
}

impl Core {
    /// Handles a pod, possibly a victim, that is being deleted or is gone. Preempting pods for which this was the last
    /// victim stop awaiting evictions.
    pub(super) fn victim_is_leaving(&mut self, uid: &str, step: &mut Step<'_>) {
        self.eviction_ended(uid, false, step);
    }

    /// Handles a victim that could not be evicted. Preempting pods for which this was the last victim get another
    /// attempt, in which they may choose other victims.
    pub(super) fn eviction_failed(&mut self, uid: &str, step: &mut Step<'_>) {
        self.eviction_ended(uid, true, step);
    }

    fn eviction_ended(&mut self, victim: &str, stays: bool, step: &mut Step<'_>) {
        for (uid, all_went) in self.evictions.ended(victim, stays) {
            let is_nominated = self.nominations.node_of(&uid).is_some();
            let next = if !all_went {
                AfterEvictions::Activates
            } else if !is_nominated || self.may_fit_now(&uid, step) {
                // Another node may have become free while the pod waited for evictions.
                AfterEvictions::Retries
            } else if self.awaits_victims(&uid) {
                AfterEvictions::AwaitsVictims
            } else {
                AfterEvictions::Waits
            };
            self.queue.evictions_ended(&uid, next);
        }
    }

    /// Returns whether preempted pods are leaving the nominated node of a waiting pod. While they leave, post-filters
    /// start no other preemption for the pod.
    pub(super) fn awaits_victims(&self, uid: &str) -> bool {
        let Some(nominated) = self.nominations.get(uid) else { return false };
        let info = self.cache.node_id(&nominated.node).and_then(|id| self.cache.node(id));
        let leaves = |id: &PodId| self.cache.pod(*id).is_some_and(|other| is_leaving(&other.pod, &nominated.pod));
        info.is_some_and(|info| info.pods.iter().any(leaves))
    }

    /// Returns whether a waiting pod may fit on a node now. While the pod awaited evictions, no event moved it, so the
    /// filters that rejected the pod are asked again. They are asked only if each of their verdicts depends on one node
    /// alone. Otherwise the answer is true, because the plugins that rejected the pod may accept any node now.
    fn may_fit_now(&mut self, uid: &str, step: &mut Step<'_>) -> bool {
        let Some(entry) = self.queue.get(uid) else { return false };
        let (pod, by) = (Arc::clone(&entry.pod), entry.rejection.by.clone());
        let Some(at) = self.profile_index(&pod) else { return false };
        if !by.iter().all(|rejector| by_node(&rejector.declaration)) {
            return true;
        }
        let mut cycle = self.scheduling_cycle(&pod, at, step.now, step.plugins, step.extenders);
        let rejected = |plugin: &&ProfilePlugin| by.iter().any(|rejector| rejector.id == plugin.id);
        let filters: Vec<&ProfilePlugin> = cycle.profile.filter.iter().filter(rejected).collect();
        // A failed plugin counts as accepting the pod, so that the pod is not lost.
        cycle.pass_somewhere(&filters).unwrap_or(true)
    }

    /// Ends the wait for victims of pods that are nominated to the node of the event: after an event about the node
    /// itself, or after an event about a pod on the node if no preempted pod is leaving the node any more. Preemption
    /// on another node may then help these pods, so that any event may help them.
    pub(super) fn stop_awaiting_on_event(&mut self, event: &ClusterEvent) {
        let (node, is_about_pod) = match &event.subject {
            Subject::Node { before, after } => (after.as_ref().or(before.as_ref()).map(|node| &node.name), false),
            Subject::Pod { before, .. } => (before.as_ref().map(|pod| &pod.node_name), true),
            Subject::PendingPod { .. } | Subject::Object { .. } => (None, false),
        };
        let nominated = node.into_iter().flat_map(|node| self.nominations.on(node));
        let lost: Vec<Box<str>> = nominated
            .map(|pod| &pod.key.uid)
            .filter(|uid| !is_about_pod || !self.awaits_victims(uid))
            .cloned()
            .collect();
        lost.iter().for_each(|uid| self.queue.stop_awaiting_victims(uid));
    }

    /// Applies the change of the pod's nomination that an attempt resulted in.
    pub(super) fn nominate(&mut self, entry: &QueuedPod, nomination: NominationChange, step: &mut Step<'_>) {
        match nomination {
            NominationChange::Keep => {}
            NominationChange::Clear => self.set_nomination(&entry.pod, "", step),
            NominationChange::Set(plan) => self.preempt(&entry.pod, plan, step),
        }
    }

    /// Nominates the node for the pod and evicts the victims. Pods of lower priority lose their nomination of this
    /// node.
    fn preempt(&mut self, pod: &Arc<Pod>, plan: PreemptionPlan, step: &mut Step<'_>) {
        let Some(node) = self.cache.node(plan.node).map(|info| info.node.name.clone()) else { return };
        let lower = |other: &&Arc<Pod>| other.spec.priority < pod.spec.priority;
        let displaced: Vec<Arc<Pod>> = self.nominations.on(&node).filter(lower).cloned().collect();
        displaced.iter().for_each(|other| self.set_nomination(other, "", step));
        self.set_nomination(pod, &node, step);
        let victims: Vec<Arc<Pod>> =
            plan.evict.iter().filter_map(|id| self.cache.pod(*id)).map(|victim| Arc::clone(&victim.pod)).collect();
        // A victim that is being deleted already needs no eviction.
        for victim in victims.into_iter().filter(|victim| !victim.deleting) {
            let note = format!("Preempted by pod {} on node {node}", pod.key.uid);
            if !self.preempt_reservation(&victim, &note, pod, step) {
                self.evictions.begin(&pod.key.uid, &victim.key.uid);
                step.actions.push(Action::Evict {
                    pod: victim.key.clone(),
                    reason: Arc::clone(&plan.reason),
                    note: note.into(),
                    scheduler_name: pod.spec.scheduler_name.clone(),
                });
            }
        }
        step.change(plan.intents);
    }

    /// Undoes the reservation of a victim whose binding has not started, so that the victim is queued again instead
    /// of deleted. Returns whether the victim had such a reservation.
    fn preempt_reservation(&mut self, victim: &Pod, note: &str, by: &Pod, step: &mut Step<'_>) -> bool {
        let uid = &victim.key.uid;
        let Some(reservation) = self.reservations.take_if(uid, Reservation::is_revocable) else { return false };
        step.actions.push(Action::Emit(PodEvent {
            pod: victim.key.clone(),
            scheduler_name: by.spec.scheduler_name.clone(),
            kind: "Normal",
            reason: "Preempted",
            action: "Preempting",
            note: format!("{note} (before it was bound).").into(),
        }));
        let message = "preempted before it was bound".to_owned();
        self.undo(reservation, UndoReason::Failed { message, plugin: None }, step);
        true
    }

    /// Sets the pod's nominated node, or clears the nomination if `node` is empty.
    fn set_nomination(&mut self, pod: &Arc<Pod>, node: &str, step: &mut Step<'_>) {
        if self.nominations.node_of(&pod.key.uid).unwrap_or_default() == node {
            return;
        }
        self.nominations.nominate(pod, node);
        self.queue.stop_awaiting_victims(&pod.key.uid);
        step.actions.push(Action::Nominate { pod: pod.key.clone(), node: node.into() });
    }
}

/// Returns whether `other` is being preempted and has a lower priority than `pod`.
fn is_leaving(other: &Pod, pod: &Pod) -> bool {
    other.preempted && other.spec.priority < pod.spec.priority
}

#[cfg(test)]
#[path = "preemption_test.rs"]
mod tests;
