//! The cluster as scheduling sees it: nodes with what their pods take, assumed pods included.
//!
//! A pod's states, as in kube-scheduler's cache:
//!
//! ```text
//!            assume                 set_pod (its node is known to the API server)
//!  (absent) ────────▶ assumed ─────────────────────────────▶ added ──┐ set_pod
//!     ▲                  │ forget                              │  ▲───┘
//!     ├──────────────────┘                                     │
//!     └────────────────────────────────────────────────────────┘ remove_pod
//! ```
//!
//! Every change is written to the [`ChangeLog`], from which guests and kept answers are brought up to date. Pods whose
//! node is not known (yet, or any more) wait aside and are counted when it comes.

mod assumed;
mod carry_over;
mod ids;
mod images;
mod log;
mod node_info;
mod objects;
mod register;
mod usage;

use std::sync::Arc;

use hashbrown::HashMap;

pub use self::ids::{ImageId, NodeId, PodId};
pub use self::images::{ImageState, Images};
pub use self::log::{Change, ChangeLog};
pub use self::node_info::NodeInfo;
pub use self::objects::{CachedObject, Coverage, KindId, ObjectId, Objects};
use self::register::{Keyed, Register};
pub use self::usage::Usage;
use crate::cluster_event::ClusterEvent;
use crate::facts::NodeFacts;
use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod};
use crate::plugins::WhatIf;

/// A pod that is assigned to a node, or assumed to be.
#[derive(Clone, Debug)]
pub struct CachedPod {
    /// With the node's name in it, also while it is assumed.
    pub pod: Arc<Pod>,
    /// The node, if it is known.
    pub node: Option<NodeId>,
    /// The API server has not confirmed it yet.
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

/// Nodes, their pods, and what changed.
///
/// A clone shares nodes, pods and objects with the original until either changes them.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    nodes: Register<NodeInfo>,
    /// By uid.
    pods: Register<CachedPod>,
    /// Pods by the name of a node that is not there.
    waiting: HashMap<Box<str>, Vec<PodId>>,
    images: Images,
    objects: Objects,
    log: ChangeLog,
    /// Since they were taken last.
    events: Vec<ClusterEvent>,
}

impl Cache {
    /// An empty one whose log holds so many changes, or eight a node where that is more; ids are used again the sooner, the
    /// fewer they are.
    #[must_use]
    pub fn with_log_of(changes: usize) -> Self {
        Self { log: ChangeLog::holding(changes), ..Self::default() }
    }

    /// The cluster as it is now, for whoever looks at it aside and knows what it was at this position of the log: of the changes
    /// that led there it has those since then.
    #[must_use]
    pub fn frozen(&self, since: u64) -> Self {
        Self {
            nodes: self.nodes.clone(),
            pods: self.pods.clone(),
            waiting: self.waiting.clone(),
            images: self.images.clone(),
            objects: self.objects.clone(),
            log: self.log.latest(since),
            events: Vec::new(),
        }
    }

    /// All nodes, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeInfo> {
        self.nodes.iter()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// One more than the highest node id in use: the length of an array indexed by node ids.
    #[must_use]
    pub fn node_id_end(&self) -> usize {
        self.nodes.end()
    }

    /// The node with this id.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&NodeInfo> {
        self.nodes.get(id.0)
    }

    /// The id of the node of this name.
    #[must_use]
    pub fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.find(name).map(NodeId)
    }

    /// All assigned and assumed pods, by id.
    pub fn pods(&self) -> impl Iterator<Item = (PodId, &CachedPod)> {
        self.pods.entries().map(|(id, pod)| (PodId(id), pod))
    }

    /// One more than the highest pod id in use.
    #[must_use]
    pub fn pod_id_end(&self) -> usize {
        self.pods.end()
    }

    /// The pod with this id.
    #[must_use]
    pub fn pod(&self, id: PodId) -> Option<&CachedPod> {
        self.pods.get(id.0)
    }

    /// The pod with this uid, if it is assigned or assumed.
    #[must_use]
    pub fn pod_by_uid(&self, uid: &str) -> Option<&CachedPod> {
        self.pods.get(self.pods.find(uid)?)
    }

    /// Images over the whole cluster.
    #[must_use]
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Objects of the further kinds that plugins read.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// What changed.
    #[must_use]
    pub fn log(&self) -> &ChangeLog {
        &self.log
    }

    /// What happened since this was asked last, in order.
    pub fn take_events(&mut self) -> Vec<ClusterEvent> {
        std::mem::take(&mut self.events)
    }

    /// A node appeared or changed. A node of the same name with another uid is another node.
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

    /// A node went. Its pods wait aside until theirs are removed, or it comes back.
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

    /// A pod is assigned to `pod.node_name`, or changed there. Confirms an assumed one; one that is elsewhere moves.
    pub fn set_pod(&mut self, pod: Arc<Pod>) {
        self.place(pod, false);
    }

    /// The core chose `pod.node_name` for the pod: it counts there from now on.
    pub fn assume(&mut self, pod: Arc<Pod>) {
        self.place(pod, true);
    }

    /// Takes an assumption back. A pod that the API server has confirmed stays.
    pub fn forget(&mut self, uid: &str) {
        if self.pod_by_uid(uid).is_some_and(|cached| cached.assumed) {
            self.remove_pod(uid);
        }
    }

    /// The pod went, or takes nothing any more.
    pub fn remove_pod(&mut self, uid: &str) {
        let Some(id) = self.pods.find(uid).map(PodId) else { return };
        let Some(cached) = self.pods.retire(id.0) else { return };
        let facts = self.detach(id, &cached);
        self.events.push(ClusterEvent::pod(Some(cached.pod), None, facts));
        self.log.push(Change::PodRemoved(id));
        self.trim();
    }

    /// Plugins want to read these kinds. Returns those of which more has to be listed than was, with all their fields.
    pub fn want_objects(&mut self, reads: Vec<ObjectReads>) -> Vec<ObjectReads> {
        self.objects.want(reads)
    }

    /// Plugins read these kinds and no others. Forgets the objects of the others, and returns those that were watched.
    pub fn keep_kinds(&mut self, read: &[&ObjectKind]) -> Vec<Arc<ObjectKind>> {
        let forgotten = self.objects.keep_kinds(read, &mut self.log);
        self.trim();
        forgotten
    }

    /// A watch of the kind that was to stop has stopped.
    pub fn watch_stopped(&mut self, kind: &ObjectKind) {
        self.objects.watch_stopped(kind);
    }

    /// All objects of the kind are here, with these fields. What was assumed of them for pods that are bound by now should
    /// have shown.
    pub fn objects_listed(&mut self, reads: ObjectReads) {
        let turned = self.objects.listed(reads, &mut self.log);
        self.turned(turned);
    }

    /// The kind can't be listed, for this reason.
    pub fn objects_refused(&mut self, kind: &Arc<ObjectKind>, why: Arc<str>) {
        self.objects.refused(kind, why);
    }

    /// An object of a kind that plugins read appeared or changed.
    pub fn set_object(&mut self, object: Arc<Object>) {
        let turned = self.objects.set(object, &mut self.log);
        self.turned(turned);
    }

    /// An object went.
    pub fn remove_object(&mut self, key: &ObjectKey) {
        let turned = self.objects.remove(key, &mut self.log);
        self.turned(turned);
    }

    /// The object shows so from now on, for the pod of this uid: see [`crate::intent::Intent::Assume`].
    pub fn assume_object(&mut self, object: Arc<Object>, by: &str) {
        let turned = self.objects.assume(object, by, &mut self.log);
        self.turned(turned);
    }

    /// What is assumed of the object for the pod is so no longer.
    pub fn take_object_back(&mut self, key: &ObjectKey, by: &str) {
        let turned = self.objects.take_back(key, by, &mut self.log);
        self.turned(turned);
    }

    /// What is assumed of the object for the pod will show: it is not taken back.
    pub fn keep_object_assumed(&mut self, key: &ObjectKey, by: &str) {
        self.objects.keep(key, by);
    }

    fn turned(&mut self, turned: impl IntoIterator<Item = objects::Turned>) {
        self.events.extend(turned.into_iter().map(|(before, after)| ClusterEvent::object(before, after)));
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

    /// The facts of its node that change.
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

    /// The cluster as it would be in this case: a copy, for whoever has no better way to look at it.
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

    /// Bounds the log; ids whose removal it no longer holds may be used again.
    fn trim(&mut self) {
        while self.log.is_too_long(self.nodes.len()) {
            match self.log.pop_oldest() {
                Some(Change::NodeRemoved(id)) => self.nodes.free(id.0),
                Some(Change::PodRemoved(id)) => self.pods.free(id.0),
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
