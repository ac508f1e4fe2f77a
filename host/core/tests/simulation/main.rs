//! Runs the core through thousands of seeded histories. Nodes and pods are created, changed and deleted, bindings
//! fail or are answered late, and pods are preempted. Plugins trap, are swapped, reserve, make pods wait, assume
//! objects, and return intents that succeed or fail. `world/checks.rs` holds the invariants.

#![expect(clippy::panic, reason = "a check that fails says so by panicking")]

mod answers;
mod choice;
mod cluster;
mod extenders;
mod keeping;
mod ledger;
mod plugins;
mod seeds;
mod spread;
mod wakeups;
mod world;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use keeping::{Flush, Keeping};
use seeds::{for_each_seed, seeds};
use world::{World, checks};

/// Events that come one at a time at the end of a history: no other event can wake the pods that one of them helps.
const LONE_EVENTS: usize = 8;

fn whatever_happens(test: &str, keeping: Keeping) {
    let [placed, evicted, executed, compared, activated] = [const { AtomicUsize::new(0) }; 5];
    for_each_seed(test, |seed| {
        let mut world = World::new(seed, keeping, Flush::On);
        world.live(120);
        world.settle();
        checks::nothing_is_forgotten(&world);
        placed.fetch_add(world.bound, Relaxed);
        evicted.fetch_add(world.evicted, Relaxed);
        executed.fetch_add(world.executed, Relaxed);
        compared.fetch_add(world.plugins.choice.compared, Relaxed);
        activated.fetch_add(world.activated, Relaxed);
    });
    let all = [placed, evicted, executed, compared, activated];
    let [placed, evicted, executed, compared, activated] = all.map(AtomicUsize::into_inner);
    assert!(activated > 0 || placed < 100, "no pod was ever activated: the simulation does not test it");
    assert!(placed > 0, "no pod was ever placed: the simulation tests nothing");
    assert!(executed > 0 || placed < 100, "no intent was ever executed: the simulation does not test it");
    assert!(compared > 0 || placed < 100, "no choice of a node was compared: the simulation does not test it");
    assert!(evicted > 0 || placed < 100, "no pod was ever evicted: the simulation does not test it");
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_cached_results() {
    whatever_happens("no_pod_is_lost_or_placed_wrongly_with_cached_results", Keeping::Kept);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_a_small_cache() {
    whatever_happens("no_pod_is_lost_or_placed_wrongly_with_a_small_cache", Keeping::Few);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_without_a_cache() {
    whatever_happens("no_pod_is_lost_or_placed_wrongly_without_a_cache", Keeping::Anew);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_verified_results() {
    whatever_happens("no_pod_is_lost_or_placed_wrongly_with_verified_results", Keeping::Checked);
}

#[test]
fn an_event_wakes_every_pod_that_it_helps() {
    let slept = AtomicUsize::new(0);
    for_each_seed("an_event_wakes_every_pod_that_it_helps", |seed| {
        let keeping = Keeping::ALL[(seed % 4) as usize];
        let mut world = World::new(seed, keeping, Flush::Off);
        world.live(120);
        world.settle();
        slept.fetch_add(wakeups::every_pod_that_fits_was_woken(&world), Relaxed);
        let mut rng = fastrand::Rng::with_seed(!seed);
        for _ in 0..LONE_EVENTS {
            wakeups::change_one_thing(&mut world.cluster, &mut rng);
            world.settle();
            slept.fetch_add(wakeups::every_pod_that_fits_was_woken(&world), Relaxed);
        }
        checks::nothing_is_forgotten(&world);
    });
    let slept = slept.into_inner();
    assert!(slept > 0 || seeds().len() == 1, "no pod ever waited: the simulation does not test wake-ups");
}

/// Other clients bind, resize and recreate pods, and watches break. There are two profiles, extenders, and up to 40
/// nodes.
#[test]
fn no_pod_is_lost_when_other_clients_interfere() {
    let placed = AtomicUsize::new(0);
    for_each_seed("no_pod_is_lost_when_other_clients_interfere", |seed| {
        let flush = if seed.is_multiple_of(2) { Flush::On } else { Flush::Off };
        let mut world = World::with_others(seed, Keeping::ALL[(seed / 2 % 4) as usize], flush);
        world.live(120);
        world.settle();
        if flush == Flush::Off {
            wakeups::every_pod_that_fits_was_woken(&world);
        }
        checks::nothing_is_forgotten(&world);
        placed.fetch_add(world.bound, Relaxed);
        world.end();
    });
    assert!(placed.into_inner() > 0, "no pod was ever placed: the simulation tests nothing");
}

#[test]
fn decision_records_change_no_decision() {
    let recorded = AtomicUsize::new(0);
    for_each_seed("decision_records_change_no_decision", |seed| {
        let keeping = Keeping::ALL[(seed % 4) as usize];
        let [with, without] = [true, false].map(|records| {
            let mut world = World::recording(seed, keeping, records);
            world.live(120);
            world.settle();
            recorded.fetch_add(world.recorded, Relaxed);
            world.history
        });
        assert_eq!(with, without, "seed {seed}, {keeping:?}");
    });
    assert!(recorded.into_inner() > 0, "no decision was ever recorded: the simulation tests nothing");
}

/// Whether and how much is cached changes no action.
#[test]
fn a_cache_of_any_size_gives_the_same_history() {
    let placed = AtomicUsize::new(0);
    for_each_seed("a_cache_of_any_size_gives_the_same_history", |seed| {
        let mut first: Option<Vec<String>> = None;
        for keeping in Keeping::ALL {
            let mut world = World::without_traps(seed, keeping);
            world.live(120);
            world.settle();
            placed.fetch_add(world.bound, Relaxed);
            let first = first.get_or_insert_with(|| world.history.clone());
            assert_same(first, &world.history, &format!("with {keeping:?}"));
        }
    });
    assert!(placed.into_inner() > 0, "no pod was ever placed: the simulation tests nothing");
}

/// A core that is made from a checkpoint takes the same actions as the original core, although its result cache is
/// empty.
#[test]
fn a_restored_core_gives_the_same_history() {
    let restored = AtomicUsize::new(0);
    for_each_seed("a_restored_core_gives_the_same_history", |seed| {
        let keeping = Keeping::ALL[(seed / 2 % 4) as usize];
        let [expected, found] = [false, true].map(|restores| {
            let mut world = World::with_restores(seed, keeping, restores);
            world.live(120);
            world.settle();
            restored.fetch_add(world.restored, Relaxed);
            world.history
        });
        assert_same(&expected, &found, &format!("with restores, {keeping:?}"));
    });
    assert!(restored.into_inner() > 0, "no core was ever restored: the simulation tests nothing");
}

/// Checks that two histories are equal.
fn assert_same(expected: &[String], found: &[String], what: &str) {
    let differs = expected.iter().zip(found).position(|(one, other)| one != other);
    let differs = differs.or((expected.len() != found.len()).then(|| expected.len().min(found.len())));
    if let Some(at) = differs {
        let around = |history: &[String]| history[at.saturating_sub(2)..history.len().min(at + 2)].to_vec();
        panic!("action {at} differs {what}:\n{:#?}\n{:#?}", around(expected), around(found));
    }
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for (seed, keeping) in seeds().into_iter().step_by(25).zip(Keeping::ALL.into_iter().cycle()) {
        let histories = [(); 2].map(|()| {
            let mut world = World::new(seed, keeping, Flush::On);
            world.live(120);
            world.settle();
            world.history
        });
        assert_eq!(histories[0], histories[1], "seed {seed}, {keeping:?}");
    }
}
