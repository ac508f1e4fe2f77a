//! The choice among the best nodes. The choice depends on the set of these nodes, on the upper limit of node ids and on
//! the random numbers alone, and not on the way in which the nodes were found.

use crate::cache::NodeId;

/// The choice lists the nodes if there are at most this many, or at most one for each `FEW` node ids. Otherwise, the
/// choice draws ids at random until an id is among the nodes.
const FEW: usize = 64;

/// Returns one of the nodes with the highest total, each with the same probability, or `None` without nodes. Both
/// slices have the same length. All ids are below `end`.
pub fn one_of_the_best(nodes: &[NodeId], totals: &[i64], end: usize, rng: &mut fastrand::Rng) -> Option<NodeId> {
    let highest = totals.iter().max()?;
    let of_the_best = nodes.iter().zip(totals).filter(|(_, total)| *total == highest);
    let mut best: Vec<NodeId> = of_the_best.map(|(node, _)| *node).collect();
    best.sort_unstable();
    one_of(best.len(), end, rng, |node| best.binary_search(&node).is_ok(), || best.clone())
}

/// Returns one of `count` different nodes, each with the same probability, or `None` without nodes. `contains` returns
/// whether a node is one of the `count` nodes, and `all` returns these nodes in any order. All ids are below `end`.
pub fn one_of(
    count: usize,
    end: usize,
    rng: &mut fastrand::Rng,
    contains: impl Fn(NodeId) -> bool,
    all: impl FnOnce() -> Vec<NodeId>,
) -> Option<NodeId> {
    if count == 0 {
        return None;
    }
    if count <= FEW.max(end / FEW) {
        let mut all = all();
        let (_, chosen, _) = all.select_nth_unstable(rng.usize(..count));
        return Some(*chosen);
    }
    // At least one in 64 ids is among the nodes, so that 64 draws are enough on average, whatever the number of ids.
    let end = u32::try_from(end).unwrap_or(u32::MAX);
    loop {
        let node = NodeId(rng.u32(..end));
        if contains(node) {
            return Some(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(nodes: &[NodeId], totals: &[i64], draws: usize) -> Vec<u32> {
        let mut rng = fastrand::Rng::with_seed(1);
        let draw = |_| one_of_the_best(nodes, totals, 1000, &mut rng);
        let mut chosen: Vec<u32> = (0..draws).filter_map(draw).map(|node| node.0).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    #[test]
    fn each_of_the_best_nodes_is_chosen_and_no_other() {
        assert_eq!(chosen(&[NodeId(3), NodeId(5), NodeId(7)], &[9, 1, 9], 100), [3, 7]);
        assert!(chosen(&[], &[], 1).is_empty());
        let many: Vec<NodeId> = (0..200).map(NodeId).collect();
        let totals: Vec<i64> = (0..200).map(|n| n % 2).collect();
        assert_eq!(chosen(&many, &totals, 2000), (0..200).filter(|n| n % 2 == 1).collect::<Vec<u32>>());
    }

    #[test]
    fn the_order_of_the_nodes_makes_no_difference() {
        for count in [3, 100] {
            let nodes: Vec<NodeId> = (0..count).map(|n| NodeId(2 * n)).collect();
            let (totals, reversed) = (vec![1; nodes.len()], nodes.iter().rev().copied().collect::<Vec<_>>());
            let [one, other] =
                [&nodes, &reversed].map(|nodes| one_of_the_best(nodes, &totals, 200, &mut fastrand::Rng::with_seed(7)));
            assert_eq!(one, other);
        }
    }
}
