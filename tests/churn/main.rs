//! Memory under endless churn: pods, nodes and objects that plugins read come and go in a cluster of constant size.
//! Every pod and every node is unique. The memory that the core and the components hold must not grow.
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
const PODS_PER_SAMPLE: usize = 250;

/// The minimum number of samples of a run. The first third of them covers 20,000 pods, in which bounded structures
/// such as the cache's change log fill up.
const MIN_SAMPLES: usize = 240;

/// The memory in the last third may exceed the memory in the middle third by this percentage plus this number of bytes.
const GROWTH_PERCENT: u64 = 10;
const GROWTH_BYTES: u64 = 4 << 20;

/// The interval between progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(20);

#[test]
fn memory_stays_bounded() {
    let seed = read_number("CAMPAIGN_SEED").unwrap_or_else(now);
    let seconds = Duration::from_secs(read_number("CAMPAIGN_SECONDS").unwrap_or(0));
    println!("churn: CAMPAIGN_SEED={seed} CAMPAIGN_SECONDS={}", seconds.as_secs());
    let mut samples = Vec::new();
    if let Err(error) = run(seed, seconds, &mut samples) {
        let file = write_samples(seed, &samples).expect("the samples can be written");
        panic!("CAMPAIGN_SEED={seed} CAMPAIGN_SECONDS={}: {error:#}\nThe samples are in {file}", seconds.as_secs());
    }
}

fn run(seed: u64, seconds: Duration, samples: &mut Vec<MemoryUse>) -> Result<()> {
    let mut cluster = Cluster::start(seed)?;
    let began = Instant::now();
    let mut last_progress = began;
    while began.elapsed() < seconds || samples.len() < MIN_SAMPLES {
        for _ in 0..PODS_PER_SAMPLE {
            cluster.change()?;
        }
        let sample = cluster.memory()?;
        sample.check(cluster.most())?;
        samples.push(sample);
        if last_progress.elapsed() >= PROGRESS_INTERVAL {
            last_progress = Instant::now();
            println!("churn: {} pods: {sample:?}", cluster.pods());
        }
    }
    println!("churn: {} pods: {:?}", cluster.pods(), samples.last());
    check_growth(samples, "the heap", |sample| sample.heap)?;
    check_growth(samples, "the process", |sample| sample.resident)?;
    check_growth(samples, "the components", |sample| sample.components)
}

/// Checks that the maximum of the last third exceeds the maximum of the middle third only slightly.
fn check_growth(samples: &[MemoryUse], label: &str, value: impl Fn(&MemoryUse) -> u64) -> Result<()> {
    let third = samples.len() / 3;
    let most = |samples: &[MemoryUse]| samples.iter().map(&value).max().context("there are no samples");
    let (middle, last) = (most(&samples[third..2 * third])?, most(&samples[2 * third..])?);
    let bound = middle + middle * GROWTH_PERCENT / 100 + GROWTH_BYTES;
    ensure!(
        last <= bound,
        "{label}: {last} bytes in the last third exceed {bound}, which follow from {middle} in the middle third"
    );
    Ok(())
}

/// Writes all samples to a file, one per line, for a plot.
fn write_samples(seed: u64, samples: &[MemoryUse]) -> Result<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("campaign");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("churn-{seed}.txt"));
    let lines: Vec<String> = samples.iter().map(|sample| format!("{sample:?}\n")).collect();
    fs::write(&file, lines.concat())?;
    Ok(file.display().to_string())
}

fn read_number(variable: &str) -> Option<u64> {
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
