//! Limits on the cost of preemption.

use berth_tests::engine::{Crowd, Tally};

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
    let mut crowd = Crowd::set(NODES, setup()).expect("a cluster");
    // The first round brings the template's first pods, which are not measured.
    let (known, pods) = (6, 24);
    for (pods, is_measured) in [(known, false), (pods, true)] {
        crowd.engine.take_questions();
        crowd.come(pods).expect("pods that can be read");
        let before = crowd.tries().expect("attempts");
        assert_eq!(before, Tally { placed: 0, in_vain: pods, evicted: 3 * pods });
        let after = crowd.they_go().expect("attempts");
        assert_eq!(after, Tally { placed: pods, in_vain: 0, evicted: 0 });
        let questions = crowd.engine.take_questions();
        let costs = [
            ("calls", questions.all_calls(), CALLS_OF_PREEMPTION),
            ("nodes asked about", questions.all_nodes(), NODES_OF_PREEMPTION),
            ("instructions", questions.all_fuel(), FUEL_OF_PREEMPTION),
            ("bytes", questions.all_bytes(), BYTES_OF_PREEMPTION),
        ];
        for (what, all, at_most) in costs {
            let each = all as f64 / pods as f64;
            assert!(each <= at_most || !is_measured, "{each} {what} a pod, at most {at_most}: {questions:#?}");
        }
    }
}
