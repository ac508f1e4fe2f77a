//! Limits on the cost of preemption.

use berth_tests::engine::{AttemptCounts, PreemptionRun};

use super::{NODES, setup};

/// Calls into components for a pod that preempts others, on average, for both of its attempts together.
const CALLS_OF_PREEMPTION: f64 = 28.0;
/// The number of nodes that components are asked about, as they are and in hypothetical cases.
const NODES_OF_PREEMPTION: f64 = 7.0;
/// The number of instructions that components execute.
const FUEL_OF_PREEMPTION: f64 = 1_250_000.0;
/// The number of bytes passed into components and out of them.
const BYTES_OF_PREEMPTION: f64 = 24_000.0;

#[test]
fn a_pod_that_awaits_victims_gets_two_attempts() {
    let mut run = PreemptionRun::set(NODES, setup()).expect("a cluster");
    // The first round brings the template's first pods, which are not measured.
    let (known, pods) = (6, 24);
    for (pods, is_measured) in [(known, false), (pods, true)] {
        run.engine.take_calls();
        run.add_pods(pods).expect("pods that can be read");
        let before = run.run_cycles().expect("attempts");
        assert_eq!(before, AttemptCounts { scheduled: 0, unschedulable: pods, evicted: 3 * pods });
        let after = run.delete_victims().expect("attempts");
        assert_eq!(after, AttemptCounts { scheduled: pods, unschedulable: 0, evicted: 0 });
        let calls = run.engine.take_calls();
        let costs = [
            ("calls", calls.all_calls(), CALLS_OF_PREEMPTION),
            ("nodes asked about", calls.all_nodes(), NODES_OF_PREEMPTION),
            ("instructions", calls.all_fuel(), FUEL_OF_PREEMPTION),
            ("bytes", calls.all_bytes(), BYTES_OF_PREEMPTION),
        ];
        for (what, all, at_most) in costs {
            let each = all as f64 / pods as f64;
            assert!(each <= at_most || !is_measured, "{each} {what} a pod, at most {at_most}: {calls:#?}");
        }
    }
}
