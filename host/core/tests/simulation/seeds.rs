//! The seeds of the histories. Each run starts with the seeds that failed once, then uses new seeds. The run prints the
//! first new seed as `SIMULATION_BASE`.
//!
//! `SIMULATION_BASE=B` repeats a run, `SIMULATION_SEEDS=N` sets the number of histories of each variant, and
//! `SIMULATION_SEED=S` runs a single history.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of histories of each variant. A variant is a test that calls [`for_each_seed`].
const HISTORIES: u64 = 1_700;

/// Seeds whose histories failed once. When a fault is fixed, the seed that found it is added here.
const KEPT: [u64; 6] = [8, 183, 294, 490, 1_795_446_039_878, 1_795_594_404];

/// Returns the seeds of this run, in order.
pub fn seeds() -> Vec<u64> {
    if let Some(seed) = number("SIMULATION_SEED") {
        return vec![seed];
    }
    let base = base();
    let histories = number("SIMULATION_SEEDS").unwrap_or(HISTORIES);
    KEPT.into_iter().chain(base..base.saturating_add(histories)).collect()
}

/// Returns the first new seed, which is drawn once in a run and printed.
#[expect(clippy::disallowed_methods, reason = "the clock chooses the histories, and is no part of them")]
fn base() -> u64 {
    static BASE: OnceLock<u64> = OnceLock::new();
    *BASE.get_or_init(|| {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let drawn = number("SIMULATION_BASE").unwrap_or(since_1970.as_millis() as u64);
        // Written to stderr directly, because the test harness hides the output of a test that passes.
        let _ = writeln!(std::io::stderr(), "simulation: SIMULATION_BASE={drawn}");
        drawn
    })
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, not a whole number")))
}

/// Runs the history of each seed, on all processors. A failed history prints the command that repeats it.
pub fn for_each_seed(test: &str, history: impl Fn(u64) + Sync) {
    let (seeds, next) = (seeds(), AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    while let Some(&seed) = seeds.get(next.fetch_add(1, Relaxed) as usize) {
                        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| history(seed))) {
                            // The other histories need not run.
                            next.store(seeds.len() as u64, Relaxed);
                            eprintln!(
                                "repeat it: SIMULATION_SEED={seed} cargo test -p berth-core --test simulation {test}"
                            );
                            resume_unwind(panic);
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
    });
}
