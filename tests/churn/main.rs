//! Memory under endless churn: pods, nodes and objects that plugins read come and go in a cluster of constant size. All pods and nodes
//! are different from each other. What the core and the components hold for them must not grow.
//!
//! The most memory of the last third of a run may be little more than that of the middle third. `CAMPAIGN_SECONDS` says how long the
//! run takes at least, `CAMPAIGN_SEED` repeats one.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod cluster;
mod held;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};

use peak_alloc::PeakAlloc;

use crate::cluster::Cluster;
use crate::held::Held;

/// Counts what is allocated: resident memory alone would hide a leak behind what compiling has left free.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Pods between two looks at what is held.
const LOOK_EVERY: usize = 250;

/// Looks that a run has at least. The first third, 20,000 pods, is for what fills up to its bound: the cache's log takes as many.
const LEAST_LOOKS: usize = 240;

/// How much more than in the middle third may be held in the last, in percent, and in bytes.
const MORE_PERCENT: u64 = 10;
const MORE_BYTES: u64 = 4 << 20;

/// How often progress is said.
const SAY_EVERY: Duration = Duration::from_secs(20);

#[test]
fn memory_stays_bounded() {
    let seed = number("CAMPAIGN_SEED").unwrap_or_else(now);
    let seconds = Duration::from_secs(number("CAMPAIGN_SECONDS").unwrap_or(0));
    println!("churn: CAMPAIGN_SEED={seed} CAMPAIGN_SECONDS={}", seconds.as_secs());
    let mut looks = Vec::new();
    if let Err(error) = run(seed, seconds, &mut looks) {
        let file = keep(seed, &looks).expect("what was held can be written down");
        panic!("CAMPAIGN_SEED={seed} CAMPAIGN_SECONDS={}: {error:#}\nWhat was held: {file}", seconds.as_secs());
    }
}

fn run(seed: u64, seconds: Duration, looks: &mut Vec<Held>) -> Result<()> {
    let mut cluster = Cluster::start(seed)?;
    let began = Instant::now();
    let mut said = began;
    while began.elapsed() < seconds || looks.len() < LEAST_LOOKS {
        for _ in 0..LOOK_EVERY {
            cluster.change()?;
        }
        let held = cluster.held()?;
        held.check(cluster.most())?;
        looks.push(held);
        if said.elapsed() >= SAY_EVERY {
            said = Instant::now();
            println!("churn: {} pods: {held:?}", cluster.pods());
        }
    }
    println!("churn: {} pods: {:?}", cluster.pods(), looks.last());
    plateau(looks, "the heap", |held| held.heap)?;
    plateau(looks, "the process", |held| held.resident)?;
    plateau(looks, "the components", |held| held.components)
}

/// The most of the last third is little more than the most of the middle third.
fn plateau(looks: &[Held], what: &str, of: impl Fn(&Held) -> u64) -> Result<()> {
    let third = looks.len() / 3;
    let most = |looks: &[Held]| looks.iter().map(&of).max().context("no look at what is held");
    let (middle, last) = (most(&looks[third..2 * third])?, most(&looks[2 * third..])?);
    let bound = middle + middle * MORE_PERCENT / 100 + MORE_BYTES;
    ensure!(last <= bound, "{what} held {middle} bytes in the middle third, and {last} in the last, more than {bound}");
    Ok(())
}

/// Writes down every look, for a plot.
fn keep(seed: u64, looks: &[Held]) -> Result<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("campaign");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("churn-{seed}.txt"));
    let lines: Vec<String> = looks.iter().map(|held| format!("{held:?}\n")).collect();
    fs::write(&file, lines.concat())?;
    Ok(file.display().to_string())
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, not a number")))
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A line of `/proc/self/status`, in bytes.
fn status(key: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let Some(line) = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')) else {
        bail!("/proc/self/status has no {key}")
    };
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
}
