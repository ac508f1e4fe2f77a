//! Limits on the work of components for a pod: instructions, which wasmtime calls fuel, and bytes passed into them
//! and out of them. The numbers are the same in every run.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_tests::engine::{CallCounts, WORKLOADS, Workload, WorkloadRun};

use super::{NODES, place, place_known, run};

/// The number of nodes in the larger cluster.
const MORE_NODES: usize = 4 * NODES;

/// The number of pods that each have a new template.
const FIRSTS: usize = 5;

/// How many times as much a pod of a known template may cost in the larger cluster, where the cost does not depend
/// on the number of nodes. It is more than 1 because trees are deeper.
const FLAT: f64 = 1.2;

/// The work of all components together for one pod.
#[derive(Clone, Copy, Debug)]
struct Work {
    fuel: f64,
    bytes: f64,
}

/// The upper limits for a pod, on average: about a fifth more than the measured cost.
struct Limit {
    workload: &'static str,
    /// A pod of a known template.
    repeated: Work,
    /// The factor by which a pod of a known template may cost more in the larger cluster.
    larger: f64,
    /// The first pod of a template.
    first: Work,
    /// The first pod of a template, for each additional node.
    by_node: Work,
}

const fn limit(workload: &'static str, repeated: Work, first: Work, by_node: Work) -> Limit {
    Limit { workload, repeated, larger: FLAT, first, by_node }
}

const fn work(fuel: f64, bytes: f64) -> Work {
    Work { fuel, bytes }
}

const LIMITS: &[Limit] = &[
    limit("SchedulingBasic", work(9_600.0, 600.0), work(110_000.0, 8_100.0), work(20.0, 1.0)),
    limit("DefaultTopologySpreading", work(64_000.0, 2_900.0), work(270_000.0, 7_400.0), work(1_100.0, 9.5)),
    // A template is told about every node that took a pod of another template since its own last pod. There are up
    // to 200 of these nodes, or as many as the cluster has.
    Limit {
        larger: 2.4,
        ..limit("InterleavedTemplates", work(410_000.0, 4_500.0), work(800_000.0, 7_400.0), work(2_100.0, 41.0))
    },
    limit("TopologySpreading", work(30_000.0, 1_500.0), work(195_000.0, 7_400.0), work(930.0, 9.5)),
    limit("PreferredTopologySpreading", work(30_000.0, 1_500.0), work(190_000.0, 7_400.0), work(930.0, 9.5)),
    limit("SchedulingPodAffinity", work(34_000.0, 1_200.0), work(235_000.0, 9_600.0), work(950.0, 9.5)),
    limit("SchedulingPreferredPodAffinity", work(40_000.0, 2_200.0), work(235_000.0, 8_800.0), work(1_000.0, 9.5)),
    limit("SchedulingPodAntiAffinity", work(34_000.0, 1_100.0), work(230_000.0, 9_500.0), work(770.0, 9.5)),
    limit("SchedulingPreferredPodAntiAffinity", work(29_000.0, 930.0), work(240_000.0, 9_300.0), work(1_000.0, 9.5)),
    limit("SchedulingNodeAffinity", work(9_600.0, 600.0), work(120_000.0, 8_200.0), work(20.0, 1.0)),
    // Each pod has a volume of its own. For this reason, two components are asked about every node, although
    // neither examines a node closely.
    Limit {
        larger: 1.4,
        ..limit("SchedulingCSIPVs", work(240_000.0, 6_400.0), work(370_000.0, 14_000.0), work(220.0, 15.0))
    },
];

/// The cost of this many pods.
struct Cost(CallCounts, usize);

/// The cost of a workload's pods in a cluster of one size.
struct Measured {
    repeated: Cost,
    first: Cost,
}

impl Measured {
    fn of(workload: Workload, nodes: usize) -> Self {
        let mut run = run(workload, nodes);
        let (repeated, pods) = place_known(&mut run, &workload);
        let first = place(&mut run, FIRSTS, WorkloadRun::first_of_signature);
        Self { repeated: Cost(repeated, pods), first: Cost(first, FIRSTS) }
    }
}

impl Cost {
    fn each(&self) -> Work {
        work(self.0.all_fuel() as f64 / self.1 as f64, self.0.all_bytes() as f64 / self.1 as f64)
    }

    /// Describes the values that exceed the limit, with the components that contribute most.
    fn over(&self, is: Work, limit: Work) -> impl Iterator<Item = String> {
        let kinds =
            [("instructions", is.fuel, limit.fuel, &self.0.fuel), ("bytes", is.bytes, limit.bytes, &self.0.bytes)];
        let over = kinds.into_iter().filter(|(_, is, limit, _)| is > limit);
        over.map(|(kind, is, limit, of_each)| {
            let percent = (is / limit - 1.0) * 100.0;
            format!("{is:.0} {kind}, {percent:.1} % over {limit:.0}; most of it in {}", self.most(of_each))
        })
    }

    fn most(&self, of_each: &BTreeMap<Arc<str>, u64>) -> String {
        let mut sorted: Vec<_> = of_each.iter().collect();
        sorted.sort_by(|(_, one), (_, other)| other.cmp(one));
        let each = |(name, count): &(&Arc<str>, &u64)| format!("{name} {:.0}", **count as f64 / self.1 as f64);
        sorted.iter().take(3).map(each).collect::<Vec<_>>().join(", ")
    }
}

impl Work {
    fn times(self, factor: f64) -> Self {
        work(self.fuel * factor, self.bytes * factor)
    }

    /// Returns the cost of each additional node, where `less` is the cost in the smaller cluster.
    fn by_node(self, less: Self) -> Self {
        work(self.fuel - less.fuel, self.bytes - less.bytes).times(1.0 / (MORE_NODES - NODES) as f64)
    }
}

#[test]
fn instructions_per_pod_do_not_grow_with_the_cluster() {
    let limits: BTreeMap<&str, &Limit> = LIMITS.iter().map(|limit| (limit.workload, limit)).collect();
    let mut over = Vec::new();
    for workload in WORKLOADS {
        let limit = limits.get(workload.name).unwrap_or_else(|| panic!("{} has no limit", workload.name));
        let [few, more] = [NODES, MORE_NODES].map(|nodes| Measured::of(*workload, nodes));
        let repeated = few.repeated.each();
        let in_larger = more.repeated.each();
        let first = few.first.each();
        let by_node = more.first.each().by_node(first);
        let checks = [
            ("a pod like others", &few.repeated, repeated, limit.repeated),
            ("the same in the larger cluster", &more.repeated, in_larger, repeated.times(limit.larger)),
            ("a pod like none before", &few.first, first, limit.first),
            ("the same by node", &more.first, by_node, limit.by_node),
        ];
        for (what, cost, is, at_most) in checks {
            over.extend(cost.over(is, at_most).map(|words| format!("{}, {what}: {words}", workload.name)));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}
