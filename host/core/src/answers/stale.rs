//! Which answers a change of the cluster makes stale.

use crate::cache::{Cache, Change, KindId, NodeId};
use crate::facts::{ClusterFacts, NodeFacts};
use crate::plugins::Declaration;

/// What a plugin has to be asked about again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stale {
    /// Nothing.
    Nothing,
    /// This node; it may have gone.
    Node(NodeId),
    /// Every node.
    All,
}

impl Stale {
    /// After this change, for a plugin of this declaration.
    pub fn by(change: Change, cache: &Cache, declaration: &Declaration) -> Self {
        let cluster_facts = declaration.cluster_facts;
        match change {
            Change::Node(node, facts) if facts.intersects(declaration.node_facts) => Self::Node(node),
            Change::NodeRemoved(node) => Self::Node(node),
            Change::NodeCount if cluster_facts.contains(ClusterFacts::NODE_COUNT) => Self::All,
            Change::Image(_) | Change::ImageRemoved(_) if cluster_facts.contains(ClusterFacts::IMAGES) => Self::All,
            Change::Object(_, kind) | Change::ObjectRemoved(_, kind) if reads(declaration, cache, kind) => Self::All,
            _ => Self::Nothing,
        }
    }
}

fn reads(declaration: &Declaration, cache: &Cache, kind: KindId) -> bool {
    declaration.objects.iter().any(|reads| cache.objects().kind_id(&reads.kind) == Some(kind))
}

/// Up to where the change log has been followed, by answers that depend on several plugins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Followed {
    position: Option<u64>,
}

impl Followed {
    /// The nodes about which any of the plugins has to be asked again since the last time, and those `besides`, each once,
    /// those that went among them; `None` where that is every node, as it is at first.
    pub fn stale(self, cache: &Cache, declarations: &[&Declaration], besides: Vec<NodeId>) -> Option<Vec<NodeId>> {
        let since = cache.log().since(self.position?)?;
        let mut nodes = besides;
        for change in since {
            match concerned(change, cache, declarations) {
                Stale::Nothing => {}
                Stale::Node(node) => nodes.push(node),
                Stale::All => return None,
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    /// They were asked.
    pub fn caught_up(&mut self, cache: &Cache) {
        self.position = Some(cache.log().end());
    }
}

/// What any of the plugins has to be asked about again.
fn concerned(change: Change, cache: &Cache, declarations: &[&Declaration]) -> Stale {
    match change {
        // That there is a node concerns everyone, also those who read nothing of it.
        Change::Node(node, facts) if facts == NodeFacts::all() => return Stale::Node(node),
        Change::NodeRemoved(node) => return Stale::Node(node),
        _ => {}
    }
    let each = declarations.iter().map(|declaration| Stale::by(change, cache, declaration));
    each.max().unwrap_or(Stale::Nothing)
}
