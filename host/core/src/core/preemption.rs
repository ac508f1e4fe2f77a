//! Making room: what a post-filter decided is asked for, and remembered until it shows in the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Core;
use super::advice::by_node;
use super::reservation::{Reservation, Undoing};
use super::step::Step;
use crate::action::{Action, PodEvent};
use crate::cache::PodId;
use crate::cluster_event::{ClusterEvent, Subject};
use crate::cycle::Nomination;
use crate::model::Pod;
use crate::plugins::Room;
use crate::profile::ProfilePlugin;
use crate::queue::{QueuedPod, Release};

/// Evictions that were asked for and don't show yet. A pod for which some are under way asks for no others, and is not tried
/// before they show.
#[derive(Debug, Default)]
pub(super) struct Evictions {
    /// By the uid of the pod for which they are.
    underway: BTreeMap<Box<str>, Underway>,
    /// The uids of those pods, by the victim's.
    by_victim: BTreeMap<Box<str>, BTreeSet<Box<str>>>,
}

/// What is done for one pod.
#[derive(Debug, Default)]
struct Underway {
    /// By uid.
    victims: BTreeSet<Box<str>>,
    /// A victim stayed.
    failed: bool,
}

impl Evictions {
    pub fn are_underway_for(&self, uid: &str) -> bool {
        self.underway.contains_key(uid)
    }

    /// The pod for which they were is gone, or has its node.
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

    /// The victim is going, or gone, or `stays`. Returns the uids of the pods for which that was the last one, each with
    /// whether all of them went.
    fn ended(&mut self, victim: &str, stays: bool) -> Vec<(Box<str>, bool)> {
        let mut made = Vec::new();
        for uid in self.by_victim.remove(victim).unwrap_or_default() {
            let Some(underway) = self.underway.get_mut(&uid) else { continue };
            underway.victims.remove(victim);
            underway.failed |= stays;
            if underway.victims.is_empty() {
                made.push((uid.clone(), !underway.failed));
                self.underway.remove(&uid);
            }
        }
        made
    }

    fn begin(&mut self, uid: &str, victim: &str) {
        self.underway.entry(uid.into()).or_default().victims.insert(victim.into());
        self.by_victim.entry(victim.into()).or_default().insert(uid.into());
    }
}

impl Core {
    /// A victim is going, or gone: who waited for the last one may be tried again, when it has made its room.
    pub(super) fn victim_goes(&mut self, uid: &str, step: &mut Step<'_>) {
        self.eviction_ended(uid, false, step);
    }

    /// A victim could not be evicted: whoever wanted its place may choose others.
    pub(super) fn victim_stays(&mut self, uid: &str, step: &mut Step<'_>) {
        self.eviction_ended(uid, true, step);
    }

    fn eviction_ended(&mut self, victim: &str, stays: bool, step: &mut Step<'_>) {
        for (uid, all_went) in self.evictions.ended(victim, stays) {
            let is_promised_room = self.nominations.node_of(&uid).is_some();
            let release = if !all_went {
                Release::Activates
            } else if !is_promised_room || self.may_fit_now(&uid, step) {
                // Another node may have got room while the pod was held.
                Release::Retries
            } else if self.awaits_room(&uid) {
                Release::AwaitsRoom
            } else {
                Release::Waits
            };
            self.queue.release(&uid, release);
        }
    }

    /// Whether pods are leaving the node that is promised to a waiting pod: those of which post-filters are told, so that they make no
    /// other room meanwhile.
    pub(super) fn awaits_room(&self, uid: &str) -> bool {
        let Some(nominated) = self.nominations.get(uid) else { return false };
        let info = self.cache.node_id(&nominated.node).and_then(|id| self.cache.node(id));
        let leaves = |id: &PodId| self.cache.pod(*id).is_some_and(|other| is_leaving(&other.pod, &nominated.pod));
        info.is_some_and(|info| info.pods.iter().any(leaves))
    }

    /// Whether a waiting pod may fit on a node now: what happened while it was held it has not heard of. Where all who rejected it
    /// look at one node alone, they are asked; others may have changed their minds about any node.
    fn may_fit_now(&mut self, uid: &str, step: &mut Step<'_>) -> bool {
        let Some(entry) = self.queue.get(uid) else { return false };
        let (pod, by) = (Arc::clone(&entry.pod), entry.rejection.by.clone());
        let Some(at) = self.place_of_profile(&pod) else { return false };
        if !by.iter().all(|rejector| by_node(&rejector.declaration)) {
            return true;
        }
        let (mut placing, profile) = self.placing(&pod, at, step.now, step.plugins);
        let rejected = |plugin: &&ProfilePlugin| by.iter().any(|rejector| rejector.id == plugin.id);
        let filters: Vec<&ProfilePlugin> = profile.filter.iter().filter(rejected).collect();
        // A plugin that can't tell loses no pod.
        placing.pass_somewhere(&filters).unwrap_or(true)
    }

    /// Where something happened to the node that is promised to a pod, or nobody is leaving it any more, room may be made for the
    /// pod elsewhere: from then on whatever happens may help it.
    pub(super) fn promises_looked_at(&mut self, event: &ClusterEvent) {
        let (node, is_about_pod) = match &event.subject {
            Subject::Node { before, after } => (after.as_ref().or(before.as_ref()).map(|node| &node.name), false),
            Subject::Pod { before, .. } => (before.as_ref().map(|pod| &pod.node_name), true),
            Subject::Object { .. } => (None, false),
        };
        let promised = node.into_iter().flat_map(|node| self.nominations.on(node));
        let lost: Vec<Box<str>> =
            promised.map(|pod| &pod.key.uid).filter(|uid| !is_about_pod || !self.awaits_room(uid)).cloned().collect();
        lost.iter().for_each(|uid| self.queue.awaits_no_room(uid));
    }

    /// Does what became of the room that is promised to the pod.
    pub(super) fn nominate(&mut self, entry: &QueuedPod, nomination: Nomination, step: &mut Step<'_>) {
        match nomination {
            Nomination::Keep => {}
            Nomination::Clear => self.promise(&entry.pod, "", step),
            Nomination::Make(room) => self.make_way(&entry.pod, room, step),
        }
    }

    /// Those of lower priority who were promised room on the node look for another one.
    fn make_way(&mut self, pod: &Arc<Pod>, room: Room, step: &mut Step<'_>) {
        let Some(node) = self.cache.node(room.node).map(|info| info.node.name.clone()) else { return };
        let lower = |other: &&Arc<Pod>| other.spec.priority < pod.spec.priority;
        let displaced: Vec<Arc<Pod>> = self.nominations.on(&node).filter(lower).cloned().collect();
        displaced.iter().for_each(|other| self.promise(other, "", step));
        self.promise(pod, &node, step);
        let victims: Vec<Arc<Pod>> =
            room.evict.iter().filter_map(|id| self.cache.pod(*id)).map(|victim| Arc::clone(&victim.pod)).collect();
        // Who is going already needs no telling.
        for victim in victims.into_iter().filter(|victim| !victim.deleting) {
            let note = format!("Preempted by pod {} on node {node}", pod.key.uid);
            if !self.take_node_away(&victim, &note, pod, step) {
                self.evictions.begin(&pod.key.uid, &victim.key.uid);
                step.actions.push(Action::Evict {
                    pod: victim.key.clone(),
                    reason: Arc::clone(&room.reason),
                    note: note.into(),
                    scheduler_name: pod.spec.scheduler_name.clone(),
                });
            }
        }
        step.change(room.intents);
    }

    /// A victim that is not being bound yet has not to be deleted: it looks for another place. Whether it was one.
    fn take_node_away(&mut self, victim: &Pod, note: &str, by: &Pod, step: &mut Step<'_>) -> bool {
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
        self.undo(reservation, Undoing::Failed { message, plugin: None }, step);
        true
    }

    /// From now on the node, or none, is promised to the pod.
    fn promise(&mut self, pod: &Arc<Pod>, node: &str, step: &mut Step<'_>) {
        if self.nominations.node_of(&pod.key.uid).unwrap_or_default() == node {
            return;
        }
        self.nominations.nominate(pod, node);
        self.queue.awaits_no_room(&pod.key.uid);
        step.actions.push(Action::Nominate { pod: pod.key.clone(), node: node.into() });
    }
}

/// Whether `other` goes because room is made for pods like this one.
fn is_leaving(other: &Pod, pod: &Pod) -> bool {
    other.preempted && other.spec.priority < pod.spec.priority
}

#[cfg(test)]
#[path = "preemption_test.rs"]
mod tests;
