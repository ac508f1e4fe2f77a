//! A synthetic cluster and its random changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::model::{Node, Object, ObjectKey, ObjectKind, Pod};
use berth_core::plugins::Declaration;
use berth_core::reads::NodeReads;

use super::maker::Maker;
use super::named::keep_of_node;
use super::{nodes, pods};

/// The number of different node names.
const NAMES: u32 = 40;
/// The initial number of nodes.
const NODES: u32 = 24;
/// The number of nodes below which the next change adds a node.
const FEWEST_NODES: usize = 8;
/// The number of pods from which on [`World::bind`] removes a pod instead of adding one.
const MOST_PODS: usize = 80;
/// The number of pending pods from which on none is added.
const MOST_PENDING_PODS: usize = 20;
/// The capacity of the change log. It is small, so that ids are reused soon, but holds the changes between two
/// inspections.
const LOG: usize = 768;

/// A synthetic cluster.
pub(super) struct World {
    pub cache: Cache,
    pub maker: Maker,
    /// The kinds beyond nodes and pods that the plugin reads.
    kinds: Vec<Arc<ObjectKind>>,
    /// Whether the plugin reads pending pods.
    has_pending_pods: bool,
    /// The last change of the nodes with each name.
    history: BTreeMap<Box<str>, &'static str>,
}

impl World {
    /// Creates a cluster for a plugin with this declaration. [`Self::delta`] adds objects and pending pods, if the plugin
    /// reads them.
    pub fn new(maker: Maker, declaration: &Declaration) -> Self {
        let kinds = declaration.objects.iter().map(|reads| Arc::clone(&reads.kind)).collect();
        let has_pending_pods = declaration.pending_pods.is_some();
        let mut cache = Cache::with_log_of(LOG);
        cache.keep_pending_pods(has_pending_pods, Vec::new);
        let mut world = Self { cache, maker, kinds, has_pending_pods, history: BTreeMap::new() };
        for number in 0..NODES {
            let node = world.maker.node(&name(number));
            world.set_node(node, "unchanged since the start");
        }
        for _ in 0..NODES {
            world.bind();
        }
        world
    }

    /// Returns the last change of the nodes with this name.
    pub fn last_of(&self, node: &str) -> &'static str {
        self.history.get(node).copied().unwrap_or("unchanged")
    }

    /// Makes one random change.
    pub fn delta(&mut self) {
        self.change();
        // The events are for the queue, which does not exist here.
        drop(self.cache.take_events());
    }

    fn change(&mut self) {
        if self.cache.node_count() < FEWEST_NODES {
            return self.add_node();
        }
        if !self.kinds.is_empty() && self.maker.chance(10) {
            return self.change_object();
        }
        if self.has_pending_pods && self.maker.chance(15) {
            return self.change_pending_pods();
        }
        match self.maker.rng.u32(..100) {
            0..12 => self.add_node(),
            12..18 => self.remove_node(),
            18..24 => self.replace_node(),
            24..54 => self.change_node(nodes::CHANGEABLE, &NodeReads::default()),
            54..76 => self.bind(),
            76..85 => self.remove_pod(),
            85..93 => self.change_pod(),
            93..96 => self.assume_and_forget(),
            96..98 => self.bind_to_unknown_node(),
            _ => self.remove_and_restore_node(),
        }
    }

    /// Generates one or two of these facts of a random node again, except the names in `kept`. They may stay the same.
    pub fn change_node(&mut self, among: NodeFacts, kept: &NodeReads) {
        let facts: Vec<NodeFacts> = among.iter().collect();
        let (Some(before), false) = (self.any_node(), facts.is_empty()) else { return };
        let mut node = Node::clone(&before);
        let facts = self.maker.one(&facts) | self.maker.one(&facts);
        self.maker.change_node(&mut node, facts);
        keep_of_node(kept, &before, &mut node);
        self.set_node(node, "its facts changed");
    }

    /// Simulates a new list of nodes and pods: equal objects in a different order, without one random pod.
    pub fn relist(&mut self) {
        self.remove_pod();
        let mut nodes: Vec<Arc<Node>> = self.cache.nodes().map(|info| Arc::clone(&info.node)).collect();
        let mut pods: Vec<(Arc<Pod>, bool)> =
            self.cache.pods().map(|(_, cached)| (Arc::clone(&cached.pod), cached.assumed)).collect();
        self.maker.rng.shuffle(&mut nodes);
        self.maker.rng.shuffle(&mut pods);
        for node in nodes {
            self.cache.set_node(Arc::new(Node::clone(&node)));
        }
        for (pod, _) in pods.into_iter().filter(|(_, assumed)| !assumed) {
            self.cache.set_pod(Arc::new(Pod::clone(&pod)));
        }
        for pod in self.pending_pods() {
            self.cache.set_pending_pod(&Arc::new(Pod::clone(&pod)));
        }
    }

    /// Returns the same cluster in a new cache, with different ids of nodes, pods and images.
    pub fn renumbered(&mut self) -> Cache {
        let mut nodes: Vec<Arc<Node>> = self.cache.nodes().map(|info| Arc::clone(&info.node)).collect();
        let mut pods: Vec<Arc<Pod>> = self.cache.pods().map(|(_, cached)| Arc::clone(&cached.pod)).collect();
        self.maker.rng.shuffle(&mut nodes);
        self.maker.rng.shuffle(&mut pods);
        let mut pending = self.pending_pods();
        self.maker.rng.shuffle(&mut pending);
        let mut cache = Cache::default();
        cache.keep_pending_pods(self.has_pending_pods, || pending);
        for node in nodes {
            cache.set_node(node);
        }
        for pod in pods {
            cache.set_pod(pod);
        }
        for (_, cached) in self.cache.objects().iter() {
            cache.set_object(Arc::clone(&cached.object));
        }
        cache
    }

    fn pending_pods(&self) -> Vec<Arc<Pod>> {
        self.cache.pending_pods().map(|(_, pod)| Arc::clone(pod)).collect()
    }

    /// Returns the same cluster without nodes and pods.
    pub fn objects_alone(&self) -> Cache {
        let mut cache = Cache::default();
        for (_, cached) in self.cache.objects().iter() {
            cache.set_object(Arc::clone(&cached.object));
        }
        cache
    }

    fn set_node(&mut self, node: Node, change: &'static str) {
        self.history.insert(node.name.clone(), change);
        self.cache.set_node(Arc::new(node));
    }

    fn any_node(&mut self) -> Option<Arc<Node>> {
        let nodes: Vec<&Arc<Node>> = self.cache.nodes().map(|info| &info.node).collect();
        self.maker.rng.choice(nodes).map(Arc::clone)
    }

    fn any_pod(&mut self) -> Option<Arc<Pod>> {
        let pods: Vec<&Arc<Pod>> = self.cache.pods().map(|(_, cached)| &cached.pod).collect();
        self.maker.rng.choice(pods).map(Arc::clone)
    }

    fn absent_name(&mut self) -> Option<Box<str>> {
        let absent: Vec<Box<str>> = (0..NAMES).map(name).filter(|name| self.cache.node_id(name).is_none()).collect();
        self.maker.rng.choice(absent)
    }

    fn add_node(&mut self) {
        let Some(name) = self.absent_name() else { return self.remove_node() };
        let change = if self.history.contains_key(&name) { "added again with another uid" } else { "new" };
        let node = self.maker.node(&name);
        self.set_node(node, change);
    }

    fn remove_node(&mut self) {
        let Some(node) = self.any_node() else { return };
        self.history.insert(node.name.clone(), "removed");
        self.cache.remove_node(&node.name);
    }

    /// Replaces a node by one with the same name and a different uid in one change, without a removal before it.
    fn replace_node(&mut self) {
        let Some(node) = self.any_node() else { return };
        let node = self.maker.node(&node.name);
        self.set_node(node, "replaced by a node with the same name");
    }

    fn remove_and_restore_node(&mut self) {
        let Some(node) = self.any_node() else { return };
        self.cache.remove_node(&node.name);
        self.set_node(Node::clone(&node), "removed and added again unchanged");
    }

    fn pod_on(&mut self, node_name: Box<str>) -> Arc<Pod> {
        Arc::new(Pod { node_name, ..self.maker.pod() })
    }

    /// Adds a pod to a node: assumed, assumed and then reported, or only reported. In 10 % of the calls, adds nothing.
    fn bind(&mut self) {
        if self.cache.pods().count() >= MOST_PODS {
            return self.remove_pod();
        }
        let Some(node) = self.any_node() else { return };
        let pod = self.pod_on(node.name.clone());
        self.history.insert(node.name.clone(), "a pod was added to it");
        if self.maker.chance(50) {
            self.cache.assume(Arc::clone(&pod));
        }
        if self.maker.chance(80) {
            self.cache.set_pod(pod);
        }
    }

    /// Assumes a pod and forgets it, as after a failed binding.
    fn assume_and_forget(&mut self) {
        let Some(node) = self.any_node() else { return };
        let pod = self.pod_on(node.name.clone());
        self.history.insert(node.name.clone(), "a pod was assumed on it and forgotten");
        self.cache.assume(Arc::clone(&pod));
        self.cache.forget(&pod.key.uid);
    }

    fn bind_to_unknown_node(&mut self) {
        let Some(name) = self.absent_name() else { return };
        let pod = self.pod_on(name);
        self.cache.set_pod(pod);
    }

    /// Creates, replaces or removes an object. The object has none of the declared fields, because only the author of a
    /// kind knows their structure.
    fn change_object(&mut self) {
        let name = self.maker.one(&["one", "two", "three", "four"]).into();
        let key = ObjectKey { kind: self.maker.one(&self.kinds), namespace: "default".into(), name };
        if self.maker.chance(30) {
            self.cache.remove_object(&key);
        } else {
            let uid = format!("{:016x}", self.maker.rng.u64(..)).into();
            self.cache.set_object(Arc::new(Object { key, uid, fields: "{}".into() }));
        }
    }

    fn remove_pod(&mut self) {
        let Some(pod) = self.any_pod() else { return };
        self.history.insert(pod.node_name.clone(), "a pod was removed from it");
        self.cache.remove_pod(&pod.key.uid);
    }

    /// Adds, changes, removes or binds a pending pod.
    fn change_pending_pods(&mut self) {
        let pending = self.pending_pods();
        let known = self.maker.rng.choice(&pending).cloned();
        let (Some(pod), 40..) = (known, self.maker.rng.u32(..100)) else {
            if pending.len() < MOST_PENDING_PODS {
                self.cache.set_pending_pod(&Arc::new(self.maker.pod()));
            }
            return;
        };
        match self.maker.rng.u32(..3) {
            0 => {
                let mut changed = Pod::clone(&pod);
                let facts = self.one_or_two_of(pods::CHANGEABLE);
                self.maker.change_pod(&mut changed, facts);
                self.cache.set_pending_pod(&Arc::new(changed));
            }
            1 => self.cache.remove_pending_pod(&pod.key.uid),
            _ => {
                let Some(node) = self.any_node() else { return };
                self.history.insert(node.name.clone(), "a pending pod was bound to it");
                self.cache.remove_pending_pod(&pod.key.uid);
                self.cache.set_pod(Arc::new(Pod { node_name: node.name.clone(), ..Pod::clone(&pod) }));
            }
        }
    }

    fn one_or_two_of(&mut self, facts: PodFacts) -> PodFacts {
        let facts: Vec<PodFacts> = facts.iter().collect();
        self.maker.one(&facts) | self.maker.one(&facts)
    }

    /// Changes undeclared facts of a pod on a node and of a pending pod.
    pub fn change_pods_beyond(&mut self, declaration: &Declaration) {
        if let Some(pod) = self.any_pod() {
            // The node's record has sums over its pods. The host passes pods that are being deleted to post-filter.
            let mut kept = PodFacts::DELETION;
            kept.set(PodFacts::REQUESTS, declaration.node.facts.contains(NodeFacts::USAGE));
            kept.set(PodFacts::HOST_PORTS, declaration.node.facts.contains(NodeFacts::USED_PORTS));
            let changed =
                self.maker.changed_beyond(&declaration.resident_pods, &pod, pods::CHANGEABLE.difference(kept));
            self.history.insert(pod.node_name.clone(), "undeclared facts of a pod on it changed");
            self.cache.set_pod(changed);
        }
        let pending = self.pending_pods();
        if let (Some(pod), Some(reads)) = (self.maker.rng.choice(&pending), &declaration.pending_pods) {
            let changed = self.maker.changed_beyond(reads, pod, pods::CHANGEABLE);
            self.cache.set_pending_pod(&changed);
        }
    }

    fn change_pod(&mut self) {
        let Some(pod) = self.any_pod() else { return };
        let mut pod = Pod::clone(&pod);
        let facts = self.one_or_two_of(pods::CHANGEABLE);
        self.maker.change_pod(&mut pod, facts);
        self.history.insert(pod.node_name.clone(), "a pod on it changed");
        self.cache.set_pod(Arc::new(pod));
    }
}

fn name(number: u32) -> Box<str> {
    format!("node-{number}").into()
}
