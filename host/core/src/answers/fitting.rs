//! The nodes that pods of one kind fit on, followed from change to change.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::stale::Followed;
use crate::cache::{Cache, NodeId};
use crate::plugins::Declaration;

/// The nodes that no filter of a profile rejects, for pods that are one template to each of them.
#[derive(Clone, Debug, Default)]
pub struct Fitting {
    followed: Followed,
    nodes: FixedBitSet,
    /// How many they are.
    len: usize,
    /// The same in order, where they were asked for as they are.
    listed: Option<Arc<[NodeId]>>,
}

impl Fitting {
    /// The nodes that have to be filtered again, for these filters, in order. They are so until [`Self::set`].
    pub fn stale(&mut self, cache: &Cache, filters: &[&Declaration]) -> Vec<NodeId> {
        let Some(stale) = self.followed.stale(cache, filters, Vec::new()) else {
            self.nodes.clear();
            (self.len, self.listed) = (0, None);
            return cache.nodes().map(|info| info.id).collect();
        };
        let (there, gone): (Vec<NodeId>, _) = stale.into_iter().partition(|node| cache.node(*node).is_some());
        self.write(&gone, &[]);
        there
    }

    /// Of those that are stale, these fit; both in order.
    pub fn set(&mut self, stale: &[NodeId], fit: &[NodeId], cache: &Cache) {
        self.write(stale, fit);
        self.followed.caught_up(cache);
    }

    fn write(&mut self, filtered: &[NodeId], fit: &[NodeId]) {
        let mut fit = fit.iter().peekable();
        self.nodes.grow(filtered.last().map_or(0, |last| last.0 as usize + 1));
        for node in filtered {
            let fits = fit.next_if_eq(&node).is_some();
            let at = node.0 as usize;
            if self.nodes.contains(at) == fits {
                continue;
            }
            self.nodes.set(at, fits);
            self.len = if fits { self.len + 1 } else { self.len - 1 };
            self.listed = None;
        }
    }

    /// Whether pods fit on the node.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(node.0 as usize)
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether pods fit on no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.ones().filter_map(|at| u32::try_from(at).ok()).map(NodeId)
    }

    /// The same as a list, which takes far more room and is kept until they change.
    #[must_use]
    pub fn nodes(&mut self) -> Arc<[NodeId]> {
        let listed = self.listed.take().unwrap_or_else(|| self.iter().collect());
        Arc::clone(self.listed.insert(listed))
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() / 8 + self.listed.as_ref().map_or(0, |listed| listed.len()) * size_of::<NodeId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NodeFacts;
    use crate::model::Node;

    fn node(name: &str, unschedulable: bool) -> Arc<Node> {
        Arc::new(Node { name: name.into(), unschedulable, ..Node::default() })
    }

    #[test]
    fn asks_again_about_what_changed_and_forgets_what_went() {
        let mut cache = Cache::default();
        let filter = Declaration { node_facts: NodeFacts::TAINTS, ..Declaration::default() };
        let (a, b, c) = (NodeId(0), NodeId(1), NodeId(2));
        cache.set_node(node("a", false));
        cache.set_node(node("b", false));
        let mut fitting = Fitting::default();
        assert_eq!(fitting.stale(&cache, &[&filter]), [a, b]);
        assert_eq!(fitting.stale(&cache, &[&filter]), [a, b], "as long as nobody says what fits");
        fitting.set(&[a, b], &[b], &cache);
        assert_eq!((&*fitting.nodes(), fitting.contains(a), fitting.contains(b)), (&[b][..], false, true));
        assert_eq!(fitting.stale(&cache, &[&filter]), []);

        cache.set_node(node("a", true));
        assert_eq!(fitting.stale(&cache, &[&filter]), [], "a fact that is not read");
        cache.set_node(node("c", false));
        cache.remove_node("b");
        assert_eq!(fitting.stale(&cache, &[&filter]), [c]);
        assert_eq!((fitting.len(), &*fitting.nodes()), (0, &[][..]));
        fitting.set(&[c], &[c], &cache);
        assert_eq!((fitting.len(), &*fitting.nodes()), (1, &[c][..]));
        assert_eq!(fitting.stale(&cache, &[]), [], "nobody reads anything");
    }
}
