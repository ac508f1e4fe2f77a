//! The cluster as scheduling sees it: nodes and the resources that their pods use, including assumed pods.
//!
//! The states of a pod, as in kube-scheduler's cache:
//!
//! ```text
//!            assume                 set_pod (the API server confirms the assignment)
//!  (absent) ────────▶ assumed ─────────────────────────────▶ added ──┐ set_pod
//!     ▲                  │ forget                              │  ▲───┘
//!     ├──────────────────┘                                     │
//!     └────────────────────────────────────────────────────────┘ remove_pod
//! ```
//!
//! `set_pod` also leads from absent to added, and `remove_pod` from assumed to absent. Every change is written to the
//! [`ChangeLog`], from which guests and the result cache are updated. A pod whose node is unknown (not added yet, or
//! removed) is stored separately and counted when the node is added.
//!
//! While a plugin reads pending pods, the cache also holds these, apart from the pods on nodes. [`crate::Core`] removes
//! a pending pod when it assumes the pod, and adds the pod again when its reservation is undone.

pub(crate) mod assumed;
mod carry_over;
pub(crate) mod ids;
mod images;
mod log;
mod node_info;
pub(crate) mod objects;
pub(crate) mod pending;
pub(crate) mod register;
mod usage;
mod what_if;

use std::sync::Arc;

use hashbrown::HashMap;

pub use self::ids::{ImageId, KindId, NodeId, ObjectId, PodId};
pub use self::images::{ImageState, Images};
pub use self::log::{Change, ChangeLog};
pub use self::node_info::NodeInfo;
pub use self::objects::{CachedObject, Coverage, Objects};
use self::pending::PendingPods;
use self::register::{Keyed, Register};
pub use self::usage::Usage;
pub use self::what_if::WhatIf;
use crate::cluster_event::ClusterEvent;
use crate::facts::NodeFacts;
use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod};

/// A pod that is assigned to a node, or assumed to be.
#[derive(Clone, Debug)]
pub struct CachedPod {
    /// The pod, with the node's name. An assumed pod has the node's name as well.
    pub pod: Arc<Pod>,
    /// The node, if the cache knows it.
    pub node: Option<NodeId>,
    /// The API server has not confirmed the assignment yet.
    pub assumed: bool,
}

impl Keyed for CachedPod {
    type Key = str;

    fn key(&self) -> &str {
        &self.pod.key.uid
    }
}

impl Keyed for NodeInfo {
    type Key = str;

    fn key(&self) -> &str {
        &self.node.name
    }
}

/// The nodes, their pods, the pending pods if a plugin reads them, and the log of changes.
///
/// A clone shares nodes, pods and objects with the original until either changes them.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    pub(crate) nodes: Register<NodeInfo>,
    /// By uid.
    pub(crate) pods: Register<CachedPod>,
    /// Ids of pods by the name of a node that does not exist.
    pub(crate) waiting: HashMap<Box<str>, Vec<PodId>>,
    pub(crate) pending: PendingPods,
    pub(crate) images: Images,
    pub(crate) objects: Objects,
    pub(crate) log: ChangeLog,
    /// Events since the last call of [`Self::take_events`].
    pub(crate) events: Vec<ClusterEvent>,
}

impl Cache {
    /// Creates an empty cache whose log holds this many changes, or eight for each node if that is more. With fewer
    /// changes, ids are used again sooner.
    #[must_use]
    pub fn with_log_of(changes: usize) -> Self {
        Self { log: ChangeLog::with_limit(changes), ..Self::default() }
    }

    /// Returns a copy of the cluster for a reader that has applied the log up to position `since`. The copy's log holds
    /// the changes since then.
    #[must_use]
    pub fn frozen(&self, since: u64) -> Self {
        Self {
            nodes: self.nodes.clone(),
            pods: self.pods.clone(),
            waiting: self.waiting.clone(),
            pending: self.pending.clone(),
            images: self.images.clone(),
            objects: self.objects.clone(),
            log: self.log.latest(since),
            events: Vec::new(),
        }
    }

    /// Returns all nodes, in the order of their ids.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeInfo> {
        self.nodes.iter()
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the highest node id in use plus one: the length of an array indexed by node ids.
    #[must_use]
    pub fn node_id_end(&self) -> usize {
        self.nodes.end()
    }

    /// Returns the node with this id.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&NodeInfo> {
        self.nodes.get(id.0)
    }

    /// Returns the name of the node with this id, which is empty for an unknown node.
    pub(crate) fn node_name(&self, id: NodeId) -> &str {
        self.node(id).map_or("", |info| &info.node.name)
    }

    /// Returns the id of the node with this name.
    #[must_use]
    pub fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.find(name).map(NodeId)
    }

    /// Returns all pods in the cache, in the order of their ids.
    pub fn pods(&self) -> impl Iterator<Item = (PodId, &CachedPod)> {
        self.pods.entries().map(|(id, pod)| (PodId(id), pod))
    }

    /// Returns the number of pods in the cache, as [`Self::pods`] lists them.
    #[must_use]
    pub fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// Returns the highest id of a pod on a node or of a pending pod, plus one.
    #[must_use]
    pub fn pod_id_end(&self) -> usize {
        self.pods.end()
    }

    /// Returns the pod with this id.
    #[must_use]
    pub fn pod(&self, id: PodId) -> Option<&CachedPod> {
        self.pods.get(id.0)
    }

    /// Returns the pod with this uid, if the cache holds the pod.
    #[must_use]
    pub fn pod_by_uid(&self, uid: &str) -> Option<&CachedPod> {
        self.pods.get(self.pods.find(uid)?)
    }

    /// Returns the images of the whole cluster.
    #[must_use]
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Returns the objects of the kinds other than Node and Pod that plugins read.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Returns the log of changes.
    #[must_use]
    pub fn log(&self) -> &ChangeLog {
        &self.log
    }

    /// Returns the events since the last call, in order, and removes them from the cache.
    pub fn take_events(&mut self) -> Vec<ClusterEvent> {
        std::mem::take(&mut self.events)
    }

    /// Adds or updates a node. A node with the same name and another uid is a new node.
    pub fn set_node(&mut self, node: Arc<Node>) {
        let known = self.node_id(&node.name).and_then(|id| self.nodes.get(id.0));
        match known.map(|info| (info.id, info.node.uid == node.uid)) {
            Some((id, true)) => self.update_node(id, node),
            Some((_, false)) => {
                self.remove_node(&node.name);
                self.add_node(node)
            }
            None => self.add_node(node),
        }
        self.trim();
    }

    /// Removes a node. Its pods are stored separately until they are removed or the node is added again.
    pub fn remove_node(&mut self, name: &str) {
        let Some(id) = self.node_id(name) else { return };
        let Some(info) = self.nodes.retire(id.0) else { return };
        for pod in &info.pods {
            if let Some(cached) = self.pods.get_mut(pod.0) {
                cached.node = None;
            }
        }
        if !info.pods.is_empty() {
            self.waiting.insert(name.into(), info.pods);
        }
        for pod in self.waiting.get(name).into_iter().flatten() {
            self.log.push(Change::PodRemoved(*pod));
        }
        self.images.leave(&info.images, &mut self.log);
        self.events.push(ClusterEvent::node(Some(info.node), None, NodeFacts::PODS));
        self.log.push(Change::NodeRemoved(id));
        self.log.push(Change::NodeCount);
        self.trim();
    }

    /// Adds a pod to the node `pod.node_name`, or updates it there. Confirms an assumed pod. A pod that was on
    /// another node moves.
    pub fn set_pod(&mut self, pod: Arc<Pod>) {
        self.place(pod, false);
    }

    /// Assumes the pod on the node `pod.node_name`: from now on the node's usage includes the pod.
    pub fn assume(&mut self, pod: Arc<Pod>) {
        self.place(pod, true);
    }

    /// Sets the named fields of an assumed pod to those of its version without a node.
    pub fn set_assumed_fields(&mut self, pod: &Pod) {
        let assumed = self.pod_by_uid(&pod.key.uid).filter(|cached| cached.assumed && cached.pod.fields != pod.fields);
        if let Some(cached) = assumed {
            let fields = pod.fields.clone();
            self.place(Arc::new(Pod { fields, ..Pod::clone(&cached.pod) }), true);
        }
    }

    /// Removes an assumed pod. A pod that the API server has confirmed stays.
    pub fn forget(&mut self, uid: &str) {
        if self.pod_by_uid(uid).is_some_and(|cached| cached.assumed) {
            self.remove_pod(uid);
        }
    }

    /// Removes a pod that was deleted or that uses no resources any more.
    pub fn remove_pod(&mut self, uid: &str) {
        let Some(id) = self.pods.find(uid).map(PodId) else { return };
        let Some(cached) = self.pods.retire(id.0) else { return };
        let facts = self.detach(id, &cached);
        self.events.push(ClusterEvent::pod(Some(cached.pod), None, facts));
        self.log.push(Change::PodRemoved(id));
        self.trim();
    }

    /// Registers kinds that plugins want to read. Returns the kinds that have to be listed because they or some of
    /// their fields were not read before, each with all fields that plugins read.
    pub fn want_objects(&mut self, reads: Vec<ObjectReads>) -> Vec<ObjectReads> {
        self.objects.want(reads)
    }

    /// Keeps only these kinds. Drops the objects of all other kinds that plugins read. Returns the dropped kinds, whose
    /// watches have to stop.
    pub fn keep_kinds(&mut self, read: &[&ObjectKind]) -> Vec<Arc<ObjectKind>> {
        let dropped = self.objects.keep_kinds(read, &mut self.log);
        self.trim();
        dropped
    }

    /// Notes that one of the stopping watches of the kind has stopped.
    pub fn watch_stopped(&mut self, kind: &ObjectKind) {
        self.objects.watch_stopped(kind);
    }

    /// Marks the list of the kind as complete, with these fields. Ends the assumptions of objects of this kind for
    /// bound pods.
    pub fn objects_listed(&mut self, reads: ObjectReads) {
        let changed = self.objects.listed(reads, &mut self.log);
        self.objects_changed(changed);
    }

    /// Marks the kind as refused by the API server, for this reason.
    pub fn objects_refused(&mut self, kind: &Arc<ObjectKind>, why: Arc<str>) {
        self.objects.refused(kind, why);
    }

    /// Adds or updates an object of a kind that plugins read.
    pub fn set_object(&mut self, object: Arc<Object>) {
        let changed = self.objects.set(object, &mut self.log);
        self.objects_changed(changed);
    }

    /// Removes an object.
    pub fn remove_object(&mut self, key: &ObjectKey) {
        let changed = self.objects.remove(key, &mut self.log);
        self.objects_changed(changed);
    }

    /// Assumes the object for the pod with this uid: see [`crate::intent::Intent::Assume`].
    pub fn assume_object(&mut self, object: Arc<Object>, by: &str) {
        let changed = self.objects.assume(object, by, &mut self.log);
        self.objects_changed(changed);
    }

    /// Ends the assumption of the object for the pod with this uid.
    pub fn take_object_back(&mut self, key: &ObjectKey, by: &str) {
        let changed = self.objects.take_back(key, by, &mut self.log);
        self.objects_changed(changed);
    }

    /// Keeps the assumption of the object for a bound pod, until the informer reports a change of an assumed field or a
    /// complete list of the kind.
    pub fn keep_object_assumed(&mut self, key: &ObjectKey, by: &str) {
        self.objects.keep(key, by);
    }

    fn objects_changed(&mut self, changes: impl IntoIterator<Item = objects::ObjectChange>) {
        self.events.extend(changes.into_iter().map(|(before, after)| ClusterEvent::object(before, after)));
        self.trim();
    }

    fn place(&mut self, pod: Arc<Pod>, assumed: bool) {
        let known = self.pods.find(&pod.key.uid).map(PodId);
        match known.and_then(|id| self.pods.get_mut(id.0).map(|cached| (id, cached))) {
            Some((id, cached)) if cached.pod.node_name == pod.node_name => {
                cached.assumed = assumed;
                if cached.pod == pod {
                    return;
                }
                let before = std::mem::replace(&mut cached.pod, Arc::clone(&pod));
                let node = cached.node;
                self.replace(id, node, before, pod);
            }
            Some(_) => {
                self.remove_pod(&pod.key.uid);
                self.add_pod(pod, assumed);
            }
            None => self.add_pod(pod, assumed),
        }
        self.trim();
    }

    fn add_pod(&mut self, pod: Arc<Pod>, assumed: bool) {
        let node = self.node_id(&pod.node_name);
        let id = PodId(self.pods.insert(CachedPod { pod: Arc::clone(&pod), node, assumed }));
        match node.and_then(|node| self.nodes.get_mut(node.0)) {
            Some(info) => {
                self.log.push(Change::Node(info.id, info.add_pod(id, &pod)));
                self.log.push(Change::Pod(id));
            }
            None => self.waiting.entry(pod.node_name.clone()).or_default().push(id),
        }
        self.events.push(ClusterEvent::pod(None, Some(pod), NodeFacts::PODS));
    }

    fn replace(&mut self, id: PodId, node: Option<NodeId>, before: Arc<Pod>, after: Arc<Pod>) {
        let Some(info) = node.and_then(|node| self.nodes.get_mut(node.0)) else { return };
        let facts = info.replace_pod(&before, &after);
        self.log.push(Change::Node(info.id, facts));
        self.log.push(Change::Pod(id));
        self.events.push(ClusterEvent::pod(Some(before), Some(after), facts));
    }

    /// Takes the pod off its node. Returns the facts of the node that change.
    fn detach(&mut self, id: PodId, cached: &CachedPod) -> NodeFacts {
        if let Some(info) = cached.node.and_then(|node| self.nodes.get_mut(node.0)) {
            let facts = info.remove_pod(id, &cached.pod);
            self.log.push(Change::Node(info.id, facts));
            return facts;
        }
        if let Some(waiting) = self.waiting.get_mut(&cached.pod.node_name) {
            waiting.retain(|waiting| *waiting != id);
            if waiting.is_empty() {
                self.waiting.remove(&cached.pod.node_name);
            }
        }
        NodeFacts::empty()
    }

    fn add_node(&mut self, node: Arc<Node>) {
        let images = self.images.exchange(&[], &node.images, &mut self.log);
        let id = NodeId(self.nodes.insert(NodeInfo::new(Arc::clone(&node), images)));
        let waiting = self.waiting.remove(&node.name).unwrap_or_default();
        if let Some(info) = self.nodes.get_mut(id.0) {
            info.id = id;
            for pod in waiting {
                if let Some(cached) = self.pods.get_mut(pod.0) {
                    cached.node = Some(id);
                    info.add_pod(pod, &cached.pod);
                    self.log.push(Change::Pod(pod));
                }
            }
        }
        self.log.push(Change::Node(id, NodeFacts::all()));
        self.log.push(Change::NodeCount);
        self.events.push(ClusterEvent::node(None, Some(node), NodeFacts::all()));
    }

    fn update_node(&mut self, id: NodeId, node: Arc<Node>) {
        let Some(info) = self.nodes.get_mut(id.0) else { return };
        let facts = info.changed_facts(&node);
        if facts.contains(NodeFacts::IMAGES) {
            info.images = self.images.exchange(&info.images, &node.images, &mut self.log);
        }
        let before = std::mem::replace(&mut info.node, Arc::clone(&node));
        if !facts.is_empty() {
            self.log.push(Change::Node(id, facts));
            self.events.push(ClusterEvent::node(Some(before), Some(node), facts));
        }
    }

    /// Returns a copy of the cluster as it would be in this case, for implementors of [`crate::Plugins`] without a
    /// faster way.
    #[must_use]
    pub fn as_if(&self, case: &WhatIf) -> Self {
        let mut cache = self.clone();
        let name = self.node(case.node).map(|info| info.node.name.clone()).unwrap_or_default();
        for pod in case.removed.iter().filter_map(|pod| self.pod(*pod)) {
            cache.remove_pod(&pod.pod.key.uid);
        }
        for pod in &case.added {
            cache.assume(Arc::new(Pod { node_name: name.clone(), ..Pod::clone(pod) }));
        }
        cache
    }

    /// Trims the log to its bound. When the removal of a node, pod, image or object leaves the log, its id can be used
    /// again.
    fn trim(&mut self) {
        while self.log.is_too_long(self.nodes.len()) {
            match self.log.pop_oldest() {
                Some(Change::NodeRemoved(id)) => self.nodes.free(id.0),
                Some(Change::PodRemoved(id)) => self.pods.free(id.0),
                Some(Change::PendingPodRemoved(id)) => self.pods.free_returned(id.0),
                Some(Change::ImageRemoved(id)) => self.images.free(id),
                Some(Change::ObjectRemoved(id, _)) => self.objects.free(id),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
#[path = "cache_test.rs"]
mod tests;
