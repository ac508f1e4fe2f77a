//! Candidate index, first part: the nodes that pods of the same signatures fit on, updated from the change log.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::stale::LogCursor;
use crate::cache::{Cache, NodeId};
use crate::plugins::Declaration;

/// The nodes that none of a list of filters rejects, for pods that have the same signature for each of
/// these filters.
#[derive(Clone, Debug, Default)]
pub struct Fitting {
    followed: LogCursor,
    nodes: FixedBitSet,
    /// The number of nodes.
    len: usize,
    /// The nodes in order, if they were requested since the last change.
    listed: Option<Arc<[NodeId]>>,
}

impl Fitting {
    /// Returns the nodes that have to be filtered again for these filters, in order. They stay stale until
    /// [`Self::set`].
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

    /// Stores the result for the stale nodes: `fit` are the ones that fit. Both are in order.
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

    /// Returns whether pods fit on the node.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(node.0 as usize)
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether pods fit on no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns all nodes, in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.ones().filter_map(|at| u32::try_from(at).ok()).map(NodeId)
    }

    /// Returns all nodes as a list. The list takes much more memory than the bit set and is kept until the nodes
    /// change.
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
