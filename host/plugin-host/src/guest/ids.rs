//! Checks the ids of nodes and pods in a plugin's answers and queries. A checked id belongs to an existing object.

use berth_core::cache::{Cache, NodeId, PodId};
use berth_core::plugins::Candidate;
use hashbrown::HashSet;

/// Checks that the node exists.
pub(super) fn node(cache: &Cache, id: u32) -> Result<NodeId, String> {
    let node = NodeId(id);
    cache.node(node).map(|_| node).ok_or_else(|| format!("it names node {id}, which does not exist"))
}

/// Checks that the nodes exist and are unique.
pub(super) fn nodes(cache: &Cache, ids: Vec<u32>) -> Result<Vec<NodeId>, String> {
    check_unique(&ids, "node")?;
    ids.into_iter().map(|id| node(cache, id)).collect()
}

/// Checks that the pods are in the cache and that no id occurs twice. The cache holds assigned and assumed pods.
pub(super) fn pods(cache: &Cache, ids: Vec<u32>) -> Result<Vec<PodId>, String> {
    check_unique(&ids, "pod")?;
    ids.into_iter().map(|id| pod(cache, id).map(|(pod, _)| pod)).collect()
}

/// Checks that the pods are on this node and are unique.
pub(super) fn pods_on(cache: &Cache, node: NodeId, ids: Vec<u32>) -> Result<Vec<PodId>, String> {
    check_unique(&ids, "pod")?;
    let on_node = |id| match pod(cache, id)? {
        (pod, Some(on)) if on == node => Ok(pod),
        _ => Err(format!("it names pod {id}, which is not on node {}", node.0)),
    };
    ids.into_iter().map(on_node).collect()
}

/// Checks that the node exists and that the victims are on it.
pub(super) fn candidate(cache: &Cache, id: u32, victims: Vec<u32>, violations: i64) -> Result<Candidate, String> {
    let node = node(cache, id)?;
    Ok(Candidate { node, victims: pods_on(cache, node, victims)?, violations })
}

fn pod(cache: &Cache, id: u32) -> Result<(PodId, Option<NodeId>), String> {
    let known = cache.pod(PodId(id)).ok_or_else(|| format!("it names pod {id}, which does not exist"))?;
    Ok((PodId(id), known.node))
}

/// Checks that the ids are unique. A list in ascending order, which most plugins return, needs no set.
fn check_unique(ids: &[u32], noun: &str) -> Result<(), String> {
    if ids.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut seen = HashSet::with_capacity(ids.len());
    match ids.iter().find(|id| !seen.insert(**id)) {
        Some(id) => Err(format!("it names {noun} {id} twice")),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use berth_core::model::{Node, Pod, PodKey};

    use super::*;

    /// Returns a cluster with nodes 0 and 1. Pods 0 and 1 are on node 0, pod 2 is on node 1, pod 3 is on an unknown
    /// node.
    pub fn cluster() -> Cache {
        let mut cache = Cache::default();
        for name in ["a", "b"] {
            cache.set_node(Arc::new(Node { name: name.into(), ..Node::default() }));
        }
        for (name, node) in [("p", "a"), ("q", "a"), ("r", "b"), ("s", "gone")] {
            let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
            cache.set_pod(Arc::new(Pod { key, node_name: node.into(), ..Pod::default() }));
        }
        cache
    }

    #[test]
    fn existing_ids_are_accepted() {
        let cache = cluster();
        assert_eq!(nodes(&cache, vec![1, 0]), Ok(vec![NodeId(1), NodeId(0)]));
        assert_eq!(pods(&cache, vec![3, 0]), Ok(vec![PodId(3), PodId(0)]));
        assert_eq!(pods_on(&cache, NodeId(0), vec![1, 0]), Ok(vec![PodId(1), PodId(0)]));
        let victims = vec![PodId(2)];
        assert_eq!(candidate(&cache, 1, vec![2], 7), Ok(Candidate { node: NodeId(1), victims, violations: 7 }));
    }

    #[test]
    fn errors_name_invalid_ids() {
        let cache = cluster();
        let refused = |result: Result<Vec<PodId>, String>| result.unwrap_err();
        assert_eq!(node(&cache, u32::MAX), Err("it names node 4294967295, which does not exist".into()));
        assert_eq!(nodes(&cache, vec![0, 2]), Err("it names node 2, which does not exist".into()));
        assert_eq!(nodes(&cache, vec![0, 1, 0]), Err("it names node 0 twice".into()));
        assert_eq!(refused(pods(&cache, vec![4])), "it names pod 4, which does not exist");
        assert_eq!(refused(pods_on(&cache, NodeId(0), vec![2])), "it names pod 2, which is not on node 0");
        assert_eq!(refused(pods_on(&cache, NodeId(0), vec![3])), "it names pod 3, which is not on node 0");
        assert_eq!(refused(pods_on(&cache, NodeId(0), vec![1, 1])), "it names pod 1 twice");
        assert!(candidate(&cache, 2, vec![], 0).is_err());
    }
}
