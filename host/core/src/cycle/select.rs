//! The choice among the best nodes.

use crate::cache::NodeId;

/// Returns one of the nodes with the highest total, each with the same probability, or `None` without nodes. Both
/// slices have the same length.
pub fn one_of_the_best(nodes: &[NodeId], totals: &[i64], rng: &mut fastrand::Rng) -> Option<NodeId> {
    let best = totals.iter().max()?;
    let many = totals.iter().filter(|total| *total == best).count();
    let chosen = rng.usize(..many);
    let mut of_the_best = nodes.iter().zip(totals).filter(|(_, total)| *total == best);
    of_the_best.nth(chosen).map(|(node, _)| *node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_best_and_no_other() {
        let nodes = [NodeId(3), NodeId(5), NodeId(7)];
        let mut rng = fastrand::Rng::with_seed(1);
        let mut chosen: Vec<u32> =
            (0..100).filter_map(|_| one_of_the_best(&nodes, &[9, 1, 9], &mut rng)).map(|node| node.0).collect();
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen, [3, 7]);
        assert_eq!(one_of_the_best(&[], &[], &mut rng), None);
    }
}
