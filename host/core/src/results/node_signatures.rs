//! Node signatures: nodes that are equal in the fields that a plugin reads have the same signature for it. A plugin's
//! answer about one of them is valid for all, so that a cluster with few kinds of machines needs few calls, whatever
//! the number of nodes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use hashbrown::HashTable;

use super::entry_at;
use crate::cache::{Cache, Change, NodeId, NodeInfo, Usage};
use crate::facts::NodeFacts;
use crate::model::{HostPort, Node};
use crate::reads::NodeReads;

/// Facts that nodes practically never share: the name and the list of pods. With one of these facts, each node gets a
/// signature of its own, and nodes are not compared.
const UNIQUE_FACTS: NodeFacts = NodeFacts::NAME.union(NodeFacts::PODS);

/// Node signatures without a node. Up to this many are kept, because a node often returns to an earlier state when a
/// pod leaves.
const MOST_SPARE: usize = 1024;

/// The signature number of a node that does not exist.
const NONE: u32 = u32::MAX;

/// The node signatures in use, for each set of fields that a plugin declared.
#[derive(Clone, Debug, Default)]
pub struct NodeSignatures {
    sets: Vec<FactNodeSignatures>,
}

/// The node signatures in one set of fields.
#[derive(Clone, Debug)]
pub struct FactNodeSignatures {
    reads: NodeReads,
    /// The facts of which a change may change the signature.
    touching: NodeFacts,
    /// The position up to which the change log was read.
    position: Option<u64>,
    /// Grows with every new signature.
    clock: u64,
    /// By signature number: the clock when the signature was created. The number of a dropped signature is used
    /// again.
    created: Vec<u64>,
    /// `None` if each node has a signature of its own, with the node's id as its number.
    shared: Option<SharedSignatures>,
    /// By node id: the node when its own signature was created. Only for a plugin that names keys or fields: a change of
    /// another label does not change the signature.
    named: Option<Vec<Option<Arc<Node>>>>,
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
    /// The values of the nodes when the signature was created.
    values: NodeInfo,
    /// The number of nodes with this signature.
    nodes: usize,
    /// The signature is in `spare`.
    is_spare: bool,
}

impl NodeSignatures {
    /// Returns the node signatures in these fields, updated to the current cluster.
    pub fn of(&mut self, reads: &NodeReads, cache: &Cache) -> &FactNodeSignatures {
        let at = self.sets.iter().position(|set| set.reads == *reads).unwrap_or_else(|| {
            self.sets.push(FactNodeSignatures::new(reads.clone()));
            self.sets.len() - 1
        });
        let set = &mut self.sets[at];
        set.catch_up(cache);
        set
    }

    /// Drops the sets of fields that no plugin reads any more.
    pub fn retain(&mut self, keep: impl Fn(&NodeReads) -> bool) {
        self.sets.retain(|set| keep(&set.reads));
    }
}

impl FactNodeSignatures {
    fn new(reads: NodeReads) -> Self {
        let shared = (!reads.facts.intersects(UNIQUE_FACTS)).then(SharedSignatures::default);
        let named = (shared.is_none() && !reads.has_no_names()).then(Vec::new);
        Self { touching: reads.touching(), reads, position: None, clock: 0, created: Vec::new(), shared, named }
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
                // A new node concerns every set of fields, also an empty one.
                Change::Node(node, facts) if facts.intersects(self.touching) || facts == NodeFacts::all() => {
                    self.update(node, facts, cache);
                }
                Change::NodeRemoved(node) => self.update(node, NodeFacts::all(), cache),
                _ => {}
            }),
            None => {
                self.created.clear();
                self.shared = self.shared.take().map(|_| SharedSignatures::default());
                cache.nodes().for_each(|info| self.update(info.id, NodeFacts::all(), cache));
            }
        }
    }

    /// Updates the signature of a node of which these facts changed; all facts of a node that was added or removed.
    fn update(&mut self, node: NodeId, facts: NodeFacts, cache: &Cache) {
        if let Some(shared) = &mut self.shared {
            if let Some(created) = shared.place(node, cache.node(node), &self.reads) {
                self.make(created as usize);
            }
        } else if self.have_names_changed(node, facts, cache) {
            self.make(node.0 as usize);
        }
    }

    /// Returns false if no fact, key or field changed that the plugin reads, for nodes with signatures of their own.
    fn have_names_changed(&mut self, node: NodeId, facts: NodeFacts, cache: &Cache) -> bool {
        let Some(named) = &mut self.named else { return true };
        let known = entry_at(named, node.0 as usize, None);
        let after = cache.node(node).map(|info| &info.node);
        if let (Some(before), Some(after)) = (&*known, after)
            && !self.reads.differ(facts, before, after)
        {
            return false;
        }
        *known = after.cloned();
        true
    }

    fn make(&mut self, number: usize) {
        self.clock += 1;
        *entry_at(&mut self.created, number, 0) = self.clock;
    }
}

impl SharedSignatures {
    /// Moves the node to the signature of its current values, or to none if `info` is `None`. Returns the number of the
    /// signature if it is new.
    fn place(&mut self, node: NodeId, info: Option<&NodeInfo>, reads: &NodeReads) -> Option<u32> {
        let values = info.map(|info| (info, hash(info, reads)));
        let known = values.and_then(|(info, hash)| self.find(hash, info, reads));
        let before = *entry_at(&mut self.of_node, node.0 as usize, NONE);
        if known.is_some_and(|known| known == before) {
            return None;
        }
        self.leave(before);
        let created = values.filter(|_| known.is_none()).map(|(info, hash)| self.make(hash, info, reads));
        let after = known.or(created).unwrap_or(NONE);
        self.of_node[node.0 as usize] = after;
        if let Some(signature) = self.node_signatures.get_mut(after as usize) {
            signature.nodes += 1;
        }
        created
    }

    fn find(&self, hash: u64, info: &NodeInfo, reads: &NodeReads) -> Option<u32> {
        self.by_hash.find(hash, |number| same(&self.node_signatures[*number as usize].values, info, reads)).copied()
    }

    fn make(&mut self, hash: u64, info: &NodeInfo, reads: &NodeReads) -> u32 {
        let signature = NodeSignature { hash, values: values_of(info, reads.facts), nodes: 0, is_spare: false };
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

/// Returns the values of a node that are compared. Usage and ports are only filled if they are among the facts.
fn values_of(info: &NodeInfo, facts: NodeFacts) -> NodeInfo {
    let usage = if facts.contains(NodeFacts::USAGE) { info.usage.clone() } else { Usage::default() };
    let used_ports = if facts.contains(NodeFacts::USED_PORTS) { info.used_ports.clone() } else { Vec::new() };
    let node = Arc::clone(&info.node);
    NodeInfo { id: info.id, node, images: Vec::new(), pods: Vec::new(), usage, used_ports }
}

/// Returns whether two nodes are equal in these fields.
fn same(a: &NodeInfo, b: &NodeInfo, reads: &NodeReads) -> bool {
    reads.facts.iter().all(|fact| Field::of(a, fact) == Field::of(b, fact)) && reads.have_equal_names(&a.node, &b.node)
}

fn hash(info: &NodeInfo, reads: &NodeReads) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for fact in reads.facts.iter() {
        Field::of(info, fact).hash(&mut hasher);
    }
    reads.hash_names(&info.node, &mut hasher);
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
    Info(&'a crate::model::NodeSystemInfo),
    Named(&'a crate::model::NamedFields),
}

impl<'a> Field<'a> {
    fn of(info: &'a NodeInfo, fact: NodeFacts) -> Self {
        let node = &*info.node;
        match fact {
            NodeFacts::LABELS => Self::Labels(&node.labels),
            NodeFacts::ANNOTATIONS => Self::Labels(&node.annotations),
            NodeFacts::TAINTS => Self::Taints(&node.taints),
            NodeFacts::UNSCHEDULABLE => Self::Flag(node.unschedulable),
            NodeFacts::ALLOCATABLE => Self::Resources(&node.allocatable),
            NodeFacts::USAGE => Self::Usage(&info.usage),
            NodeFacts::IMAGES => Self::Images(&node.images),
            NodeFacts::USED_PORTS => Self::Ports(&info.used_ports),
            NodeFacts::CONDITIONS => Self::Conditions(&node.conditions),
            NodeFacts::DECLARED_FEATURES => Self::Texts(&node.declared_features),
            NodeFacts::CAPACITY => Self::Resources(&node.capacity),
            NodeFacts::INFO => Self::Info(&node.info),
            NodeFacts::FIELDS => Self::Named(&node.fields),
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
    use crate::model::{Labels, Resources};

    fn node(name: &str, milli_cpu: i64, unschedulable: bool) -> Arc<Node> {
        let allocatable = Resources { milli_cpu, ..Resources::default() };
        Arc::new(Node { name: name.into(), unschedulable, allocatable, ..Node::default() })
    }

    #[test]
    fn every_group_of_facts_that_nodes_may_share_is_told_apart_by_its_own_field() {
        let info = NodeInfo::default();
        let shared = NodeFacts::all().difference(UNIQUE_FACTS | NodeFacts::UNSCHEDULABLE);
        for fact in shared.iter() {
            assert!(Field::of(&info, fact) != Field::Flag(false), "{fact:?} has no field");
        }
    }

    #[test]
    fn nodes_share_a_signature_as_far_as_they_are_equal() {
        let mut cache = Cache::default();
        ["a", "b"].into_iter().for_each(|name| cache.set_node(node(name, 1000, false)));
        cache.set_node(node("c", 2000, false));
        let mut node_signatures = NodeSignatures::default();
        let mut numbers = |facts: NodeFacts, cache: &Cache| {
            let node_signatures = node_signatures.of(&facts.into(), cache);
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

    #[test]
    fn nodes_share_a_signature_by_a_label_key() {
        let labelled = |name: &str, pool: &str| {
            let labels: Labels = [("kubernetes.io/hostname", name), ("pool", pool)].into_iter().collect();
            Arc::new(Node { labels, ..Node::clone(&node(name, 1000, false)) })
        };
        let mut cache = Cache::default();
        [("a", "x"), ("b", "x"), ("c", "y")].into_iter().for_each(|(name, pool)| cache.set_node(labelled(name, pool)));
        let shared = NodeReads::new(NodeFacts::empty(), [Box::from("pool")], [], []);
        let mut node_signatures = NodeSignatures::default();
        let mut numbers = |cache: &Cache| {
            let node_signatures = node_signatures.of(&shared, cache);
            let numbers = [0, 1, 2].map(|id| node_signatures.number(NodeId(id)).unwrap());
            (numbers, node_signatures.now())
        };
        let (before, clock) = numbers(&cache);
        assert!(before[0] == before[1] && before[1] != before[2]);
        cache.set_node(Arc::new(Node {
            labels: [("other", "1"), ("pool", "x")].into_iter().collect(),
            ..Node::clone(&node("a", 1000, false))
        }));
        assert_eq!(numbers(&cache), (before, clock), "another label changes no signature");
        cache.set_node(labelled("a", "y"));
        assert_eq!(numbers(&cache).0, [before[2], before[1], before[2]]);
    }

    #[test]
    fn another_label_does_not_change_a_signature_of_a_node_of_its_own() {
        let labelled = |pool: &str, other: &str| {
            let labels: Labels = [("pool", pool), ("other", other)].into_iter().collect();
            Arc::new(Node { labels, ..Node::clone(&node("a", 1000, false)) })
        };
        let reads = NodeReads::new(NodeFacts::NAME | NodeFacts::UNSCHEDULABLE, [Box::from("pool")], [], []);
        let mut node_signatures = NodeSignatures::default();
        let mut cache = Cache::default();
        cache.set_node(labelled("x", "1"));
        let mut clock = node_signatures.of(&reads, &cache).now();
        for (after, changed) in [
            (labelled("x", "2"), false),
            (labelled("y", "2"), true),
            (labelled("y", "3"), false),
            (Arc::new(Node { unschedulable: true, ..Node::clone(&labelled("y", "3")) }), true),
        ] {
            cache.set_node(after);
            let before = std::mem::replace(&mut clock, node_signatures.of(&reads, &cache).now());
            assert_eq!(clock > before, changed, "{:?}", cache.nodes().next());
        }
        cache.remove_node("a");
        cache.set_node(Arc::new(Node { uid: "2".into(), ..Node::clone(&labelled("y", "3")) }));
        assert!(node_signatures.of(&reads, &cache).now() > clock, "another node of this name is new");
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
                let node_signatures = node_signatures.of(&facts.into(), &cache);
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
                cache.nodes().filter_map(|info| node_signatures.of(&facts.into(), &cache).number(info.id)).collect();
            let expected = if facts.contains(NodeFacts::NAME) { cache.node_count() } else { cpus.len() };
            prop_assert_eq!(numbers.len(), expected);
        }
    }
}
