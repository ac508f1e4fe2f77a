//! Node signatures: nodes that are equal in the facts that a plugin reads have the same signature for it. A plugin's
//! answer about one of them is valid for all, so that a cluster with few kinds of machines needs few calls, whatever
//! the number of nodes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use hashbrown::HashTable;

use crate::cache::{Cache, Change, NodeId, NodeInfo, Usage};
use crate::facts::NodeFacts;
use crate::model::{HostPort, Node};

/// Facts that nodes practically never share: the name and the list of pods. With one of these facts, each node gets a
/// signature of its own, and nodes are not compared.
const UNIQUE_FACTS: NodeFacts = NodeFacts::NAME.union(NodeFacts::PODS);

/// Node signatures without a node. Up to this many are kept, because a node often returns to an earlier state when a
/// pod leaves.
const MOST_SPARE: usize = 1024;

/// The signature number of a node that does not exist.
const NONE: u32 = u32::MAX;

/// The node signatures in use, for each set of facts that a plugin declared.
#[derive(Clone, Debug, Default)]
pub struct NodeSignatures {
    sets: Vec<FactNodeSignatures>,
}

/// The node signatures in one set of facts.
#[derive(Clone, Debug)]
pub struct FactNodeSignatures {
    facts: NodeFacts,
    /// The position up to which the change log was read.
    position: Option<u64>,
    /// Grows with every new signature.
    clock: u64,
    /// By signature number: the clock when the signature was created. The number of a dropped signature is used
    /// again.
    created: Vec<u64>,
    /// `None` if each node has a signature of its own, with the node's id as its number.
    shared: Option<SharedSignatures>,
}

/// Nodes grouped by signature.
#[derive(Clone, Debug, Default)]
struct SharedSignatures {
    /// By node id: the number of its signature, or [`NONE`].
    of_node: Vec<u32>,
    /// By signature number.
    node_signatures: Vec<NodeSignature>,
    by_hash: HashTable<u32>,
    /// Signatures that lost their last node, in this order. Some have nodes again.
    spare: std::collections::VecDeque<u32>,
}

/// One node signature.
#[derive(Clone, Debug)]
struct NodeSignature {
    hash: u64,
    values: NodeValues,
    /// The number of nodes with this signature.
    nodes: usize,
    /// The signature is in `spare`.
    is_spare: bool,
}

/// The values of a node at the time when the signature was created. Usage and ports are only filled if they are among
/// the facts.
#[derive(Clone, Debug)]
struct NodeValues {
    node: Arc<Node>,
    usage: Usage,
    used_ports: Vec<HostPort>,
}

impl NodeSignatures {
    /// Returns the node signatures in these facts, updated to the current cluster.
    pub fn of(&mut self, facts: NodeFacts, cache: &Cache) -> &FactNodeSignatures {
        let at = self.sets.iter().position(|set| set.facts == facts).unwrap_or_else(|| {
            self.sets.push(FactNodeSignatures::new(facts));
            self.sets.len() - 1
        });
        let set = &mut self.sets[at];
        set.catch_up(cache);
        set
    }

    /// Drops the sets of facts that no plugin reads any more.
    pub fn retain(&mut self, keep: impl Fn(NodeFacts) -> bool) {
        self.sets.retain(|set| keep(set.facts));
    }
}

impl FactNodeSignatures {
    fn new(facts: NodeFacts) -> Self {
        let shared = (!facts.intersects(UNIQUE_FACTS)).then(SharedSignatures::default);
        Self { facts, position: None, clock: 0, created: Vec::new(), shared }
    }

    /// Returns the number of the node's signature, or `None` if the node has none. A node in the cluster always has
    /// one. Numbers are dense.
    pub(super) fn number(&self, node: NodeId) -> Option<usize> {
        let own = node.0 as usize;
        let number = self.shared.as_ref().map_or(Some(own), |shared| Some(*shared.of_node.get(own)? as usize))?;
        (number < self.created.len()).then_some(number)
    }

    /// Returns the upper limit of numbers, exclusive.
    pub(super) fn len(&self) -> usize {
        self.created.len()
    }

    /// Returns the clock, to store with an answer that is given now.
    pub(super) fn now(&self) -> u64 {
        self.clock
    }

    /// Returns whether an answer about this signature number, stored with clock `then`, is about the current meaning
    /// of the number. The clock of an answer is never 0.
    pub(super) fn is_of(&self, number: usize, then: u64) -> bool {
        self.created.get(number).is_some_and(|created| *created <= then)
    }

    fn catch_up(&mut self, cache: &Cache) {
        let log = cache.log();
        let position = self.position.replace(log.end());
        if position == self.position {
            return;
        }
        match position.and_then(|position| log.since(position)) {
            Some(changes) => changes.for_each(|change| match change {
                // A new node concerns every set of facts, also an empty one.
                Change::Node(node, facts) if facts.intersects(self.facts) || facts == NodeFacts::all() => {
                    self.update(node, cache);
                }
                Change::NodeRemoved(node) => self.update(node, cache),
                _ => {}
            }),
            None => {
                self.created.clear();
                self.shared = self.shared.take().map(|_| SharedSignatures::default());
                cache.nodes().for_each(|info| self.update(info.id, cache));
            }
        }
    }

    /// Updates the signature of a node that was added, changed or removed.
    fn update(&mut self, node: NodeId, cache: &Cache) {
        match &mut self.shared {
            None => self.make(node.0 as usize),
            Some(shared) => {
                if let Some(created) = shared.place(node, cache.node(node), self.facts) {
                    self.make(created as usize);
                }
            }
        }
    }

    fn make(&mut self, number: usize) {
        if number >= self.created.len() {
            self.created.resize(number + 1, 0);
        }
        self.clock += 1;
        self.created[number] = self.clock;
    }
}

impl SharedSignatures {
    /// Moves the node to the signature of its current values, or to none if `info` is `None`. Returns the number of the
    /// signature if it is new.
    fn place(&mut self, node: NodeId, info: Option<&NodeInfo>, facts: NodeFacts) -> Option<u32> {
        let at = node.0 as usize;
        if at >= self.of_node.len() {
            self.of_node.resize(at + 1, NONE);
        }
        let hash = info.map(|info| hash(info, facts));
        let known = info.zip(hash).and_then(|(info, hash)| self.find(hash, info, facts));
        let before = self.of_node[at];
        if known.is_some_and(|known| known == before) {
            return None;
        }
        self.leave(before);
        let created = match known {
            None => info.zip(hash).map(|(info, hash)| self.make(hash, info, facts)),
            Some(_) => None,
        };
        let after = known.or(created).unwrap_or(NONE);
        self.of_node[at] = after;
        if let Some(signature) = self.node_signatures.get_mut(after as usize) {
            signature.nodes += 1;
        }
        created
    }

    fn find(&self, hash: u64, info: &NodeInfo, facts: NodeFacts) -> Option<u32> {
        self.by_hash.find(hash, |number| self.node_signatures[*number as usize].values.is(info, facts)).copied()
    }

    fn make(&mut self, hash: u64, info: &NodeInfo, facts: NodeFacts) -> u32 {
        let signature = NodeSignature { hash, values: NodeValues::of(info, facts), nodes: 0, is_spare: false };
        let number = match self.take_spare() {
            Some(number) => {
                self.node_signatures[number as usize] = signature;
                number
            }
            None => {
                self.node_signatures.push(signature);
                self.node_signatures.len() as u32 - 1
            }
        };
        let node_signatures = &self.node_signatures;
        self.by_hash.insert_unique(hash, number, |number| node_signatures[*number as usize].hash);
        number
    }

    /// If there are too many signatures without nodes, drops the oldest and returns its number.
    fn take_spare(&mut self) -> Option<u32> {
        while self.spare.len() > MOST_SPARE {
            let number = self.spare.pop_front()?;
            let signature = &mut self.node_signatures[number as usize];
            signature.is_spare = false;
            if signature.nodes == 0 {
                if let Ok(entry) = self.by_hash.find_entry(signature.hash, |other| *other == number) {
                    entry.remove();
                }
                return Some(number);
            }
        }
        None
    }

    fn leave(&mut self, number: u32) {
        let Some(signature) = self.node_signatures.get_mut(number as usize) else { return };
        signature.nodes -= 1;
        if signature.nodes == 0 && !std::mem::replace(&mut signature.is_spare, true) {
            self.spare.push_back(number);
        }
    }
}

impl NodeValues {
    fn of(info: &NodeInfo, facts: NodeFacts) -> Self {
        let usage = facts.contains(NodeFacts::USAGE).then(|| info.usage.clone());
        let used_ports = facts.contains(NodeFacts::USED_PORTS).then(|| info.used_ports.clone());
        Self {
            node: Arc::clone(&info.node),
            usage: usage.unwrap_or_default(),
            used_ports: used_ports.unwrap_or_default(),
        }
    }

    fn is(&self, info: &NodeInfo, facts: NodeFacts) -> bool {
        let Self { node, usage, used_ports } = self;
        facts.iter().all(|fact| Field::of(node, usage, used_ports, fact) == Field::of_node(info, fact))
    }
}

fn hash(info: &NodeInfo, facts: NodeFacts) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for fact in facts.iter() {
        Field::of_node(info, fact).hash(&mut hasher);
    }
    hasher.finish()
}

/// The value of one group of facts. This is the only place that lists the fields of each group.
#[derive(PartialEq, Eq, Hash)]
enum Field<'a> {
    Labels(&'a crate::model::Labels),
    Taints(&'a [crate::model::Taint]),
    Flag(bool),
    Resources(&'a crate::model::Resources),
    Usage(&'a Usage),
    Images(&'a [crate::model::NodeImage]),
    Ports(&'a [HostPort]),
    Conditions(&'a [crate::model::Condition]),
    Texts(&'a [Box<str>]),
}

impl<'a> Field<'a> {
    fn of_node(info: &'a NodeInfo, fact: NodeFacts) -> Self {
        Self::of(&info.node, &info.usage, &info.used_ports, fact)
    }

    fn of(node: &'a Node, usage: &'a Usage, used_ports: &'a [HostPort], fact: NodeFacts) -> Self {
        match fact {
            NodeFacts::LABELS => Self::Labels(&node.labels),
            NodeFacts::ANNOTATIONS => Self::Labels(&node.annotations),
            NodeFacts::TAINTS => Self::Taints(&node.taints),
            NodeFacts::UNSCHEDULABLE => Self::Flag(node.unschedulable),
            NodeFacts::ALLOCATABLE => Self::Resources(&node.allocatable),
            NodeFacts::USAGE => Self::Usage(usage),
            NodeFacts::IMAGES => Self::Images(&node.images),
            NodeFacts::USED_PORTS => Self::Ports(used_ports),
            NodeFacts::CONDITIONS => Self::Conditions(&node.conditions),
            NodeFacts::DECLARED_FEATURES => Self::Texts(&node.declared_features),
            // These facts are never compared: see `UNIQUE_FACTS`.
            _ => Self::Flag(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::Resources;

    fn node(name: &str, milli_cpu: i64, unschedulable: bool) -> Arc<Node> {
        let allocatable = Resources { milli_cpu, ..Resources::default() };
        Arc::new(Node { name: name.into(), unschedulable, allocatable, ..Node::default() })
    }

    #[test]
    fn every_group_of_facts_that_nodes_may_share_is_told_apart_by_its_own_field() {
        let info = NodeInfo::default();
        let shared = NodeFacts::all().difference(UNIQUE_FACTS | NodeFacts::UNSCHEDULABLE);
        for fact in shared.iter() {
            assert!(Field::of_node(&info, fact) != Field::Flag(false), "{fact:?} has no field");
        }
    }

    #[test]
    fn nodes_share_a_signature_as_far_as_they_are_equal() {
        let mut cache = Cache::default();
        ["a", "b"].into_iter().for_each(|name| cache.set_node(node(name, 1000, false)));
        cache.set_node(node("c", 2000, false));
        let mut node_signatures = NodeSignatures::default();
        let mut numbers = |facts, cache: &Cache| {
            let node_signatures = node_signatures.of(facts, cache);
            [0, 1, 2].map(|id| node_signatures.number(NodeId(id)).unwrap())
        };
        let [a, b, c] = numbers(NodeFacts::ALLOCATABLE, &cache);
        assert!(a == b && b != c);
        let [a, b, c] = numbers(NodeFacts::UNSCHEDULABLE, &cache);
        assert!(a == b && b == c);
        let [a, b, c] = numbers(NodeFacts::empty(), &cache);
        assert!(a == b && b == c);
        let [a, b, c] = numbers(NodeFacts::UNSCHEDULABLE | NodeFacts::NAME, &cache);
        assert!(a != b && b != c && a != c);
        cache.set_node(node("c", 1000, true));
        let [a, b, c] = numbers(NodeFacts::ALLOCATABLE, &cache);
        assert!(a == b && b == c);
    }

    proptest! {
        /// An answer stored by signature always belongs to an equal node, whatever nodes are added, changed or
        /// removed, and however many signatures there were.
        #[test]
        fn an_answer_is_only_used_for_equal_nodes(
            changes in prop::collection::vec((0usize..6, prop::option::weighted(0.8, 0i64..4000)), 1..60),
            facts in prop::sample::select(vec![NodeFacts::ALLOCATABLE, NodeFacts::ALLOCATABLE | NodeFacts::NAME]),
            many in 0i64..3,
        ) {
            const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
            let mut cache = Cache::default();
            let mut node_signatures = NodeSignatures::default();
            let mut answers: BTreeMap<usize, (i64, u64)> = BTreeMap::new();
            // With 2048 values, more than `MOST_SPARE` signatures lose their node, so that some are dropped and their
            // numbers are used again.
            let first = (0..many * MOST_SPARE as i64).map(|n| (5, Some(n)));
            for (at, cpu) in first.chain(changes) {
                match cpu {
                    Some(cpu) => cache.set_node(node(NAMES[at], cpu, false)),
                    None => cache.remove_node(NAMES[at]),
                }
                let node_signatures = node_signatures.of(facts, &cache);
                for info in cache.nodes() {
                    let number = node_signatures.number(info.id).unwrap();
                    prop_assert!(number < node_signatures.len());
                    let truth = info.node.allocatable.milli_cpu;
                    match answers.get(&number).filter(|(_, then)| node_signatures.is_of(number, *then)) {
                        Some((answer, _)) => prop_assert_eq!(*answer, truth),
                        None => drop(answers.insert(number, (truth, node_signatures.now()))),
                    }
                }
            }
            let cpus: std::collections::BTreeSet<i64> = cache.nodes().map(|info| info.node.allocatable.milli_cpu).collect();
            let numbers: std::collections::BTreeSet<usize> =
                cache.nodes().filter_map(|info| node_signatures.of(facts, &cache).number(info.id)).collect();
            let expected = if facts.contains(NodeFacts::NAME) { cache.node_count() } else { cpus.len() };
            prop_assert_eq!(numbers.len(), expected);
        }
    }
}
