//! What is counted, and the limits. They are about a fifth above what was counted when they were set (x86_64, the toolchain
//! of `rust-toolchain.toml`). Whoever makes a decision cheaper may lower them; whoever raises one says in the commit what for.

use anyhow::Result;

use crate::cluster::Cluster;

/// So many nodes the clusters have. The limits of a case are in the same order.
pub const NODES: [usize; 2] = [500, 5000];

/// What is flat costs at most so many times as much in the larger cluster as in the smaller.
pub const FLAT: f64 = 1.3;

/// Something that happens again and again.
pub struct Case {
    /// On the command line.
    pub name: &'static str,
    /// What happens.
    pub what: &'static str,
    /// How often before it is counted, so that what is kept is there.
    pub before: usize,
    /// How often while it is counted.
    pub counted: usize,
    /// It happens; how often it did before.
    pub happens: fn(&mut Cluster, usize) -> Result<()>,
    /// Instructions each time, by [`NODES`].
    pub at_most: [u64; 2],
    /// Whether the cluster's size must not show.
    pub is_flat: bool,
}

/// All of them.
pub const CASES: &[Case] = &[
    Case {
        name: "repeated",
        what: "a pod like others",
        before: 20,
        counted: 100,
        happens: |cluster, _| cluster.place(0),
        at_most: [64_500, 64_500],
        is_flat: true,
    },
    Case {
        name: "templates",
        what: "a pod of 50 templates in turn",
        before: 100,
        counted: 100,
        happens: |cluster, time| cluster.place(time % 50),
        at_most: [168_000, 168_000],
        is_flat: true,
    },
    Case {
        name: "first",
        what: "the first pod of a template",
        before: 3,
        counted: 5,
        happens: |cluster, time| cluster.place(time),
        at_most: [860_000, 7_300_000],
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
        at_most: [89_000, 89_000],
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
        at_most: [136_000, 136_000],
        is_flat: true,
    },
];

impl Case {
    /// All of it, in a cluster of so many nodes.
    pub fn run(&self, nodes: usize) -> Result<()> {
        let mut cluster = Cluster::of(nodes);
        for time in 0..self.before + self.counted {
            cluster.counts = time >= self.before;
            (self.happens)(&mut cluster, time)?;
        }
        Ok(())
    }
}
