//! `berth replay`: plays a capture back, with the recorded policy or with others.

mod compaction;
mod comparison;
mod condition;
pub(super) mod input;
mod plot;
mod policies;
mod report;
mod table;
mod ui;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use berth_capture::record::Source;
use berth_capture::{CaptureReader, Header};
use berth_config::Configuration;
use berth_config::v1alpha1::BerthConfiguration;
use berth_plugin_host::ComponentSet;
use berth_replay::{Outcome, Replay, ReplayError, ReplayOptions, patient};
use tokio::runtime::Runtime;

use self::comparison::ComparisonFlags;
use self::input::Counted;
use self::report::Report;
use super::components;
use super::exit_status;
use super::output::{self, OutputFlag};
use super::port::Port;
use super::progress::Progress;

const EXIT: &[(u8, &str)] = &[
    (0, "every action is the recorded one, no condition of --fail-if is true, or Ctrl-C ended --ui"),
    (1, "an action differs, a condition is true, or the capture can't be played back to its end"),
];

/// Arguments of `berth replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// File of a capture, or the directory of --capture.
    #[arg(value_name = "PATH")]
    capture: PathBuf,
    /// Directory of the components that served [default: modules, beside the capture].
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// Keep the capture as a test case of Berth, with the actions of this replay.
    ///
    /// For contributors: writes tests/captures/NAME.jsonl.zst in the repository, which is the current directory. The test
    /// then checks that these actions stay the same.
    #[arg(long, value_name = "NAME")]
    keep: Option<String>,
    /// Serve a read-only web page of the capture over HTTP on 127.0.0.1, until Ctrl-C.
    ///
    /// The page shows the cluster and the decisions at any moment of the capture. Without a port, any free port is used.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "any", conflicts_with = "keep")]
    ui: Option<Port>,
    #[command(flatten)]
    comparison: ComparisonFlags,
    #[command(flatten)]
    output: OutputFlag,
}

/// Plays the capture back. The exit status tells whether all actions are the recorded ones, or whether a condition of a
/// comparison is true.
///
/// # Errors
/// The capture or a component can't be read, or a recorded component is not here.
pub(super) fn run(args: &Args, runtime: &Runtime) -> Result<ExitCode> {
    let files = input::files(&args.capture)?;
    if let Some(modules) = &args.modules {
        ensure!(modules.is_dir(), "--modules: {} is not a directory", modules.display());
    }
    if let Some(port) = args.ui {
        let port = port.to_bind().context("--ui: the port 0 serves nothing; use a port from 1, or `any`")?;
        let is_comparison = args.comparison.policies.is_given();
        ensure!(!is_comparison, "--ui shows the policy of the capture; leave out --plugins and --config");
        args.comparison.check_unused()?;
        return ui::serve(&args.capture, files, args.modules.clone(), port, runtime);
    }
    if args.comparison.policies.is_given() || source(&files[0])? == Source::Cluster {
        if args.keep.is_some() {
            bail!("--keep keeps the actions of a scheduler that recorded itself, and compares no policies");
        }
        return comparison::run(&args.capture, &files, args.modules.as_deref(), &args.comparison, args.output);
    }
    args.comparison.check_unused()?;
    if let (Some(_), true) = (&args.keep, files.len() > 1) {
        bail!("--keep: {} has several files; name one of them", args.capture.display());
    }
    let mut report = Report::new(args.capture.display().to_string(), files.len());
    for path in &files {
        let (outcome, truncated) = replay(path, args).with_context(|| path.display().to_string())?;
        report.add(path.display().to_string(), outcome, truncated);
    }
    output::print(&report, args.output.format)?;
    Ok(if report.is_identical() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays a file back. Also returns why it could not be played back to its end, if there is a reason.
fn replay(path: &Path, args: &Args) -> Result<(Outcome, Option<String>)> {
    let read = Arc::default();
    let (file, total) = Counted::open(path, &read)?;
    let reader = CaptureReader::new(file)?;
    let components = components_of(reader.header(), path, args.modules.clone())?;
    let mut replay = Replay::new(reader, Arc::new(components), ReplayOptions::default())?;
    if let Some(name) = &args.keep {
        let kept = input::kept(name)?;
        let copy = File::create_new(&kept).with_context(|| format!("--keep: {}", kept.display()))?;
        replay.copy_to(Box::new(BufWriter::new(copy)))?;
    }
    let progress = Progress::counted("bytes played back", total, read);
    let ended = play(&mut replay);
    drop(progress);
    let truncated = match ended {
        Ok(()) => None,
        Err(error) => Some(error.truncated()?.to_string()),
    };
    Ok((replay.outcome().clone(), truncated))
}

fn play<R: std::io::Read>(replay: &mut Replay<R>) -> Result<(), ReplayError> {
    while replay.step()? {}
    Ok(())
}

/// Returns who decided about the pods of the capture.
fn source(file: &Path) -> Result<Source> {
    let reader = CaptureReader::open(file).with_context(|| file.display().to_string())?;
    Ok(reader.header().source)
}

/// Loads the components for a replay of this file: the default plugins and those in `modules`, or else in the folder
/// beside the file.
///
/// # Errors
/// The configuration in the capture is invalid, or the folder can't be read.
pub(super) fn components_of(header: &Header, path: &Path, modules: Option<PathBuf>) -> Result<ComponentSet> {
    components_with(header, modules.or_else(|| input::modules(path)))
}

/// Loads the default plugins, and the components in this directory.
fn components_with(header: &Header, modules: Option<PathBuf>) -> Result<ComponentSet> {
    let berth = configuration(header)?;
    let limits = Arc::new(patient(&berth.limits()));
    components::load(&crate::loader_options(&berth, modules, limits)?)
}

/// Returns the BerthConfiguration of the capture, without its directories: a file from somewhere else must not choose
/// where this program reads and writes.
fn configuration(header: &Header) -> Result<BerthConfiguration> {
    let text = header.configuration.to_string();
    let parsed: Result<Configuration, _> = berth_config::parse(&text, "the configuration in the capture");
    Ok(BerthConfiguration { plugin_directory: None, cache_directory: None, ..parsed?.berth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_names_no_directories() {
        let text = serde_json::json!({
            "apiVersion": "berth.dev/v1alpha1",
            "kind": "BerthConfiguration",
            "pluginDirectory": "/elsewhere",
            "cacheDirectory": "/elsewhere",
            "seed": 7,
        });
        let berth = configuration(&Header { configuration: text, ..Header::default() }).expect("a configuration");
        assert_eq!((berth.plugin_directory, berth.cache_directory, berth.seed), (None, None, Some(7)));
        assert!(configuration(&Header { configuration: 7.into(), ..Header::default() }).is_err());
    }
}
