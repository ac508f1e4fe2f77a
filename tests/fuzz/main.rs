//! Fuzz targets for all code in Berth that reads external input. Inputs are drawn from a seed, mutated from real
//! objects, or built from parts. No input may make Berth panic, hang, allocate more than a multiple of the input's
//! size, or give another answer than a simple reference.
//!
//! Each target has its own file. An input is a sequence of bytes, so that a failing input is a file that repeats
//! the failure. A failing input is shrunk and written to `target/campaign/`. After the fault is fixed, keep the
//! file in `cases/TARGET/`: every run starts with these files. The targets share `CAMPAIGN_SECONDS` seconds.
//! `CAMPAIGN_SEED` repeats a run, and `FUZZ_INPUT=FILE` runs one input.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod arguments;
mod captures;
mod components;
mod configuration;
mod corpus;
mod edits;
mod http;
mod json;
mod objects;
mod protobuf;
mod quantities;
mod run;
mod selectors;
mod target;
mod watch;
mod wire;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use libtest_mimic::{Arguments, Failed, Trial};
use peak_alloc::PeakAlloc;

use crate::run::{Campaign, FAILURES};
use crate::target::Target;

/// Counts the bytes that each input makes Berth allocate.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// All targets.
const TARGETS: &[Target] = &[
    quantities::TARGET,
    selectors::TARGET,
    protobuf::TARGET,
    objects::TARGET,
    configuration::TARGET,
    arguments::TARGET,
    http::TARGET,
    components::TARGET,
    captures::TARGET,
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Trials run one after the other, because allocations are counted for the whole process.
    arguments.test_threads = Some(1);
    watch::start();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the kept cases, followed by one trial of drawn inputs for each target. If `FUZZ_INPUT` is set, returns
/// only its input.
fn trials() -> Result<Vec<Trial>> {
    if let Some(file) = std::env::var_os("FUZZ_INPUT").map(PathBuf::from) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let target = TARGETS.iter().find(|target| name.starts_with(&format!("fuzz-{}-", target.name)));
        let target = target.with_context(|| {
            format!("the file name {name} does not start with fuzz-TARGET-, where TARGET is a target's name")
        })?;
        return Ok(vec![Trial::test(name, move || finish(run::check_file(target, &file)))]);
    }
    let campaign = Campaign::from_environment(TARGETS.len())?;
    let mut trials = Vec::new();
    for target in TARGETS {
        for file in files(&cases().join(target.name))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            trials.push(Trial::test(format!("kept::{}::{name}", target.name), move || {
                finish(run::check_file(target, &file))
            }));
        }
    }
    let drawn = |target: &'static Target| {
        Trial::test(format!("drawn::{}", target.name), move || finish(run::check_drawn(target, &campaign)))
    };
    trials.extend(TARGETS.iter().map(drawn));
    Ok(trials)
}

fn finish(result: Result<()>) -> Result<(), Failed> {
    result.map_err(|error| format!("{error:#}").into())
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FAILURES)
}

/// Returns the files of a folder, sorted by name; none if there is no such folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let files: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut files = files?;
    files.sort();
    Ok(files)
}
