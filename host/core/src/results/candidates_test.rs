use std::convert::Infallible;

use super::*;
use crate::facts::NodeFacts;
use crate::model::Node;

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);
const C: NodeId = NodeId(2);

fn node(name: &str, unschedulable: bool) -> Arc<Node> {
    Arc::new(Node { name: name.into(), unschedulable, ..Node::default() })
}

fn with_two_nodes() -> (Cache, Declaration) {
    let mut cache = Cache::default();
    ["a", "b"].into_iter().for_each(|name| cache.set_node(node(name, false)));
    (cache, Declaration { node: NodeFacts::TAINTS.into(), ..Declaration::default() })
}

fn stale(candidates: &mut Candidates, cache: &Cache, filters: &[&Declaration]) -> Vec<NodeId> {
    candidates.stale(cache, filters, Some(Vec::new()))
}

/// Puts all ungrouped nodes into one group.
fn group(candidates: &mut Candidates) {
    let grouped: Result<(), Infallible> = candidates.group(|_, _| Ok(0));
    assert_eq!((grouped, candidates.ungrouped()), (Ok(()), &[][..]));
}

fn grouped(candidates: &Candidates) -> Vec<NodeId> {
    let best = candidates.groups().and_then(|groups| groups.best(&[Some(0)]));
    let mut nodes: Vec<NodeId> = best.iter().flat_map(super::super::Best::nodes).collect();
    nodes.sort_unstable();
    nodes
}

#[test]
fn changed_nodes_are_filtered_again_and_removed_nodes_are_dropped() {
    let (mut cache, filter) = with_two_nodes();
    let mut candidates = Candidates::default();
    assert_eq!(stale(&mut candidates, &cache, &[&filter]), [A, B]);
    assert_eq!(stale(&mut candidates, &cache, &[&filter]), [A, B], "until the result is set");
    candidates.set(&[A, B], &[B], &cache);
    assert_eq!((candidates.len(), &*candidates.nodes()), (1, &[B][..]));
    assert_eq!(stale(&mut candidates, &cache, &[&filter]), []);

    cache.set_node(node("a", true));
    assert_eq!(stale(&mut candidates, &cache, &[&filter]), [], "a fact that is not read");
    cache.set_node(node("c", false));
    cache.remove_node("b");
    assert_eq!(stale(&mut candidates, &cache, &[&filter]), [C]);
    assert_eq!((candidates.len(), &*candidates.nodes()), (0, &[][..]));
    candidates.set(&[C], &[C], &cache);
    assert_eq!((candidates.len(), &*candidates.nodes()), (1, &[C][..]));
    assert_eq!(stale(&mut candidates, &cache, &[]), [], "no plugin reads anything");
}

#[test]
fn each_node_is_either_grouped_or_ungrouped() {
    let (cache, _) = with_two_nodes();
    let mut candidates = Candidates::default();
    candidates.set(&[A, B], &[A, B], &cache);
    assert_eq!((candidates.ungrouped(), candidates.groups().is_none()), (&[][..], true), "not grouped at first");
    candidates.begin_groups();
    assert_eq!(candidates.ungrouped(), [A, B]);
    candidates.set(&[B], &[B], &cache);
    assert_eq!(candidates.ungrouped(), [A, B], "each once");
    group(&mut candidates);
    assert_eq!(grouped(&candidates), [A, B]);

    candidates.set(&[A], &[], &cache);
    assert_eq!((grouped(&candidates), candidates.ungrouped()), (vec![B], &[][..]));
    candidates.set(&[A], &[A], &cache);
    assert_eq!((grouped(&candidates), candidates.ungrouped()), (vec![B], &[A][..]));
    candidates.set(&[A], &[], &cache);
    assert_eq!(candidates.ungrouped(), [], "it does not fit any more");
    candidates.set(&[A], &[A], &cache);
    group(&mut candidates);
    candidates.ungroup(Some(&[B, C]));
    assert_eq!((grouped(&candidates), candidates.ungrouped()), (vec![A], &[B][..]));
    candidates.ungroup(None);
    assert_eq!((grouped(&candidates), candidates.ungrouped()), (vec![], &[A, B][..]));
}

#[test]
fn nodes_stay_ungrouped_after_an_error_and_with_too_many_groups() {
    let (cache, _) = with_two_nodes();
    let mut candidates = Candidates::default();
    candidates.set(&[A, B], &[A, B], &cache);
    candidates.begin_groups();
    assert_eq!(candidates.group(|at, _| if at == 0 { Ok(0) } else { Err("failed") }), Err("failed"));
    assert_eq!((grouped(&candidates), candidates.ungrouped()), (vec![A], &[B][..]));

    let many: Vec<NodeId> = (0..2000).map(NodeId).collect();
    candidates.set(&many, &many, &cache);
    let each_its_own = candidates.group(|at, key| {
        key.push(at as i64);
        Ok::<i64, Infallible>(0)
    });
    assert_eq!((each_its_own, candidates.is_too_varied(), candidates.groups().is_none()), (Ok(()), true, true));
    assert_eq!((candidates.ungrouped(), candidates.len()), (&[][..], 2000));
}
