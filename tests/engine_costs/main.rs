//! What a decision costs, in numbers that are the same on every machine: calls into components, nodes they are asked about,
//! instructions that they take, bytes that go into them and out of them. A change that makes pods cost more fails here; one that
//! makes them cost less may lower a limit.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod calls;
mod preemption;
mod work;

use std::iter;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use berth_core::model::Pod;
use berth_tests::engine::{Engine, Questions, Scene, Setup, Workload};

/// Few enough to be quick, and more than the constants in these tests.
const NODES: usize = 60;

/// Components that count what they do. They are compiled by the first of these tests that comes here, and kept for all of them
/// and for later runs.
fn setup() -> Setup {
    static COMPILED: OnceLock<()> = OnceLock::new();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine-costs");
    let setup = || Setup { counts_work: true, cache_dir: Some(kept.clone()), ..Setup::default() };
    COMPILED.get_or_init(|| drop(Engine::start(iter::empty(), &[], setup()).expect("the default components")));
    setup()
}

fn scene(workload: Workload, nodes: usize) -> Scene {
    Scene::with(workload, nodes, 1, setup()).unwrap_or_else(|error| panic!("{}: {error:#}", workload.name))
}

/// Places so many pods in turn, and has each bound.
fn place(scene: &mut Scene, pods: usize, next: fn(&mut Scene) -> Result<Arc<Pod>>) -> Questions {
    scene.engine.take_questions();
    for _ in 0..pods {
        let pod = next(scene).expect("a pod that can be read");
        scene.engine.enqueue(pod.clone());
        let (_, node) = scene.engine.decide().expect("room for every pod");
        scene.engine.bind(&pod, &node);
        scene.engine.take_deliveries();
    }
    scene.engine.take_questions()
}

/// Places pods of known templates: the first of each, and then as many as say what they cost on the average. Those are given,
/// and their number.
fn place_known(scene: &mut Scene, workload: &Workload) -> (Questions, usize) {
    place(scene, workload.templates.max(10), Scene::next_pod);
    let pods = workload.templates.clamp(10, 40);
    (place(scene, pods, Scene::next_pod), pods)
}
