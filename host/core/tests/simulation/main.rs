//! The core under thousands of seeded histories: nodes come, change and go, pods are made and deleted, binds fail or
//! answer late, pods are evicted for others; plugins trap and are swapped, reserve, keep pods waiting, assume things and have
//! them done, or not. See `checks.rs` for what must hold.

#![expect(clippy::panic, reason = "a check that fails says so by panicking")]

mod checks;
mod cluster;
mod keeping;
mod ledger;
mod plugins;
mod spread;
mod world;

use keeping::Keeping;
use world::World;

/// Histories a run; `SIMULATION_SEEDS=N` for more, `SIMULATION_SEED=S` for one alone.
fn seeds() -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SIMULATION_SEEDS").unwrap_or(1000),
    }
}

fn whatever_happens(keeping: Keeping) {
    let (mut placed, mut evicted, mut carried) = (0, 0, 0);
    for seed in seeds() {
        let mut world = World::new(seed, keeping);
        world.live(120);
        world.settle();
        checks::nothing_is_forgotten(&world);
        placed += world.bound;
        evicted += world.evicted;
        carried += world.carried;
    }
    assert!(placed > 0, "no pod was ever placed: the simulation tests nothing");
    assert!(carried > 0 || placed < 100, "nothing was ever carried: the simulation does not test it");
    assert!(evicted > 0 || placed < 100, "room was never made: the simulation does not test it");
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_kept_answers() {
    whatever_happens(Keeping::Kept);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_few_kept_answers() {
    whatever_happens(Keeping::Few);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_answers_asked_for_anew() {
    whatever_happens(Keeping::Anew);
}

#[test]
fn no_pod_is_lost_or_placed_wrongly_with_answers_checked() {
    whatever_happens(Keeping::Checked);
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for (seed, keeping) in seeds().step_by(25).zip(Keeping::ALL.into_iter().cycle()) {
        let histories = [(); 2].map(|()| {
            let mut world = World::new(seed, keeping);
            world.live(120);
            world.settle();
            world.history
        });
        assert_eq!(histories[0], histories[1], "seed {seed}, {keeping:?}");
    }
}
