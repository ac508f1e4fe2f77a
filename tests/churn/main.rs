//! Memory under endless churn: pods, nodes and objects that plugins read come and go in a cluster of constant size.
//! Every pod and every node is unique. The memory that the core and the components hold for them must not grow.
//!
//! The maximum of the last third of a run may exceed the maximum of the middle third only slightly.
//! `CAMPAIGN_SECONDS` sets the minimum duration. `CAMPAIGN_SEED` repeats a run.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod cluster;
mod memory;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};

use peak_alloc::PeakAlloc;

use crate::cluster::Cluster;
use crate::memory::MemoryUse;

/// Counts allocated bytes. Resident memory alone would hide a leak in the memory that compilation has freed.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The number of pods between two samples.
const LOOK_EVERY: usize = 250;

/// The minimum number of samples of a run. The first third of them covers 20,000 pods, in which bounded structures
/// such as the cache's change log fill up.
const LEAST_LOOKS: usize = 240;

/// The memory in the last third may exceed the memory in the middle third by this percentage plus this number of bytes.
const MORE_PERCENT: u64 = 10;
const MORE_BYTES: u64 = 4 << 20;

/// The interval between progress messages.
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

fn run(seed: u64, seconds: Duration, looks: &mut Vec<MemoryUse>) -> Result<()> {
    let mut cluster = Cluster::start(seed)?;
    let began = Instant::now();
    let mut said = began;
    while began.elapsed() < seconds || looks.len() < LEAST_LOOKS {
        for _ in 0..LOOK_EVERY {
            cluster.change()?;
        }
        let held = cluster.memory()?;
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

/// Checks that the maximum of the last third exceeds the maximum of the middle third only slightly.
fn plateau(looks: &[MemoryUse], what: &str, of: impl Fn(&MemoryUse) -> u64) -> Result<()> {
    let third = looks.len() / 3;
    let most = |looks: &[MemoryUse]| looks.iter().map(&of).max().context("no look at what is held");
    let (middle, last) = (most(&looks[third..2 * third])?, most(&looks[2 * third..])?);
    let bound = middle + middle * MORE_PERCENT / 100 + MORE_BYTES;
    ensure!(last <= bound, "{what} held {middle} bytes in the middle third, and {last} in the last, more than {bound}");
    Ok(())
}

/// Writes all samples to a file, one per line, for a plot.
fn keep(seed: u64, looks: &[MemoryUse]) -> Result<String> {
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

/// Reads a line of `/proc/self/status`. Returns bytes.
fn status(key: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let Some(line) = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')) else {
        bail!("/proc/self/status has no {key}")
    };
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
}
