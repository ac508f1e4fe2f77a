//! Determines which cached answers a change of the cluster makes stale.

use crate::cache::{Cache, Change, KindId, NodeId};
use crate::facts::{ClusterFacts, NodeFacts};
use crate::plugins::Declaration;

/// The nodes about which a plugin has to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stale {
    /// No node.
    Nothing,
    /// This node, which may have been removed.
    Node(NodeId),
    /// Every node.
    All,
}

impl Stale {
    /// Returns what this change makes stale for a plugin of this declaration. `touching` are the facts of nodes that
    /// concern the plugin ([`crate::reads::NodeReads::touching`]), which the caller determines once for many changes.
    pub fn by(change: Change, cache: &Cache, declaration: &Declaration, touching: NodeFacts) -> Self {
        match change {
            Change::Node(node, facts) if facts.intersects(touching) => Self::Node(node),
            Change::NodeRemoved(node) => Self::Node(node),
            _ => Self::by_cluster(change, cache, declaration.cluster_facts, &[declaration]),
        }
    }

    /// Returns what a change that is not about a node makes stale, for plugins that together read these cluster
    /// facts.
    pub fn by_cluster(change: Change, cache: &Cache, facts: ClusterFacts, plugins: &[&Declaration]) -> Self {
        match change {
            Change::PendingPod(_) | Change::PendingPodRemoved(_)
                if plugins.iter().any(|plugin| plugin.pending_pods.is_some()) =>
            {
                Self::All
            }
            Change::NodeCount if facts.contains(ClusterFacts::NODE_COUNT) => Self::All,
            Change::Image(_) | Change::ImageRemoved(_) if facts.contains(ClusterFacts::IMAGES) => Self::All,
            Change::Object(_, kind) | Change::ObjectRemoved(_, kind)
                if plugins.iter().any(|plugin| reads(plugin, cache, kind)) =>
            {
                Self::All
            }
            _ => Self::Nothing,
        }
    }
}

fn reads(declaration: &Declaration, cache: &Cache, kind: KindId) -> bool {
    declaration.objects.iter().any(|reads| cache.objects().kind_id(&reads.kind) == Some(kind))
}

/// The position up to which the change log was read, for results that depend on several plugins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogCursor {
    position: Option<u64>,
}

impl LogCursor {
    /// Returns the nodes about which any of the plugins has to be asked again since [`Self::caught_up`], together with
    /// `besides`, each once. Removed nodes are included. `None` stands for every node, which is also the first result.
    pub fn stale(self, cache: &Cache, declarations: &[&Declaration], besides: Vec<NodeId>) -> Option<Vec<NodeId>> {
        let since = cache.log().since(self.position?)?;
        let mut nodes = besides;
        // A new node concerns every plugin, also a plugin that reads no facts of nodes.
        let any = |facts: NodeFacts, more: &&Declaration| facts | more.node.touching();
        let node_facts = declarations.iter().fold(NodeFacts::empty(), any);
        let any = |facts: ClusterFacts, more: &&Declaration| facts | more.cluster_facts;
        let cluster_facts = declarations.iter().fold(ClusterFacts::empty(), any);
        for change in since {
            match change {
                Change::Node(node, facts) if facts.intersects(node_facts) || facts == NodeFacts::all() => {
                    nodes.push(node);
                }
                Change::NodeRemoved(node) => nodes.push(node),
                Change::Pod(_) | Change::PodRemoved(_) => {}
                _ => {
                    if Stale::by_cluster(change, cache, cluster_facts, declarations) == Stale::All {
                        return None;
                    }
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    /// Sets the position to the end of the log.
    pub fn caught_up(&mut self, cache: &Cache) {
        self.position = Some(cache.log().end());
    }
}
