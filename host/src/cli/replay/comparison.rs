//! Compares policies on a recorded cluster.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::{Context, Result, bail};
use berth_capture::record::Source;
use berth_replay::{Comparison, Decider, History, compare};

use super::compaction::Compactor;
use super::condition::Condition;
use super::input::Counted;
use super::policies::{self, LoadedPolicy, PolicyFlags};
use super::table::ComparisonReport;
use super::{components_with, plot};
use crate::cli::output::{self, OutputFlag};
use crate::cli::progress::Progress;

/// The flags of a comparison.
#[derive(Debug, clap::Args)]
pub(super) struct ComparisonFlags {
    #[command(flatten)]
    pub policies: PolicyFlags,
    /// Write a chart of the policies over time.
    #[arg(long, value_name = "FILE.svg", help_heading = "Comparison")]
    plot: Option<PathBuf>,
    /// Fail if this CEL expression over base and new is true; can be repeated.
    ///
    /// The fields are those of -o json. Example: 'new.pending.p99 > 1.1 * base.pending.p99'.
    #[arg(long, value_name = "EXPRESSION", value_parser = Condition::parse, help_heading = "Comparison")]
    fail_if: Vec<Condition>,
    /// Compute the fewest nodes also for clusters with more than 2,000 pods.
    #[arg(long, help_heading = "Comparison")]
    compaction: bool,
}

impl ComparisonFlags {
    /// Checks that flags of a comparison are not given without one.
    ///
    /// # Errors
    /// A flag is given that has no effect.
    pub fn check_unused(&self) -> Result<()> {
        let flags = [("--plot", self.plot.is_some()), ("--fail-if", !self.fail_if.is_empty())];
        let flags = flags.into_iter().chain([("--compaction", self.compaction)]);
        if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) {
            bail!("{flag} is about a comparison; name another policy with --plugins or --config");
        }
        Ok(())
    }
}

/// Compares the policies on the cluster of the capture. The exit status tells whether a condition is true.
///
/// # Errors
/// The capture or a policy can't be read, a plugin reads what the capture lacks, or a condition can't be evaluated.
pub(super) fn run(
    path: &Path,
    files: &[PathBuf],
    modules: Option<&Path>,
    flags: &ComparisonFlags,
    output: OutputFlag,
) -> Result<ExitCode> {
    let history = read(files)?;
    let modules = policies::modules(&files[0], modules);
    let mut notes = Vec::new();
    let deciders = deciders(&history, modules.as_deref(), &flags.policies, &mut notes)?;
    let compactor = Compactor { is_always: flags.compaction };
    let comparison = play(&history, deciders, &compactor)?;
    if let Some(file) = &flags.plot {
        plot::write(&comparison, file).with_context(|| format!("--plot: {}", file.display()))?;
    }
    let mut failures = Vec::new();
    for condition in &flags.fail_if {
        failures.extend(condition.failures(&comparison)?);
    }
    let has_failed = !failures.is_empty();
    let report = ComparisonReport::new(path.display().to_string(), &history, comparison, notes, failures);
    output::print(&report, output.format)?;
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn read(files: &[PathBuf]) -> Result<History> {
    let read = Arc::<AtomicUsize>::default();
    let mut opened = Vec::new();
    let mut total = 0;
    for path in files {
        let (file, size) = Counted::open(path, &read).with_context(|| path.display().to_string())?;
        total += size;
        opened.push((path.clone(), file));
    }
    let _progress = Progress::counted("bytes read", total, read);
    Ok(History::read(opened)?)
}

/// Returns what is compared, the base first.
fn deciders(
    history: &History,
    modules: Option<&Path>,
    flags: &PolicyFlags,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, Decider)>> {
    let of_the_capture = || -> Result<Decider> {
        let components = components_with(history.header(), modules.map(Path::to_owned))?;
        Ok(Decider::CapturePolicy(Arc::new(components)))
    };
    let mut deciders = match history.source() {
        Source::Scheduler => vec![("base".to_owned(), of_the_capture()?)],
        Source::Cluster => vec![("recorded".to_owned(), Decider::Recorded)],
    };
    if !history.header().extenders.is_empty() {
        notes.push("Extenders are not asked, so pods can be placed where an extender did not let them.".to_owned());
    }
    if flags.is_given() {
        for LoadedPolicy { name, decider, notes: more } in flags.load(history, modules)? {
            notes.extend(more);
            deciders.push((name, decider));
        }
    } else {
        deciders.push(("berth".to_owned(), of_the_capture()?));
    }
    Ok(deciders)
}

fn play(history: &History, deciders: Vec<(String, Decider)>, compactor: &Compactor) -> Result<Comparison> {
    let played = Arc::<AtomicUsize>::default();
    let total = history.len() * deciders.len();
    let _progress = Progress::counted("changes played back", total, Arc::clone(&played));
    let mut report = |number, changes| played.store(history.len() * number + changes, Relaxed);
    let mut compaction = |decider: &Decider, copy: &_, at| compactor.fewest_nodes(history, decider, copy, at);
    Ok(compare(history, deciders, &mut report, &mut compaction)?)
}
