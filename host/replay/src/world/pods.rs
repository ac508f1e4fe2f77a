//! The pods of the world: how they appear, run and end.

use std::cmp::Reverse;
use std::sync::Arc;

use berth_analysis::whatif::belongs_to_node;
use berth_core::model::{Node, Pod};
use berth_core::{Event, Timestamp};

use super::{QUARANTINE, World};
use crate::history::{Change, Lifetime, PodIndex, has_controller, starts_over};

/// A pod that exists.
#[derive(Clone, Debug)]
pub(super) struct WorldPod {
    pub pod: Arc<Pod>,
    pub created: Timestamp,
    pub bound: Option<Timestamp>,
    pub lifetime: Lifetime,
    /// The pod in the history, which this pod is or replaces.
    pub origin: PodIndex,
    /// The number of replacements before this pod.
    pub generation: u32,
    /// The message of the last attempt, if it failed.
    pub message: Option<Arc<str>>,
}

impl World<'_> {
    /// Applies a change of the history.
    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::NodeSet(node) => self.set_node(node),
            Change::NodeRemoved(name) => {
                self.nodes.remove(name);
                self.events.push_back(Event::NodeRemoved(name.clone()));
                if !self.as_recorded {
                    self.deserted.push(Reverse((self.now.after(QUARANTINE), name.clone())));
                }
            }
            Change::PodCreated(pod) => {
                // The replacements of preempted pods are made by this world.
                if self.as_recorded || !self.history.pods[*pod].replaces {
                    self.create(*pod);
                }
            }
            Change::PodChanged(pod, version) => self.change_pod(*pod, version),
            Change::PodBound(pod) => self.bound_as_recorded(*pod),
            Change::PodPreempted(_) => self.course.evictions += u64::from(self.as_recorded),
            Change::PodEnded(pod) => {
                if self.as_recorded {
                    self.end(*pod);
                }
            }
            Change::ObjectSet { object, decided } => {
                // What the recorded scheduler decided about an object is not taken over.
                if self.as_recorded || !(*decided || self.changed.contains(&object.key)) {
                    self.set_object(Arc::clone(object));
                }
            }
            Change::ObjectRemoved(key) => self.remove_object(key),
            // The caller exchanges plugins.
            Change::Policy(_) => {}
        }
    }

    pub(super) fn set_node(&mut self, node: &Arc<Node>) {
        self.nodes.insert(node.name.clone(), Arc::clone(node));
        self.events.push_back(Event::NodeSet(Arc::clone(node)));
    }

    /// Creates a pod of the history.
    pub(super) fn create(&mut self, index: PodIndex) {
        let recorded = &self.history.pods[index];
        let pod = WorldPod {
            pod: Arc::clone(&recorded.pod),
            created: recorded.created,
            bound: None,
            lifetime: recorded.lifetime,
            origin: index,
            generation: 0,
            message: None,
        };
        self.add(index, pod);
    }

    fn add(&mut self, index: PodIndex, pod: WorldPod) {
        let version = Arc::clone(&pod.pod);
        self.by_uid.insert(version.key.uid.clone(), index);
        self.events.push_back(Event::PodSet(Arc::clone(&version)));
        if let (Lifetime::Until(time), false) = (pod.lifetime, self.as_recorded) {
            self.ends.push(Reverse((time, index)));
        }
        self.pods[index] = Some(pod);
        if version.node_name.is_empty() {
            self.course.pending += 1;
        } else {
            self.runs(index);
        }
    }

    fn change_pod(&mut self, index: PodIndex, version: &Arc<Pod>) {
        let Some(known) = &mut self.pods[index] else { return };
        let Pod { node_name, nominated_node_name, start_time, .. } = &*known.pod;
        known.pod = Arc::new(Pod {
            node_name: node_name.clone(),
            nominated_node_name: nominated_node_name.clone(),
            start_time: *start_time,
            ..Pod::clone(version)
        });
        self.events.push_back(Event::PodSet(Arc::clone(&known.pod)));
    }

    /// Takes over a recorded binding: if the world follows the capture, or if no profile is responsible for the pod.
    fn bound_as_recorded(&mut self, index: PodIndex) {
        let Some(known) = &self.pods[index] else { return };
        let profiles = self.engine.core().profiles();
        let is_ours = profiles.iter().any(|profile| profile.scheduler_name == known.pod.spec.scheduler_name);
        if let Some((_, node)) = self.history.pods[index].bound.as_ref().filter(|_| !is_ours) {
            self.bind(index, &node.clone());
        }
    }

    /// Binds a pod to a node. The pod runs from now on.
    pub(super) fn bind(&mut self, index: PodIndex, node: &str) {
        let Some(known) = &mut self.pods[index] else { return };
        if known.bound.is_some() {
            return;
        }
        known.pod = Arc::new(Pod {
            node_name: node.into(),
            nominated_node_name: "".into(),
            start_time: i64::try_from(self.now.0 / 1000).unwrap_or(i64::MAX),
            ..Pod::clone(&known.pod)
        });
        self.events.push_back(Event::PodSet(Arc::clone(&known.pod)));
        self.course.pending -= 1;
        self.course.bound(index, known.created, self.now, node);
        self.runs(index);
    }

    /// Notes that the pod runs from now on, and when it ends.
    fn runs(&mut self, index: PodIndex) {
        let Some(known) = &mut self.pods[index] else { return };
        known.bound = Some(self.now);
        known.message = None;
        let end = known.lifetime.end(self.now).filter(|_| !self.as_recorded);
        self.ends.extend(end.map(|end| Reverse((end, index))));
    }

    /// Ends a pod: it finished, or it was deleted.
    pub(super) fn end(&mut self, index: PodIndex) {
        let Some(known) = self.pods[index].take() else { return };
        if known.bound.is_none() {
            self.course.pending -= 1;
            self.course.waited(known.created, self.now);
        }
        self.by_uid.remove(&known.pod.key.uid);
        self.events.push_back(Event::PodRemoved(known.pod.key.clone()));
    }

    /// Evicts a pod. Its controller creates it again.
    pub(super) fn evict(&mut self, index: PodIndex) {
        let Some(known) = &self.pods[index] else { return };
        self.course.evictions += 1;
        let leaving = Pod { deleting: true, preempted: true, ..Pod::clone(&known.pod) };
        self.events.push_back(Event::PodSet(Arc::new(leaving)));
        self.replace(index);
    }

    /// Deletes the pods of a node that was deleted and did not come back.
    pub(super) fn desert(&mut self, node: &str) {
        if self.engine.core().cache().node_id(node).is_some() {
            return;
        }
        let is_there = |pod: &WorldPod| pod.bound.is_some() && &*pod.pod.node_name == node;
        let there = |(index, pod): (PodIndex, &Option<WorldPod>)| pod.as_ref().is_some_and(is_there).then_some(index);
        let lost: Vec<PodIndex> = self.pods.iter().enumerate().filter_map(there).collect();
        for index in lost {
            self.course.lost_with_nodes += 1;
            match &self.pods[index] {
                Some(known) if !belongs_to_node(&known.pod) => self.replace(index),
                _ => self.end(index),
            }
        }
    }

    /// Ends a pod. If it has a controller, a pod like it appears.
    fn replace(&mut self, index: PodIndex) {
        let Some(known) = self.pods[index].clone() else { return };
        self.end(index);
        if !has_controller(&known.pod) {
            return;
        }
        let origin = &self.history.pods[known.origin];
        let lifetime = match known.bound {
            Some(bound) if !starts_over(&origin.pod) => known.lifetime.rest(self.now.since(bound)),
            _ => known.lifetime,
        };
        let generation = known.generation + 1;
        let mut pod = crate::history::neutral(&known.pod);
        pod.key.uid = format!("{}.{generation}", origin.pod.key.uid).into();
        let keeps_its_name = pod.owners.iter().any(|owner| owner.controller && &*owner.kind == "StatefulSet");
        if !keeps_its_name {
            pod.key.name = format!("{}.{generation}", origin.pod.key.name).into();
        }
        pod.created = i64::try_from(self.now.0 / 1000).unwrap_or(i64::MAX);
        let index = self.pods.len();
        self.pods.push(None);
        self.course.replacements += 1;
        let (created, origin) = (self.now, known.origin);
        let pod = Arc::new(pod);
        self.add(index, WorldPod { pod, created, bound: None, lifetime, origin, generation, message: None });
    }

    /// Notes the pods that are still pending at the end.
    pub(super) fn close(&mut self) {
        for known in self.pods.iter().flatten().filter(|known| known.bound.is_none()) {
            self.course.still_pending(&known.pod.key, known.created, self.history.end, known.message.as_ref());
        }
    }
}
