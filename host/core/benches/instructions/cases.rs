//! The cases and their limits. A limit is about a fifth above the count at the time when it was set (x86_64, with the
//! toolchain of `rust-toolchain.toml`). A change that makes a decision cheaper may lower limits. A commit that raises
//! a limit states the reason.

use anyhow::Result;

use crate::cluster::Cluster;

/// The sizes of the clusters in nodes. The limits of a case are in the same order.
pub const NODES: [usize; 2] = [500, 5000];

/// The largest ratio of the cost in the large cluster to the cost in the small cluster, for a case with `is_flat`.
pub const FLAT: f64 = 1.3;

/// The largest ratio of the cost with decision records to the cost without, for a decision from cached results.
const CACHED: f64 = 1.02;

/// As [`CACHED`], for the first decision of a signature.
const FIRST: f64 = 1.05;

/// A repeated action.
pub struct Case {
    /// The name on the command line.
    pub name: &'static str,
    /// The description of the action.
    pub what: &'static str,
    /// The number of repetitions before the count starts, which fill the result cache and the decision log.
    pub before: usize,
    /// The number of counted repetitions.
    pub counted: usize,
    /// The action. The second argument is the number of earlier repetitions.
    pub happens: fn(&mut Cluster, usize) -> Result<()>,
    /// The limit in instructions for each repetition, by [`NODES`].
    pub at_most: [u64; 2],
    /// The largest ratio of the cost with decision records to the cost without.
    pub recording: f64,
    /// Whether the cost must not depend on the cluster's size.
    pub is_flat: bool,
}

/// All cases.
pub const CASES: &[Case] = &[
    Case {
        name: "repeated",
        what: "a pod like others",
        before: 1000,
        counted: 100,
        happens: |cluster, _| cluster.place(0),
        at_most: [58_000, 58_000],
        recording: CACHED,
        is_flat: true,
    },
    Case {
        name: "signatures",
        what: "a pod of 50 signatures in turn",
        before: 1000,
        counted: 100,
        happens: |cluster, time| cluster.place(time % 50),
        at_most: [133_000, 133_000],
        recording: CACHED,
        is_flat: true,
    },
    Case {
        name: "first",
        what: "the first pod of a signature",
        before: 3,
        counted: 5,
        happens: |cluster, time| cluster.place(time),
        at_most: [720_000, 6_200_000],
        recording: FIRST,
        is_flat: false,
    },
    Case {
        name: "status",
        what: "10 nodes' statuses that say nothing new, and a pod like others",
        before: 20,
        counted: 20,
        happens: |cluster, time| {
            (0..10).for_each(|at| cluster.set_node(10 * time + at, 0));
            cluster.place(0)
        },
        at_most: [80_000, 80_000],
        recording: CACHED,
        is_flat: true,
    },
    Case {
        name: "labels",
        what: "10 nodes' labels that change, and a pod like others",
        before: 20,
        counted: 20,
        happens: |cluster, time| {
            (0..10).for_each(|at| cluster.set_node(10 * time + at, 1 + time));
            cluster.place(0)
        },
        at_most: [123_000, 123_000],
        recording: CACHED,
        is_flat: true,
    },
];

impl Case {
    /// Runs the case in a cluster of this many nodes. `records` says whether decisions are recorded.
    pub fn run(&self, nodes: usize, records: bool) -> Result<()> {
        let mut cluster = Cluster::of(nodes, records);
        for time in 0..self.before + self.counted {
            cluster.counts = time >= self.before;
            (self.happens)(&mut cluster, time)?;
        }
        Ok(())
    }
}
