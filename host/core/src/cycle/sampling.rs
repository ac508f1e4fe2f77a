//! Limits the number of nodes that a cycle looks at, if the profile sets `percentageOfNodesToScore`.

/// The smallest number of feasible nodes to look for (`minFeasibleNodesToFind`). With at most this many nodes, all
/// are looked at.
const LEAST: usize = 100;

/// Where the search for feasible nodes starts, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// The number of feasible nodes after which the search stops.
    pub enough: usize,
    /// The index of the first node to look at in the list of nodes.
    pub start: usize,
}

impl Sample {
    /// Returns the sample of `nodes` nodes for this `percentageOfNodesToScore`, or `None` to look at all nodes.
    pub fn of(nodes: usize, percentage: Option<u8>, start: usize) -> Option<Self> {
        let percentage = usize::from(percentage.filter(|percentage| (1..100).contains(percentage))?);
        let enough = (nodes * percentage / 100).max(LEAST);
        (nodes > enough).then(|| Self { enough, start: start % nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_has_kube_schedulers_size() {
        for (nodes, percentage, expected) in [
            (5000, None, None),
            (5000, Some(0), None),
            (5000, Some(100), None),
            (99, Some(10), None),
            (100, Some(10), None),
            (101, Some(10), Some(100)),
            (1000, Some(5), Some(100)),
            (5000, Some(30), Some(1500)),
        ] {
            let sample = Sample::of(nodes, percentage, 7);
            assert_eq!(sample.map(|sample| sample.enough), expected, "{nodes} {percentage:?}");
        }
        assert_eq!(Sample::of(200, Some(10), 203).map(|sample| sample.start), Some(3));
    }
}
