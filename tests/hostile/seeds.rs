//! Which seeds are run: each run has new ones, says which, and begins with those that failed once.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};

/// Seeds of a run.
const SEEDS: u64 = 500;

/// Seeds that failed once. A seed that fails is added here when its fault is mended.
const KEPT: [u64; 0] = [];

/// The seeds of this run, in order.
pub fn seeds() -> Vec<u64> {
    if let Some(seed) = number("HOSTILE_SEED") {
        return vec![seed];
    }
    let base = base();
    KEPT.into_iter().chain(base..base.saturating_add(number("HOSTILE_SEEDS").unwrap_or(SEEDS))).collect()
}

/// The first seed that is new, drawn once in a run and printed.
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

/// Prints to stderr itself: what a test that passes prints is not shown.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// How many seeds a test runs at a time.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the test with each seed, on all processors. An error says how its seed is repeated.
pub fn for_each_seed(test: &str, one: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    let (seeds, next) = (seeds(), AtomicU64::new(0));
    let work = || {
        while let Some(&seed) = seeds.get(next.fetch_add(1, Relaxed) as usize) {
            let repeat =
                || format!("repeat it: HOSTILE_SEED={seed} cargo test --release -p berth-tests --test hostile {test}");
            if let Err(error) = one(seed).with_context(repeat) {
                // The others need not go on.
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
