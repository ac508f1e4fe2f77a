//! random: gives each node a random score. A minimal score plugin.
//!
//! A component has no source of random numbers. The score is computed from the cycle's seed and the node's id. A replay
//! has the recorded seed and therefore gives the same scores.

use berth_guest::prelude::*;

fn score(cycle: &Cycle, node: node::Id) -> i64 {
    (cycle.random(node) % 101) as i64
}

berth_guest::plugin!(name: "random", score: score);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    fn scores(seed: u64) -> Vec<i64> {
        let mut host = Host::<Plugin>::new();
        (0..1000).for_each(|number| host.node(node(&format!("node-{number}"))));
        host.set_seed(seed);
        host.raw_scores(&pod()).into_values().collect()
    }

    #[test]
    fn every_score_occurs() {
        let scores = scores(1);
        assert!((0..=100).all(|score| scores.contains(&score)), "{scores:?}");
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(scores(1), scores(1));
        assert_ne!(scores(1), scores(2));
    }
}
