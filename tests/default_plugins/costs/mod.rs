//! The cost of a decision, in numbers that are the same on every machine: calls into components, nodes that components
//! are asked about, instructions that components execute, and bytes passed into and out of components. These tests
//! fail if a change increases the cost of a pod above a limit. A change that decreases the cost may lower the limit.

mod calls;
mod preemption;
mod work;

use std::iter;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use berth_core::model::Pod;
use berth_tests::engine::{CallCounts, DefaultEngine, Setup, Workload, WorkloadRun};

/// The number of nodes: small enough to be quick, and larger than the constants in these tests.
const NODES: usize = 60;

/// Returns a setup with components that count their work. The first test that gets here compiles them. The compiled
/// code is kept for the other tests and for later runs.
fn setup() -> Setup {
    static COMPILED: OnceLock<()> = OnceLock::new();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine-costs");
    let setup = || Setup { counts_instructions: true, cache_dir: Some(kept.clone()), ..Setup::default() };
    COMPILED.get_or_init(|| drop(DefaultEngine::start(iter::empty(), &[], setup()).expect("the default components")));
    setup()
}

fn run(workload: Workload, nodes: usize) -> WorkloadRun {
    WorkloadRun::with(workload, nodes, 1, setup()).unwrap_or_else(|error| panic!("{}: {error:#}", workload.name))
}

/// Places this many pods one after the other, and binds each. Returns what the core asked for them.
fn place(run: &mut WorkloadRun, pods: usize, next: fn(&mut WorkloadRun) -> Result<Arc<Pod>>) -> CallCounts {
    run.engine.take_calls();
    for _ in 0..pods {
        let pod = next(run).expect("a pod that can be read");
        run.engine.enqueue(pod.clone());
        let (_, node) = run.engine.decide().expect("room for every pod");
        run.engine.bind(&pod, &node);
        run.engine.take_deliveries();
    }
    run.engine.take_calls()
}

/// Places pods of known templates: first one or more of each template, then the pods to measure. Returns what the
/// core asked for the measured pods, and their number.
fn place_known(run: &mut WorkloadRun, workload: &Workload) -> (CallCounts, usize) {
    place(run, workload.templates.max(10), WorkloadRun::next_pod);
    let pods = workload.templates.clamp(10, 40);
    (place(run, pods, WorkloadRun::next_pod), pods)
}
