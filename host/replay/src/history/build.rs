//! Builds a history from the steps of a capture.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use berth_capture::{Header, RecordedCheckpoint, Step, StepEvent};
use berth_core::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey};
use berth_core::{Event, Timestamp};
use hashbrown::HashMap;

use super::decisions::{Decision, decisions};
use super::lifetime::Lifetime;
use super::pod::{RecordedPod, controller, neutral, set_lifetimes};
use super::{Beginning, Change, History, PodIndex};
use crate::error::ReplayError;
use crate::reads::{Known, known_kinds};

/// The state of the cluster while the capture is read, and the history so far.
#[derive(Default)]
pub(super) struct Builder {
    header: Option<Header>,
    begin: Option<Timestamp>,
    end: Timestamp,
    /// The first profiles serve: what comes now is a change, and not the beginning.
    begun: bool,
    nodes: BTreeMap<Box<str>, Arc<Node>>,
    objects: BTreeMap<ObjectKey, Arc<Object>>,
    /// The pods that exist, by uid.
    existing: HashMap<Box<str>, PodIndex>,
    beginning: Beginning,
    changes: Vec<(Timestamp, Change)>,
    pods: Vec<RecordedPod>,
    kinds: BTreeMap<Arc<ObjectKind>, Known>,
    policy: Option<berth_capture::PolicyRecord>,
    /// The preempted pods whose replacement has not appeared, by the uid of the controller.
    unreplaced: HashMap<Box<str>, VecDeque<PodIndex>>,
    /// The objects that the recorded scheduler changed.
    decided: BTreeSet<ObjectKey>,
    /// What the state has to contain after the file began with a list of everything; `None` if the file continues the
    /// file before.
    listed: Option<Listed>,
    pub lost_steps: u64,
    pub truncated: Vec<String>,
}

/// What was seen since a file began.
#[derive(Default)]
struct Listed {
    nodes: BTreeSet<Box<str>>,
    pods: BTreeSet<Box<str>>,
    objects: BTreeSet<ObjectKey>,
}

impl Builder {
    pub fn file_begins(&mut self, header: &Header) {
        self.header.get_or_insert_with(|| header.clone());
        // A scheduler that starts lists everything. What is not in the list does not exist any more.
        self.listed = self.begun.then(Listed::default);
    }

    /// Takes the cluster of a checkpoint.
    ///
    /// # Errors
    /// The checkpoint is inconsistent.
    pub fn checkpoint(&mut self, recorded: &RecordedCheckpoint) -> Result<(), ReplayError> {
        let RecordedCheckpoint { at, policy, checkpoint } = recorded;
        let (cache, pending) = (checkpoint.cache()?, checkpoint.pending()?);
        self.time(*at);
        for info in cache.nodes() {
            self.event(*at, Event::NodeSet(Arc::clone(&info.node)));
        }
        let is_pending: BTreeSet<&str> = pending.iter().map(|pod| &*pod.key.uid).collect();
        let on_nodes = cache.pods().map(|(_, cached)| &cached.pod).filter(|pod| !is_pending.contains(&*pod.key.uid));
        for pod in on_nodes.chain(&pending) {
            self.event(*at, Event::PodSet(Arc::clone(pod)));
        }
        for (kind, known) in known_kinds(cache.objects()) {
            match known {
                Known::Listed(reads) => self.listed(reads),
                Known::Refused(why) => self.refused(kind, why),
            }
        }
        for (_, cached) in cache.objects().iter() {
            self.event(*at, Event::ObjectSet(Arc::clone(&cached.object)));
        }
        self.listing_ends(*at);
        if !policy.profiles.is_empty() {
            self.policy(*at, policy.clone());
        }
        Ok(())
    }

    pub fn step(&mut self, step: Step) {
        let Step { at, event, actions, .. } = step;
        self.time(at);
        match event {
            StepEvent::Policy(policy) => {
                self.listing_ends(at);
                self.policy(at, policy);
            }
            StepEvent::Event(event) => self.event(at, event),
        }
        for decision in actions.iter().flat_map(|actions| decisions(actions)) {
            match decision {
                Decision::Preempts(uid) => self.preempted(at, &uid),
                Decision::Changes(key) => {
                    self.decided.insert(key);
                }
            }
        }
    }

    fn time(&mut self, at: Timestamp) {
        self.begin.get_or_insert(at);
        self.end = self.end.max(at);
    }

    fn change(&mut self, at: Timestamp, change: Change) {
        if self.begun {
            self.changes.push((at, change));
        }
    }

    fn policy(&mut self, at: Timestamp, policy: berth_capture::PolicyRecord) {
        if self.begun {
            return self.change(at, Change::Policy(policy));
        }
        self.begun = true;
        self.policy = Some(policy);
        self.begins();
    }

    /// Takes the present state as the beginning.
    fn begins(&mut self) {
        let mut pods: Vec<PodIndex> = self.existing.values().copied().collect();
        pods.sort_unstable();
        let nodes = self.nodes.values().cloned().collect();
        self.beginning = Beginning { nodes, pods, objects: self.objects.values().cloned().collect() };
        // The comparison begins here: a pod that runs already starts here.
        let begin = self.end;
        self.begin = Some(begin);
        for pod in &mut self.pods {
            // What changed before is no change any more.
            let placed = pod.bound.as_ref().map(|(_, node)| node.clone()).unwrap_or_default();
            let start_time = pod.pod.start_time;
            pod.pod = Arc::new(Pod { node_name: placed, start_time, ..Pod::clone(&pod.latest) });
            pod.bound.iter_mut().for_each(|(bound, _)| *bound = begin);
        }
    }

    fn event(&mut self, at: Timestamp, event: Event) {
        match event {
            Event::NodeSet(node) => {
                if let Some(listed) = &mut self.listed {
                    listed.nodes.insert(node.name.clone());
                }
                if self.nodes.insert(node.name.clone(), Arc::clone(&node)).is_none_or(|before| before != node) {
                    if self.is_first_list(&ObjectKind::node()) {
                        let known = self.beginning.nodes.iter_mut().find(|known| known.name == node.name);
                        known.into_iter().for_each(|known| Arc::make_mut(known).fields = node.fields.clone());
                    }
                    self.change(at, Change::NodeSet(node));
                }
            }
            Event::NodeRemoved(name) => {
                self.nodes.remove(&name);
                self.change(at, Change::NodeRemoved(name));
            }
            Event::PodSet(pod) => self.pod_set(at, &pod),
            Event::PodRemoved(key) => self.pod_ended(at, &key.uid),
            Event::Bound(PodKey { uid, .. }) => self.bound_at(at, &uid),
            Event::EvictionFailed(PodKey { uid, .. }) => self.preemption_failed(&uid),
            Event::ObjectSet(object) => self.object_set(at, object),
            Event::ObjectRemoved(key) => {
                self.objects.remove(&key);
                self.change(at, Change::ObjectRemoved(key));
            }
            Event::ObjectsListed(reads) => self.listed(reads),
            Event::ObjectsRefused(kind, why) => self.refused(kind, why),
            // The rest is about decisions, or about the progress of watches.
            _ => {}
        }
    }

    /// Notes a complete list. After the beginning, a list with further fields says nothing about the time before, so that
    /// the fields of the list before count.
    fn listed(&mut self, reads: ObjectReads) {
        match self.kinds.get(&reads.kind) {
            Some(Known::Listed(_)) if self.begun => {}
            _ => drop(self.kinds.insert(Arc::clone(&reads.kind), Known::Listed(reads))),
        }
    }

    fn refused(&mut self, kind: Arc<ObjectKind>, why: Arc<str>) {
        self.kinds.entry(kind).or_insert(Known::Refused(why));
    }

    /// Returns whether the kind is being listed for the first time, after the beginning: the list says what existed before.
    fn is_first_list(&self, kind: &ObjectKind) -> bool {
        self.begun && !self.kinds.contains_key(kind)
    }

    fn object_set(&mut self, at: Timestamp, object: Arc<Object>) {
        if let Some(listed) = &mut self.listed {
            listed.objects.insert(object.key.clone());
        }
        let before = self.objects.insert(object.key.clone(), Arc::clone(&object));
        if before.is_some_and(|before| before == object) {
            return;
        }
        if self.is_first_list(&object.key.kind) {
            self.beginning.objects.push(object);
            return;
        }
        let decided = self.decided.contains(&object.key);
        self.change(at, Change::ObjectSet { object, decided });
    }

    fn pod_set(&mut self, at: Timestamp, pod: &Arc<Pod>) {
        if pod.finished {
            return self.pod_ended(at, &pod.key.uid);
        }
        if let Some(listed) = &mut self.listed {
            listed.pods.insert(pod.key.uid.clone());
        }
        let Some(index) = self.existing.get(&pod.key.uid).copied() else {
            return self.pod_created(at, pod);
        };
        let latest = neutral(pod);
        if *self.pods[index].latest != latest {
            let latest = Arc::new(latest);
            if self.is_first_list(&ObjectKind::pod()) {
                Arc::make_mut(&mut self.pods[index].pod).fields = latest.fields.clone();
            }
            self.pods[index].latest = Arc::clone(&latest);
            self.change(at, Change::PodChanged(index, latest));
        }
        if !pod.node_name.is_empty() && self.pods[index].bound.as_ref().is_none_or(|(_, node)| node.is_empty()) {
            let time = self.pods[index].bound.as_ref().map_or(at, |(time, _)| *time);
            self.pods[index].bound = Some((time, pod.node_name.clone()));
            self.change(at, Change::PodBound(index));
        }
        if pod.preempted {
            self.preempted(at, &pod.key.uid);
        }
    }

    fn pod_created(&mut self, at: Timestamp, pod: &Arc<Pod>) {
        let index = self.pods.len();
        let latest = Arc::new(neutral(pod));
        let is_placed = !pod.node_name.is_empty();
        let first = match is_placed {
            true => {
                Arc::new(Pod { node_name: pod.node_name.clone(), start_time: pod.start_time, ..Pod::clone(&latest) })
            }
            false => Arc::clone(&latest),
        };
        let before_the_capture = Timestamp(u64::try_from(pod.created).unwrap_or_default().saturating_mul(1000)).min(at);
        let replaced = controller(pod)
            .filter(|_| self.begun)
            .and_then(|owner| self.unreplaced.get_mut(&owner.uid).and_then(VecDeque::pop_front));
        if let Some(replaced) = replaced {
            self.pods[replaced].replaced_by = Some(index);
        }
        self.pods.push(RecordedPod {
            pod: first,
            created: if self.begun { at } else { before_the_capture },
            bound: is_placed.then(|| (at, pod.node_name.clone())),
            ended: None,
            preempted: None,
            replaced_by: None,
            replaces: replaced.is_some(),
            lifetime: Lifetime::default(),
            latest,
        });
        self.existing.insert(pod.key.uid.clone(), index);
        self.change(at, Change::PodCreated(index));
    }

    /// Notes the time of a binding. The informer reports the node.
    fn bound_at(&mut self, at: Timestamp, uid: &str) {
        if let Some(index) = self.existing.get(uid) {
            self.pods[*index].bound.get_or_insert_with(|| (at, "".into()));
        }
    }

    fn preempted(&mut self, at: Timestamp, uid: &str) {
        let Some(index) = self.existing.get(uid).copied().filter(|_| self.begun) else { return };
        if self.pods[index].preempted.is_some() {
            return;
        }
        self.pods[index].preempted = Some(at);
        if let Some(owner) = controller(&self.pods[index].pod) {
            self.unreplaced.entry(owner.uid.clone()).or_default().push_back(index);
        }
        self.change(at, Change::PodPreempted(index));
    }

    fn preemption_failed(&mut self, uid: &str) {
        let Some(index) = self.existing.get(uid).copied() else { return };
        if self.pods[index].preempted.take().is_some() {
            self.unreplaced.values_mut().for_each(|waiting| waiting.retain(|at| *at != index));
            self.changes.retain(|(_, change)| !matches!(change, Change::PodPreempted(at) if *at == index));
        }
    }

    fn pod_ended(&mut self, at: Timestamp, uid: &str) {
        let Some(index) = self.existing.remove(uid) else { return };
        self.pods[index].ended = Some(at);
        self.change(at, Change::PodEnded(index));
    }

    /// Ends a list of everything: what is not in it does not exist any more.
    fn listing_ends(&mut self, at: Timestamp) {
        let Some(Listed { nodes, pods, objects }) = self.listed.take() else { return };
        let gone: Vec<Box<str>> = self.existing.keys().filter(|uid| !pods.contains(*uid)).cloned().collect();
        gone.iter().collect::<BTreeSet<_>>().into_iter().for_each(|uid| self.pod_ended(at, uid));
        let gone: Vec<Box<str>> = self.nodes.keys().filter(|name| !nodes.contains(*name)).cloned().collect();
        gone.into_iter().for_each(|name| self.event(at, Event::NodeRemoved(name)));
        let gone: Vec<ObjectKey> = self.objects.keys().filter(|key| !objects.contains(*key)).cloned().collect();
        gone.into_iter().for_each(|key| self.event(at, Event::ObjectRemoved(key)));
    }

    /// Returns the history.
    ///
    /// # Errors
    /// The capture has no events.
    pub fn finish(mut self) -> Result<History, ReplayError> {
        if !self.begun {
            self.begins();
        }
        let (Some(header), Some(begin)) = (self.header, self.begin) else { return Err(ReplayError::Empty) };
        // A binding of which the informer did not report the node is not known.
        self.pods.iter_mut().for_each(|pod| drop(pod.bound.take_if(|(_, node)| node.is_empty())));
        set_lifetimes(&mut self.pods);
        Ok(History {
            header,
            begin,
            end: self.end,
            beginning: self.beginning,
            changes: self.changes,
            pods: self.pods,
            kinds: self.kinds,
            policy: self.policy,
            lost_steps: self.lost_steps,
            truncated: self.truncated,
        })
    }
}

#[cfg(test)]
#[path = "build_test.rs"]
mod tests;
