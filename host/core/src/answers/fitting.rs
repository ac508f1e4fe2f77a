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
    /// The same in order.
    listed: Arc<[NodeId]>,
}

impl Fitting {
    /// The nodes that have to be filtered again, for these filters, in order. They are so until [`Self::set`].
    pub fn stale(&mut self, cache: &Cache, filters: &[&Declaration]) -> Vec<NodeId> {
        let Some(stale) = self.followed.stale(cache, filters) else {
            self.nodes.clear();
            self.listed = Arc::default();
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
        let mut differs = false;
        let mut fit = fit.iter().peekable();
        for node in filtered {
            let fits = fit.next_if_eq(&node).is_some();
            let at = node.0 as usize;
            if self.nodes.contains(at) == fits {
                continue;
            }
            self.nodes.grow(at + 1);
            self.nodes.set(at, fits);
            differs = true;
        }
        if differs {
            self.listed = self.nodes.ones().filter_map(|at| u32::try_from(at).ok()).map(NodeId).collect();
        }
    }

    /// Whether pods fit on the node.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(node.0 as usize)
    }

    /// All of them, in order.
    #[must_use]
    pub fn nodes(&self) -> Arc<[NodeId]> {
        Arc::clone(&self.listed)
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() / 8 + self.listed.len() * size_of::<NodeId>()
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
        assert_eq!(*fitting.nodes(), []);
        fitting.set(&[c], &[c], &cache);
        assert_eq!(*fitting.nodes(), [c]);
        assert_eq!(fitting.stale(&cache, &[]), [], "nobody reads anything");
    }
}
