//! Determines which cached answers changes of the cluster make stale.

use crate::cache::{Cache, Change, KindId, NodeId};
use crate::facts::{ClusterFacts, NodeFacts};
use crate::plugins::Declaration;

/// Returns the nodes about which any of these plugins has to be asked again, because of the changes in the log since
/// `position`, together with `besides`, each once. Removed nodes are included. `None` stands for every node.
pub(super) fn stale_nodes(
    cache: &Cache,
    position: u64,
    declarations: &[&Declaration],
    besides: Vec<NodeId>,
) -> Option<Vec<NodeId>> {
    let since = cache.log().since(position)?;
    let mut nodes = besides;
    // A new node concerns every plugin, also a plugin that reads no facts of nodes.
    let any = |facts: NodeFacts, more: &&Declaration| facts | more.node.touching();
    let node_facts = declarations.iter().fold(NodeFacts::empty(), any);
    let any = |facts: ClusterFacts, more: &&Declaration| facts | more.cluster_facts;
    let cluster_facts = declarations.iter().fold(ClusterFacts::empty(), any);
    for change in since {
        let is_all_stale = match change {
            Change::Node(_, facts) if !facts.intersects(node_facts) && facts != NodeFacts::all() => false,
            Change::Node(node, _) | Change::NodeRemoved(node) => {
                nodes.push(node);
                false
            }
            Change::Pod(_) | Change::PodRemoved(_) => false,
            Change::PendingPod(_) | Change::PendingPodRemoved(_) => {
                declarations.iter().any(|plugin| plugin.pending_pods.is_some())
            }
            Change::NodeCount => cluster_facts.contains(ClusterFacts::NODE_COUNT),
            Change::Image(_) | Change::ImageRemoved(_) => cluster_facts.contains(ClusterFacts::IMAGES),
            Change::Object(_, kind) | Change::ObjectRemoved(_, kind) => {
                declarations.iter().any(|plugin| reads(plugin, cache, kind))
            }
        };
        if is_all_stale {
            return None;
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    Some(nodes)
}

fn reads(declaration: &Declaration, cache: &Cache, kind: KindId) -> bool {
    declaration.objects.iter().any(|reads| cache.objects().kind_id(&reads.kind) == Some(kind))
}
