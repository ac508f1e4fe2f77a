//! The answers of one call about all nodes, stored by node signature.

use fixedbitset::FixedBitSet;

use super::node_signatures::FactNodeSignatures;
use super::stale::Stale;
use crate::cache::{Cache, NodeId};
use crate::plugins::Declaration;

/// Answers by node signature. An answer about a signature that was dropped counts as unknown.
#[derive(Clone, Debug, Default)]
pub struct Column<T> {
    /// Each answer with the clock of the node signatures when it was given; 0 for no answer.
    answers: Vec<(T, u64)>,
    /// The position up to which the change log was read.
    position: u64,
}

impl<T: Copy + Default> Column<T> {
    /// Drops all answers after a change that is not about a node and that a plugin of this declaration reads. Changes
    /// of nodes are handled by the node signatures.
    pub fn catch_up(&mut self, cache: &Cache, declaration: &Declaration) {
        // An empty column has no answers that a change could make stale.
        if !self.answers.is_empty() && self.position < cache.log().end_beyond_nodes() {
            let answers = &mut self.answers;
            Stale::catch_up(&mut self.position, cache, declaration, |stale| {
                if stale == Stale::All {
                    answers.clear();
                }
            });
        }
        self.position = cache.log().end();
    }

    /// Drops all answers.
    pub fn clear(&mut self) {
        self.answers.clear();
    }

    /// Returns the nodes to ask about: one for each node signature without an answer.
    #[must_use]
    pub fn missing(&self, node_signatures: &FactNodeSignatures, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut asked = FixedBitSet::with_capacity(node_signatures.len());
        let mut is_missing = |node: &&NodeId| match node_signatures.number(**node) {
            Some(signature) => self.known(node_signatures, signature).is_none() && !asked.put(signature),
            None => true,
        };
        nodes.iter().filter(|node| is_missing(node)).copied().collect()
    }

    /// Stores the answers about these nodes and all nodes of the same signatures. Both have the same length.
    pub fn set(
        &mut self,
        node_signatures: &FactNodeSignatures,
        nodes: &[NodeId],
        answers: impl IntoIterator<Item = T>,
    ) {
        self.answers.resize(node_signatures.len().max(self.answers.len()), (T::default(), 0));
        for (node, answer) in nodes.iter().zip(answers) {
            if let Some(signature) = node_signatures.number(*node) {
                self.answers[signature] = (answer, node_signatures.now());
            }
        }
    }

    /// Returns the answer about a node, or `None` if it is unknown.
    #[must_use]
    pub fn get(&self, node_signatures: &FactNodeSignatures, node: NodeId) -> Option<T> {
        self.known(node_signatures, node_signatures.number(node)?)
    }

    fn known(&self, node_signatures: &FactNodeSignatures, signature: usize) -> Option<T> {
        let (answer, then) = *self.answers.get(signature)?;
        node_signatures.is_of(signature, then).then_some(answer)
    }

    pub(super) fn bytes(&self) -> usize {
        self.answers.len() * size_of::<(T, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::node_signatures::NodeSignatures;
    use super::*;
    use crate::facts::{ClusterFacts, NodeFacts};
    use crate::model::{Effect, Node, Object, ObjectKey, ObjectKind, ObjectReads, Taint};

    const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];

    /// The answers of a plugin about two nodes.
    struct Kept {
        cache: Cache,
        node_signatures: NodeSignatures,
        column: Column<i64>,
        read: Declaration,
    }

    impl Kept {
        fn new(read: Declaration) -> Self {
            let mut cache = Cache::default();
            ["a", "b"].into_iter().for_each(|name| cache.set_node(node(name, 0)));
            let mut kept = Self { cache, node_signatures: NodeSignatures::default(), column: Column::default(), read };
            kept.column.catch_up(&kept.cache, &kept.read);
            kept
        }

        fn set(&mut self, nodes: &[NodeId], answers: &[i64]) {
            let node_signatures = self.node_signatures.of(self.read.node_facts, &self.cache);
            self.column.set(node_signatures, nodes, answers.iter().copied());
        }

        fn missing(&mut self) -> Vec<NodeId> {
            self.column.catch_up(&self.cache, &self.read);
            self.column.missing(self.node_signatures.of(self.read.node_facts, &self.cache), &NODES)
        }

        fn get(&mut self) -> [i64; 2] {
            let node_signatures = self.node_signatures.of(self.read.node_facts, &self.cache);
            NODES.map(|node| self.column.get(node_signatures, node).unwrap_or_default())
        }
    }

    fn node(name: &str, taints: usize) -> Arc<Node> {
        let taint = Taint { key: "k".into(), value: "".into(), effect: Effect::NoSchedule };
        Arc::new(Node { name: name.into(), taints: vec![taint; taints], ..Node::default() })
    }

    #[test]
    fn only_what_changed_in_facts_that_are_read_is_asked_again() {
        let node_facts = NodeFacts::TAINTS | NodeFacts::NAME;
        let mut kept = Kept::new(Declaration { node_facts, ..Declaration::default() });
        kept.set(&NODES, &[1, 2]);
        kept.cache.set_node(Arc::new(Node { unschedulable: true, ..Node::clone(&node("a", 0)) }));
        assert_eq!(kept.missing(), []);
        kept.cache.set_node(node("a", 1));
        assert_eq!((kept.missing(), kept.get()), (vec![NodeId(0)], [0, 2]));
    }

    #[test]
    fn one_of_those_that_are_alike_is_asked_about() {
        let mut kept = Kept::new(Declaration { node_facts: NodeFacts::TAINTS, ..Declaration::default() });
        assert_eq!(kept.missing(), [NodeId(0)]);
        kept.set(&[NodeId(0)], &[1]);
        assert_eq!((kept.missing(), kept.get()), (vec![], [1, 1]));
        kept.cache.set_node(node("b", 1));
        assert_eq!(kept.missing(), [NodeId(1)]);
        kept.set(&[NodeId(1)], &[2]);
        assert_eq!(kept.get(), [1, 2]);
        kept.cache.set_node(node("b", 0));
        kept.cache.set_node(node("a", 1));
        assert_eq!((kept.missing(), kept.get()), (vec![], [2, 1]), "both were known so");
    }

    #[test]
    fn a_cluster_fact_makes_all_of_it_stale() {
        let cluster_facts = ClusterFacts::NODE_COUNT;
        let mut kept = Kept::new(Declaration { node_facts: NodeFacts::NAME, cluster_facts, ..Declaration::default() });
        kept.set(&NODES, &[7, 7]);
        kept.cache.set_node(node("c", 0));
        assert_eq!(kept.missing(), NODES);
    }

    #[test]
    fn an_object_makes_all_of_it_stale_where_its_kind_is_read() {
        let kind = |name: &str| Arc::new(ObjectKind { api_version: "v1".into(), kind: name.into() });
        let object = |name: &str| {
            let key = ObjectKey { kind: kind(name), namespace: "default".into(), name: "a".into() };
            Arc::new(Object { key, ..Object::default() })
        };
        let reads = ObjectReads { kind: kind("Service"), ..ObjectReads::default() };
        let mut kept = Kept::new(Declaration { objects: vec![reads], ..Declaration::default() });
        kept.set(&[NodeId(0)], &[7]);
        kept.cache.set_object(object("Secret"));
        assert_eq!(kept.missing(), []);
        kept.cache.set_object(object("Service"));
        assert_eq!(kept.missing(), [NodeId(0)]);
    }
}
