//! A synthetic cluster and its random changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::facts::NodeFacts;
use berth_core::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod};

use super::maker::Maker;
use super::{nodes, pods};

/// The number of different node names.
const NAMES: u32 = 40;
/// The initial number of nodes.
const NODES: u32 = 24;
/// The number of nodes below which the next change adds a node.
const FEWEST_NODES: usize = 8;
/// The number of pods from which on [`World::bind`] removes a pod instead of adding one.
const MOST_PODS: usize = 80;
/// The capacity of the change log. It is small, so that ids are reused soon, but holds the changes between two
/// inspections.
const LOG: usize = 768;

/// A synthetic cluster.
pub(super) struct World {
    pub cache: Cache,
    pub maker: Maker,
    /// The kinds beyond nodes and pods that the plugin reads.
    kinds: Vec<Arc<ObjectKind>>,
    /// The last change of the nodes with each name.
    history: BTreeMap<Box<str>, &'static str>,
}

impl World {
    /// Creates a cluster with nodes and pods. [`Self::delta`] adds the objects of these kinds.
    pub fn new(maker: Maker, objects: &[ObjectReads]) -> Self {
        let kinds = objects.iter().map(|reads| Arc::clone(&reads.kind)).collect();
        let mut world = Self { cache: Cache::with_log_of(LOG), maker, kinds, history: BTreeMap::new() };
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
        match self.maker.rng.u32(..100) {
            0..12 => self.add_node(),
            12..18 => self.remove_node(),
            18..24 => self.replace_node(),
            24..54 => self.change_node(nodes::CHANGEABLE),
            54..76 => self.bind(),
            76..85 => self.remove_pod(),
            85..93 => self.change_pod(),
            93..96 => self.assume_and_forget(),
            96..98 => self.bind_to_unknown_node(),
            _ => self.remove_and_restore_node(),
        }
    }

    /// Generates one or two of these facts of a random node again. They may stay the same.
    pub fn change_node(&mut self, among: NodeFacts) {
        let facts: Vec<NodeFacts> = among.iter().collect();
        let (Some(node), false) = (self.any_node(), facts.is_empty()) else { return };
        let mut node = Node::clone(&node);
        let facts = self.maker.one(&facts) | self.maker.one(&facts);
        self.maker.change_node(&mut node, facts);
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
    }

    /// Returns the same cluster in a new cache, with different ids of nodes, pods and images.
    pub fn renumbered(&mut self) -> Cache {
        let mut nodes: Vec<Arc<Node>> = self.cache.nodes().map(|info| Arc::clone(&info.node)).collect();
        let mut pods: Vec<Arc<Pod>> = self.cache.pods().map(|(_, cached)| Arc::clone(&cached.pod)).collect();
        self.maker.rng.shuffle(&mut nodes);
        self.maker.rng.shuffle(&mut pods);
        let mut cache = Cache::default();
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

    fn change_pod(&mut self) {
        let Some(pod) = self.any_pod() else { return };
        let mut pod = Pod::clone(&pod);
        let facts: Vec<_> = pods::CHANGEABLE.iter().collect();
        let facts = self.maker.one(&facts) | self.maker.one(&facts);
        self.maker.change_pod(&mut pod, facts);
        self.history.insert(pod.node_name.clone(), "a pod on it changed");
        self.cache.set_pod(Arc::new(pod));
    }
}

fn name(number: u32) -> Box<str> {
    format!("node-{number}").into()
}
