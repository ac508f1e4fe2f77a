//! One kind of answer over all nodes, by node id, with what is known of it.

use fixedbitset::FixedBitSet;

use super::stale::Stale;
use crate::cache::{Cache, NodeId};
use crate::plugins::Declaration;

/// Answers by node id. Those that became stale are unknown again.
#[derive(Clone, Debug, Default)]
pub struct Column<T> {
    values: Vec<T>,
    known: FixedBitSet,
    /// Up to where the change log has been followed.
    position: u64,
}

impl<T: Copy + Default> Column<T> {
    /// Forgets what the changes since the last time made stale, for a plugin of this declaration.
    pub fn catch_up(&mut self, cache: &Cache, declaration: &Declaration) {
        let known = &mut self.known;
        Stale::catch_up(&mut self.position, cache, declaration, |stale| match stale {
            Stale::Nothing => {}
            Stale::Node(node) if (node.0 as usize) < known.len() => known.remove(node.0 as usize),
            Stale::Node(_) => {}
            Stale::All => known.clear(),
        });
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Those of `nodes` about which nothing is known.
    #[must_use]
    pub fn missing(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        nodes.iter().copied().filter(|node| !self.known.contains(node.0 as usize)).collect()
    }

    /// These are the answers about these nodes; both of one length.
    pub fn set(&mut self, nodes: &[NodeId], answers: impl IntoIterator<Item = T>) {
        for (node, answer) in nodes.iter().zip(answers) {
            let at = node.0 as usize;
            if at >= self.values.len() {
                self.values.resize(at + 1, T::default());
                self.known.grow(at + 1);
            }
            self.values[at] = answer;
            self.known.insert(at);
        }
    }

    /// The answer about a node; the default where nothing is known.
    #[must_use]
    pub fn get(&self, node: NodeId) -> T {
        self.values.get(node.0 as usize).copied().unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.values.len() * size_of::<T>() + self.known.len() / 8
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::{ClusterFacts, NodeFacts};
    use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Taint};

    fn cache_of(nodes: &[&str]) -> Cache {
        let mut cache = Cache::default();
        for name in nodes {
            cache.set_node(Arc::new(Node { name: (*name).into(), ..Node::default() }));
        }
        cache
    }

    #[test]
    fn only_what_changed_in_facts_that_are_read_is_asked_again() {
        let mut cache = cache_of(&["a", "b"]);
        let nodes = [NodeId(0), NodeId(1)];
        let read = Declaration { node_facts: NodeFacts::TAINTS, ..Declaration::default() };
        let mut column = Column::default();
        column.catch_up(&cache, &read);
        column.set(&nodes, [1u16, 2]);

        let unschedulable = Node { name: "a".into(), unschedulable: true, ..Node::default() };
        cache.set_node(Arc::new(unschedulable.clone()));
        column.catch_up(&cache, &read);
        assert_eq!(column.missing(&nodes), []);

        let taint = Taint { key: "k".into(), value: "".into(), effect: crate::model::Effect::NoSchedule };
        cache.set_node(Arc::new(Node { taints: vec![taint], ..unschedulable }));
        column.catch_up(&cache, &read);
        assert_eq!(column.missing(&nodes), [NodeId(0)]);
        assert_eq!(column.get(NodeId(1)), 2);
    }

    #[test]
    fn a_cluster_fact_makes_all_of_it_stale() {
        let mut cache = cache_of(&["a"]);
        let read = Declaration { cluster_facts: ClusterFacts::NODE_COUNT, ..Declaration::default() };
        let mut column = Column::default();
        column.catch_up(&cache, &read);
        column.set(&[NodeId(0)], [7i64]);
        cache.set_node(Arc::new(Node { name: "b".into(), ..Node::default() }));
        column.catch_up(&cache, &read);
        assert_eq!(column.missing(&[NodeId(0)]), [NodeId(0)]);
    }

    #[test]
    fn an_object_makes_all_of_it_stale_where_its_kind_is_read() {
        let kind = |name: &str| Arc::new(ObjectKind { api_version: "v1".into(), kind: name.into() });
        let object = |name: &str| {
            let key = ObjectKey { kind: kind(name), namespace: "default".into(), name: "a".into() };
            Arc::new(Object { key, ..Object::default() })
        };
        let mut cache = cache_of(&["a"]);
        let reads = ObjectReads { kind: kind("Service"), ..ObjectReads::default() };
        let read = Declaration { objects: vec![reads], ..Declaration::default() };
        let mut column = Column::default();
        column.catch_up(&cache, &read);
        column.set(&[NodeId(0)], [7i64]);

        cache.set_object(object("Secret"));
        column.catch_up(&cache, &read);
        assert_eq!(column.missing(&[NodeId(0)]), []);

        cache.set_object(object("Service"));
        column.catch_up(&cache, &read);
        assert_eq!(column.missing(&[NodeId(0)]), [NodeId(0)]);
    }
}
