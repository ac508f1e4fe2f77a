//! `berth plugin replay`: asks a local build of a plugin about the scheduling attempts of one pod in a capture.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use berth_capture::CaptureReader;
use berth_capture::record::Source;
use berth_core::decision::DecisionOptions;
use berth_core::limits::Limits;
use berth_plugin_host::ComponentSet;
use berth_plugin_host::examine::open;
use berth_replay::calls::{Attempts, Build, Calls, CallsError, ComparedAttempt};
use berth_replay::{Replay, ReplayOptions, patient};
use serde::Serialize;

use super::check;
use crate::cli::exit_status;
use crate::cli::output::{self, Listing, OutputFlag, new_fitted_table, new_table, or_dash};
use crate::cli::progress::Progress;
use crate::cli::replay::{components_of, input};

const EXIT: &[(u8, &str)] =
    &[(0, "both builds gave the same answers"), (1, "an answer differs, or the builds can't be compared")];

/// The namespace of a pod without one.
const DEFAULT_NAMESPACE: &str = "default";

/// Arguments of `berth plugin replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// File of a capture, or the directory of --capture.
    #[arg(value_name = "PATH")]
    capture: PathBuf,
    /// Pod, as NAMESPACE/NAME, or NAME in the namespace default.
    #[arg(long, value_name = "POD")]
    pod: String,
    /// Component file of the local build (*.wasm).
    ///
    /// The plugin's name decides with which plugin of the capture the build is compared.
    #[arg(long, value_name = "FILE")]
    module: PathBuf,
    /// Directory of the components that served [default: modules, beside the capture].
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// Number of attempts to compare, the last ones, 1 to 100.
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    attempts: u32,
    /// Number of nodes to show for each attempt; nodes that differ first.
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    nodes: usize,
    #[command(flatten)]
    output: OutputFlag,
}

/// The output of `berth plugin replay`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The capture.
    capture: String,
    /// Namespace and name of the pod.
    pod: String,
    /// The name of the plugin.
    plugin: String,
    /// The local build.
    local: Build,
    /// Another build than the recorded one was asked as the recorded one, because the component that served is not here.
    other_build: bool,
    /// The number of events of the capture with other actions than the recorded ones.
    differing_events: u64,
    /// The files that could not be played back to their ends, with the reasons.
    truncated: Vec<String>,
    /// The comparison.
    #[serde(flatten)]
    calls: Calls,
}

/// Compares the local build with the recorded one. The exit status tells whether all answers are equal.
///
/// # Errors
/// The capture can't be played back, the component is no plugin, or the pod or the plugin is not in the capture.
pub(super) fn replay(args: &Args) -> Result<ExitCode> {
    let (namespace, name) = pod(&args.pod)?;
    if let Some(modules) = &args.modules {
        ensure!(modules.is_dir(), "--modules: {} is not a directory", modules.display());
    }
    let files = input::files(&args.capture)?;
    let local = match open(&args.module, None, &Arc::new(patient(&Limits::default()))) {
        Ok(opened) => Arc::new(opened.component),
        Err(error) => return check::refused(&args.module, error),
    };
    let mut attempts = Attempts::new(namespace, name, Arc::clone(&local.name), args.attempts as usize);
    let mut report = Report {
        capture: args.capture.display().to_string(),
        pod: format!("{namespace}/{name}"),
        plugin: local.name.to_string(),
        local: Build::of(&local),
        other_build: false,
        differing_events: 0,
        truncated: Vec::new(),
        calls: Calls { equal: true, earlier_attempts: 0, attempts: Vec::new() },
    };
    let mut components = Components::default();
    for file in &files {
        play(file, args, &mut components, &mut attempts, &mut report).with_context(|| file.display().to_string())?;
    }
    let progress = Progress::timed("asking both builds");
    let calls = attempts.compare(&local, args.nodes);
    drop(progress);
    report.calls = calls?;
    output::print(&report, args.output.format)?;
    Ok(if report.calls.equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns namespace and name.
fn pod(text: &str) -> Result<(&str, &str)> {
    let (namespace, name) = text.split_once('/').unwrap_or((DEFAULT_NAMESPACE, text));
    ensure!(
        !namespace.is_empty() && !name.is_empty() && !name.contains('/'),
        "--pod: {text:?} is no pod; use NAMESPACE/NAME"
    );
    Ok((namespace, name))
}

/// The components of the last file, with the configuration for which they were loaded.
#[derive(Default)]
struct Components(Option<(serde_json::Value, Arc<ComponentSet>)>);

/// Plays a file back and notes the attempts of the pod.
fn play(
    file: &Path,
    args: &Args,
    Components(loaded): &mut Components,
    attempts: &mut Attempts,
    report: &mut Report,
) -> Result<()> {
    let reader = CaptureReader::open(file)?;
    let header = reader.header();
    if header.source == Source::Cluster {
        bail!(CallsError::FromOutside);
    }
    let components = match loaded {
        Some((configuration, components)) if *configuration == header.configuration => Arc::clone(components),
        _ => {
            let components = Arc::new(components_of(header, file, args.modules.clone())?);
            *loaded = Some((header.configuration.clone(), Arc::clone(&components)));
            components
        }
    };
    // The decision records have the messages of the attempts.
    let options = ReplayOptions { decisions: DecisionOptions::default(), ..ReplayOptions::default() };
    let mut replay = Replay::new(reader, components, options)?;
    let progress = Progress::timed("playing back");
    let ended = attempts.play(&mut replay);
    drop(progress);
    match ended {
        Ok(()) => {}
        Err(error) => report.truncated.push(format!("{}: {}", file.display(), error.truncated()?)),
    }
    report.differing_events += replay.outcome().differing_steps;
    report.other_build |= replay.outcome().other_versions.contains(&report.plugin);
    Ok(())
}

impl Listing for Report {
    fn table(&self, wide: bool) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = lines(self, wide, &mut text);
        text
    }
}

fn lines(report: &Report, wide: bool, text: &mut String) -> std::fmt::Result {
    let Report { pod, plugin, local, calls, .. } = report;
    writeln!(text, "Pod {pod}, plugin {plugin}, local build {}", build(local))?;
    if report.other_build {
        writeln!(text, "The component that served is not here. Another build was asked as the recorded one.")?;
    }
    if report.differing_events > 0 {
        let events = report.differing_events;
        writeln!(text, "{events} events have other actions than the recorded ones; berth replay shows the first one.")?;
    }
    report.truncated.iter().try_for_each(|truncated| writeln!(text, "Not complete: {truncated}."))?;
    if calls.earlier_attempts > 0 {
        writeln!(text, "{} earlier attempts are not compared; see --attempts.", calls.earlier_attempts)?;
    }
    calls.attempts.iter().try_for_each(|attempt| describe(attempt, wide, text))?;
    let different = calls.attempts.iter().filter(|attempt| attempt.different > 0).count();
    match different {
        0 => writeln!(text, "\nBoth builds gave the same answers in every attempt."),
        _ => writeln!(text, "\nThe builds gave different answers in {different} of {} attempts.", calls.attempts.len()),
    }
}

/// Returns the version and the first digits of the digest.
fn build(build: &Build) -> String {
    format!("{} (sha256:{})", build.version, build.digest.get(..12).unwrap_or(&build.digest))
}

/// Returns what an attempt decided.
fn outcome(node: Option<&String>, message: Option<&String>) -> String {
    match (node, message) {
        (Some(node), _) => format!("chose node {node}"),
        (None, Some(message)) if !message.is_empty() => message.clone(),
        (None, _) => "chose no node".to_owned(),
    }
}

fn describe(attempt: &ComparedAttempt, wide: bool, text: &mut String) -> std::fmt::Result {
    let outcome_there = outcome(attempt.node.as_ref(), attempt.message.as_ref());
    writeln!(text, "\nAttempt {} at {}: {outcome_there}", attempt.number, attempt.at)?;
    writeln!(text, "Recorded build {}", build(&attempt.recorded))?;
    attempt.failed_calls.iter().try_for_each(|failed| writeln!(text, "The recorded call failed: {failed}"))?;
    writeln!(text, "With the local build: {}", outcome(attempt.local_node.as_ref(), attempt.local_message.as_ref()))?;
    writeln!(text, "{} of {} answers differ.", attempt.different, attempt.compared)?;
    if !attempt.answers.is_empty() {
        let mut table = if wide { new_table() } else { new_fitted_table() };
        table.set_header(["", "FUNCTION", "NODE", "RECORDED", "LOCAL"]);
        for row in &attempt.answers {
            let or_none = |text: &Option<String>| or_dash(text.as_deref().unwrap_or_default());
            let mark = if row.differs { "*" } else { "" };
            let cells = [or_none(&row.node), or_none(&row.recorded), or_none(&row.local)];
            table.add_row([mark.to_owned(), row.function.clone()].into_iter().chain(cells));
        }
        writeln!(text, "{table}")?;
    }
    if attempt.nodes_left_out > 0 {
        writeln!(text, "{} nodes are not shown; see --nodes.", attempt.nodes_left_out)?;
    }
    let mut table = new_table();
    table.set_header(["COST", "NODES", "RECORDED", "LOCAL"]);
    for call in &attempt.calls {
        let time = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.3} ms"));
        let nodes = call.nodes.map_or_else(|| "-".to_owned(), |nodes| nodes.to_string());
        let (recorded, local) = (time(call.recorded_milliseconds), time(call.local_milliseconds));
        table.add_row([call.function.clone(), nodes, recorded, local]);
    }
    writeln!(text, "{table}")?;
    let (sync, memory) = (attempt.sync_milliseconds, attempt.memory_bytes.div_ceil(1 << 10));
    writeln!(text, "The local build received the cluster in {sync:.3} ms and has {memory} KiB of memory.")?;
    for line in &attempt.log {
        writeln!(text, "log {}: {}", line.level, line.message)?;
    }
    if attempt.log_lines_left_out > 0 {
        writeln!(text, "{} further log lines are not shown.", attempt.log_lines_left_out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_output_is_kept() {
        output::check_schema::<Report>("plugin replay");
    }

    #[test]
    fn a_pod_without_a_namespace_is_in_default() {
        assert_eq!(pod("web-0").expect("a pod"), ("default", "web-0"));
        assert_eq!(pod("shop/web-0").expect("a pod"), ("shop", "web-0"));
        for wrong in ["", "/", "shop/", "/web-0", "a/b/c"] {
            assert!(pod(wrong).is_err(), "{wrong:?}");
        }
    }
}
