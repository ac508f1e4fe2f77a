//! `berth plugin check`: examines a component and prints what it exports, reads and costs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use comfy_table::{Table, presets::NOTHING};

use super::or_dash;
use crate::cli::out;
use berth_core::limits::Limits;
use berth_plugin_host::{CHECK_NODES, CheckReport, Examination, Variety};

/// Arguments of `berth plugin check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Component file (*.wasm).
    file: PathBuf,
    /// Arguments of the plugin as a JSON object, like pluginConfig[].args.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
    /// Seed of the random cluster changes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Label, annotation or value that generated objects contain; repeatable.
    ///
    /// Generated objects always contain the words in --args. Name here what else the plugin looks for.
    #[arg(long = "word", value_name = "WORD")]
    words: Vec<Box<str>>,
}

/// Checks the component and prints the report.
pub(super) fn check(args: &Args) -> Result<ExitCode> {
    let parsed: serde_json::Value = serde_json::from_str(&args.args).context("--args is not JSON")?;
    ensure!(parsed.is_object(), "--args has to be a JSON object, such as {{\"resource\": \"nvidia.com/gpu\"}}");
    let examination = Examination { seed: args.seed, words: args.words.clone(), ..Examination::default() };
    let report = berth_plugin_host::check(&args.file, &args.args, Limits::default(), examination)?;
    out::line(described(&report, args.seed))?;
    let findings = &report.conformance.findings;
    if findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    out::line("\nWhat it does not hold (docs/contract.md, \"What a guest must hold\"):")?;
    findings.iter().try_for_each(|finding| out::line(format_args!("- {finding}")))?;
    Ok(ExitCode::FAILURE)
}

fn described(report: &CheckReport, seed: u64) -> Table {
    let declaration = &report.declaration;
    let mut table = Table::new();
    table.load_style(NOTHING);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("plugin", format!("{} {}", declaration.name, declaration.version));
    row("digest", format!("sha256:{}", report.digest));
    row("size", kibibytes(report.size));
    row("extension points", report.exports.clone());
    row("reads of the pod", facts(declaration.pod_facts.iter_names().map(|(name, _)| name)));
    row("reads of nodes", facts(declaration.node_facts.iter_names().map(|(name, _)| name)));
    row("reads of the cluster", facts(declaration.cluster_facts.iter_names().map(|(name, _)| name)));
    row("scope", format!("filter {:?}, score {:?}", declaration.filter_scope, declaration.score_scope).to_lowercase());
    row("compiling", milliseconds(report.compile));
    row(&format!("telling it of {CHECK_NODES} nodes"), milliseconds(report.first_sync));
    for (export, time) in &report.calls {
        row(&format!("{export}, {CHECK_NODES} nodes"), milliseconds(*time));
    }
    row("memory", kibibytes(report.memory));
    row("trial", "passed".into());
    let conformance = &report.conformance;
    let held = if conformance.findings.is_empty() { "held" } else { "NOT held" };
    row(
        "what a guest must hold",
        format!("{held} through {} changes and {} cycles, seed {seed}", conformance.deltas, conformance.cycles),
    );
    row("answers", answers(&conformance.variety));
    if conformance.memory.rounds > 0 {
        row("memory at rest", kibibytes(conformance.memory.bytes));
    }
    table
}

/// Returns a summary of the answers during the check. A plugin that always answers the same was hardly tested: its
/// arguments may not match the generated cluster.
fn answers(variety: &Variety) -> String {
    let mut said = vec![format!("{} nodes fit, {} do not", variety.fits, variety.rejected)];
    said.extend(variety.scores.map(|(lowest, highest)| format!("scores {lowest} to {highest}")));
    let counts = [
        (variety.filter_skipped, "pods not to be filtered"),
        (variety.rooms, "pods that room was made for"),
        (variety.score_skipped, "pods not to be scored"),
        (variety.errors, "errors of its own"),
    ];
    said.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    said.join(", ")
}

fn facts<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| name.to_lowercase().replace('_', "-")).collect();
    or_dash(&names.join(", "))
}

fn kibibytes(bytes: usize) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}
