//! Runs a component that answers with values of the right type and random content (`tests/guests/hostile`), in a
//! cluster that also has pods of a profile without the component. Half of the seeds have the component for version 0.1
//! of the contract. Checks that the pods without the component are
//! placed, that memory stays bounded, and that each failure names the plugin.
//!
//! `HOSTILE_BASE=B` repeats a run, `HOSTILE_SEEDS=N` sets the number of seeds, and `HOSTILE_SEED=S` runs a single
//! seed.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod answers;
mod cluster;
mod component;
mod conditions;
mod seeds;

use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use peak_alloc::PeakAlloc;

use crate::answers::Counts;
use crate::cluster::Cluster;
use crate::component::Component;

/// Counts the bytes that the process allocates, without the linear memory of instances.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The maximum number of bytes per thread of the test: allocated on the heap, and resident in memory. Resident memory
/// includes the linear memory of instances.
const MOST_HEAP: u64 = 192 << 20;
const MOST_RESIDENT: u64 = 512 << 20;

/// With fewer seeds, a kind of answer may be missing by chance.
const ENOUGH_SEEDS: usize = 500;

/// The component is at all extension points except queue-sort, which all profiles share.
#[test]
fn pods_without_the_component_are_placed() -> Result<()> {
    let counts = run("pods_without_the_component_are_placed", |component, seed| {
        let mut cluster = Cluster::start(component, seed)?;
        cluster.live()?;
        cluster.end()
    })?;
    if seeds::seeds().len() >= ENOUGH_SEEDS {
        let never = counts.never_accepted();
        ensure!(never.is_empty(), "never accepted: {never:?}");
    }
    Ok(())
}

/// The component sorts every pod. All pods of the other profile must be placed in the end.
#[test]
fn pods_that_the_component_sorts_are_placed() -> Result<()> {
    run("pods_that_the_component_sorts_are_placed", |component, seed| {
        let mut cluster = Cluster::sorted(component, seed)?;
        cluster.live()?;
        cluster.end()
    })
    .map(drop)
}

/// Runs each seed, and prints how often each kind of answer was accepted.
fn run(test: &str, one: impl Fn(&Component, u64) -> Result<Counts> + Sync) -> Result<Counts> {
    let components = Component::load_all()?;
    let all = Mutex::new(Counts::default());
    seeds::for_each_seed(test, |seed| {
        // The component's answers are valid for even seeds, so each version has seeds of both kinds.
        let [newest, oldest] = &components;
        let counts = one(if seed % 4 < 2 { newest } else { oldest }, seed)?;
        all.lock().expect("no other thread has panicked").add(counts);
        Ok(())
    })?;
    let (heap, resident) = (HEAP.peak_usage() as u64, most_resident()?);
    // Both tests can run at the same time.
    let threads = 2 * seeds::threads() as u64;
    let (most_heap, most_resident) = (threads * MOST_HEAP, threads * MOST_RESIDENT);
    ensure!(heap <= most_heap, "{heap} bytes were allocated at a time, more than {most_heap}");
    ensure!(resident <= most_resident, "{resident} bytes were resident at a time, more than {most_resident}");
    let counts = all.into_inner().ok().context("a thread has panicked")?;
    let (heap, resident) = (heap >> 20, resident >> 20);
    seeds::say(&format!(
        "hostile: {test}: at most {heap} MiB of the heap, {resident} MiB resident; accepted:\n{counts}"
    ));
    Ok(counts)
}

/// Returns the peak of the process's resident memory, in bytes.
fn most_resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("/proc/self/status has no VmHWM")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib << 10)
}
