//! The seeds of a run. Each run uses new seeds, prints them, and starts with the seeds that failed in the past.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};

/// The number of new seeds in a run.
const SEEDS: u64 = 500;

/// Seeds that failed in the past. Add a failing seed here when its fault is fixed.
const KEPT: [u64; 0] = [];

/// Returns the seeds of this run, in order.
pub fn seeds() -> Vec<u64> {
    if let Some(seed) = number("HOSTILE_SEED") {
        return vec![seed];
    }
    let base = base();
    KEPT.into_iter().chain(base..base.saturating_add(number("HOSTILE_SEEDS").unwrap_or(SEEDS))).collect()
}

/// Returns the first new seed, which is drawn once per run and printed.
fn base() -> u64 {
    static BASE: OnceLock<u64> = OnceLock::new();
    *BASE.get_or_init(|| {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let drawn = number("HOSTILE_BASE").unwrap_or(since_1970.as_millis() as u64);
        say(&format!("hostile: HOSTILE_BASE={drawn}"));
        drawn
    })
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, not a whole number")))
}

/// Prints to stderr directly, because the test harness hides the output of tests that pass.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Returns the number of seeds that a test runs at a time.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the test with each seed, on all processors. An error says how to repeat its seed.
pub fn for_each_seed(test: &str, one: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    let (seeds, next) = (seeds(), AtomicU64::new(0));
    let work = || {
        while let Some(&seed) = seeds.get(next.fetch_add(1, Relaxed) as usize) {
            let repeat = || format!("repeat it: HOSTILE_SEED={seed} cargo test -p berth-tests --test hostile {test}");
            if let Err(error) = one(seed).with_context(repeat) {
                // Stops the other threads.
                next.store(seeds.len() as u64, Relaxed);
                return Err(error);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("a seed panicked"))?);
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}
