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

mod ids;
mod images;
mod log;
mod node_info;
mod objects;

use std::sync::Arc;

use hashbrown::HashMap;

use self::ids::Slab;
pub use self::ids::{ImageId, NodeId, PodId};
pub use self::images::{ImageState, Images};
pub use self::log::{Change, ChangeLog};
pub use self::node_info::{NodeInfo, Usage};
pub use self::objects::{CachedObject, Coverage, KindId, ObjectId, Objects};
use crate::facts::NodeFacts;
use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod};

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

/// Nodes, their pods, and what changed.
///
/// Cloning it is cheap in depth (objects are shared), linear in the number of nodes and pods: a frozen state for a guest
/// that is filled aside.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    nodes: Slab<NodeInfo>,
    node_by_name: HashMap<Box<str>, NodeId>,
    pods: Slab<CachedPod>,
    pod_by_uid: HashMap<Box<str>, PodId>,
    /// Pods by the name of a node that is not there.
    waiting: HashMap<Box<str>, Vec<PodId>>,
    images: Images,
    objects: Objects,
    log: ChangeLog,
}

impl Cache {
    /// An empty one whose log holds so many changes, or eight a node where that is more; ids are used again the sooner, the
    /// fewer they are.
    #[must_use]
    pub fn with_log_of(changes: usize) -> Self {
        Self { log: ChangeLog::holding(changes), ..Self::default() }
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
        self.node_by_name.get(name).copied()
    }

    /// All assigned and assumed pods, by id.
    pub fn pods(&self) -> impl Iterator<Item = (PodId, &CachedPod)> {
        self.pods.entries().map(|(id, pod)| (PodId(id), pod))
    }

    /// The pod with this id.
    #[must_use]
    pub fn pod(&self, id: PodId) -> Option<&CachedPod> {
        self.pods.get(id.0)
    }

    /// The pod with this uid, if it is assigned or assumed.
    #[must_use]
    pub fn pod_by_uid(&self, uid: &str) -> Option<&CachedPod> {
        self.pod_by_uid.get(uid).and_then(|id| self.pods.get(id.0))
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

    /// A node appeared or changed. A node of the same name with another uid is another node. Returns the facts whose
    /// change may help a pod that did not fit.
    pub fn set_node(&mut self, node: Arc<Node>) -> NodeFacts {
        let known = self.node_id(&node.name).and_then(|id| self.nodes.get(id.0));
        let helped = match known.map(|info| (info.id, info.node.uid == node.uid)) {
            Some((id, true)) => self.update_node(id, node),
            Some((_, false)) => {
                self.remove_node(&node.name);
                self.add_node(node)
            }
            None => self.add_node(node),
        };
        self.trim();
        helped
    }

    /// A node went. Its pods wait aside until theirs are removed, or it comes back.
    pub fn remove_node(&mut self, name: &str) {
        let Some(id) = self.node_by_name.remove(name) else {
            return;
        };
        let Some(info) = self.nodes.retire(id.0) else {
            return;
        };
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
        self.log.push(Change::NodeRemoved(id));
        self.log.push(Change::NodeCount);
        self.trim();
    }

    /// A pod is assigned to `pod.node_name`, or changed there. Confirms an assumed one; one that is elsewhere moves.
    /// Returns the facts whose change may help a pod that did not fit.
    pub fn set_pod(&mut self, pod: Arc<Pod>) -> NodeFacts {
        self.place(pod, false)
    }

    /// The core chose `pod.node_name` for the pod: it counts there from now on. Returns as [`Cache::set_pod`].
    pub fn assume(&mut self, pod: Arc<Pod>) -> NodeFacts {
        self.place(pod, true)
    }

    /// Takes an assumption back. A pod that the API server has confirmed stays. Returns as [`Cache::set_pod`].
    pub fn forget(&mut self, uid: &str) -> NodeFacts {
        match self.pod_by_uid(uid) {
            Some(cached) if cached.assumed => self.remove_pod(uid),
            _ => NodeFacts::empty(),
        }
    }

    /// The pod went, or takes nothing any more. Returns as [`Cache::set_pod`].
    pub fn remove_pod(&mut self, uid: &str) -> NodeFacts {
        let removed = self.pod_by_uid.remove(uid).and_then(|id| Some((id, self.pods.retire(id.0)?)));
        let Some((id, cached)) = removed else { return NodeFacts::empty() };
        self.detach(id, &cached);
        self.log.push(Change::PodRemoved(id));
        self.trim();
        NodeFacts::USAGE | NodeFacts::USED_PORTS | NodeFacts::PODS
    }

    /// Plugins want to read these kinds. Returns those of which more has to be listed than was, with all their fields.
    pub fn want_objects(&mut self, reads: Vec<ObjectReads>) -> Vec<ObjectReads> {
        self.objects.want(reads)
    }

    /// All objects of the kind are here, with these fields.
    pub fn objects_listed(&mut self, reads: ObjectReads) {
        self.objects.listed(reads);
    }

    /// The kind can't be listed, for this reason.
    pub fn objects_refused(&mut self, kind: &Arc<ObjectKind>, why: Arc<str>) {
        self.objects.refused(kind, why);
    }

    /// An object of a kind that plugins read appeared or changed. Whether anything in it did.
    pub fn set_object(&mut self, object: Arc<Object>) -> bool {
        let changed = self.objects.set(object, &mut self.log);
        self.trim();
        changed
    }

    /// An object went. Whether it was there.
    pub fn remove_object(&mut self, key: &ObjectKey) -> bool {
        let gone = self.objects.remove(key, &mut self.log);
        self.trim();
        gone
    }

    /// A pod that comes can help those that want to be near it; one that stays and asks for less, more of them.
    fn place(&mut self, pod: Arc<Pod>, assumed: bool) -> NodeFacts {
        let known = self.pod_by_uid.get(&pod.key.uid).copied();
        let helped = match known.and_then(|id| self.pods.get_mut(id.0).map(|cached| (id, cached))) {
            Some((id, cached)) if cached.pod.node_name == pod.node_name => {
                cached.assumed = assumed;
                if cached.pod == pod {
                    return NodeFacts::empty();
                }
                let before = std::mem::replace(&mut cached.pod, Arc::clone(&pod));
                let node = cached.node;
                self.replace(id, node, &before, &pod)
            }
            Some(_) => {
                let helped = self.remove_pod(&pod.key.uid);
                self.add_pod(pod, assumed);
                helped
            }
            None => {
                self.add_pod(pod, assumed);
                NodeFacts::PODS
            }
        };
        self.trim();
        helped
    }

    fn add_pod(&mut self, pod: Arc<Pod>, assumed: bool) {
        let node = self.node_id(&pod.node_name);
        let id = PodId(self.pods.insert(CachedPod { pod: Arc::clone(&pod), node, assumed }));
        self.pod_by_uid.insert(pod.key.uid.clone(), id);
        match node.and_then(|node| self.nodes.get_mut(node.0)) {
            Some(info) => {
                self.log.push(Change::Node(info.id, info.add_pod(id, &pod)));
                self.log.push(Change::Pod(id));
            }
            None => self.waiting.entry(pod.node_name.clone()).or_default().push(id),
        }
    }

    fn replace(&mut self, id: PodId, node: Option<NodeId>, before: &Pod, after: &Pod) -> NodeFacts {
        let Some(info) = node.and_then(|node| self.nodes.get_mut(node.0)) else { return NodeFacts::empty() };
        let facts = info.replace_pod(before, after);
        self.log.push(Change::Node(info.id, facts));
        self.log.push(Change::Pod(id));
        facts
    }

    fn detach(&mut self, id: PodId, cached: &CachedPod) {
        if let Some(info) = cached.node.and_then(|node| self.nodes.get_mut(node.0)) {
            let facts = info.remove_pod(id, &cached.pod);
            self.log.push(Change::Node(info.id, facts));
        } else if let Some(waiting) = self.waiting.get_mut(&cached.pod.node_name) {
            waiting.retain(|waiting| *waiting != id);
            if waiting.is_empty() {
                self.waiting.remove(&cached.pod.node_name);
            }
        }
    }

    fn add_node(&mut self, node: Arc<Node>) -> NodeFacts {
        let images = self.images.exchange(&[], &node.images, &mut self.log);
        let id = NodeId(self.nodes.insert(NodeInfo::new(Arc::clone(&node), images)));
        self.node_by_name.insert(node.name.clone(), id);
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
        NodeFacts::all()
    }

    fn update_node(&mut self, id: NodeId, node: Arc<Node>) -> NodeFacts {
        let Some(info) = self.nodes.get_mut(id.0) else { return NodeFacts::empty() };
        let facts = info.changed_facts(&node);
        if facts.contains(NodeFacts::IMAGES) {
            info.images = self.images.exchange(&info.images, &node.images, &mut self.log);
        }
        info.node = node;
        if !facts.is_empty() {
            self.log.push(Change::Node(id, facts));
        }
        facts
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
