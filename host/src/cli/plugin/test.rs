//! `berth plugin test`: compares a plugin's results with a table of test cases.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::{Context, Result, ensure};
use berth_core::plugins::Status;
use serde::Serialize;

use super::cases::{Case, Score, Table};
use super::check;
use crate::cli::exit_status;
use crate::cli::output::{self, Listing, OutputFlag};
use crate::cli::progress::Progress;
use berth_conformance::{NodeAnswer, Solo};
use berth_core::limits::Limits;
use berth_plugin_host::DiskCache;

/// Arguments of `berth plugin test`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// YAML file of test cases: nodes, pods and expected answers.
    cases: PathBuf,
    /// Component file (*.wasm).
    module: PathBuf,
    #[command(flatten)]
    output: OutputFlag,
}

const EXIT: &[(u8, &str)] =
    &[(0, "all cases passed"), (1, "a case failed, or the cases or the component can't be loaded")];

/// The output of `berth plugin test`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TestReport {
    /// The cases in the order of the file.
    cases: Vec<TestedCase>,
    /// The number of cases that passed.
    passed: usize,
    /// The number of cases that failed.
    failed: usize,
}

/// A tested case.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TestedCase {
    /// The name of the case.
    name: String,
    /// Whether the plugin answered as expected.
    passed: bool,
    /// The number of nodes with an expected filter result.
    filter_results: usize,
    /// The number of nodes with an expected score.
    scores: usize,
    /// A line for each unexpected answer.
    problems: Vec<String>,
}

/// Runs the cases and prints the results. The exit status tells whether all cases passed.
pub(super) fn test(args: &Args) -> Result<ExitCode> {
    let table = Table::read(&args.cases)?;
    let place = || args.cases.display().to_string();
    let cluster = table.cluster().with_context(place)?;
    let loading = Progress::timed("compiling the component");
    let plugin = Solo::load(&args.module, DiskCache::folder_of_user().as_deref(), Limits::default());
    drop(loading);
    let plugin = match plugin {
        Ok(plugin) => plugin,
        Err(error) => return check::refused(&args.module, error),
    };
    let done = Arc::new(AtomicUsize::new(0));
    let progress = Progress::counted("cases tested", table.cases.len(), Arc::clone(&done));
    let mut cases = Vec::new();
    for case in &table.cases {
        let pod = case.pod().with_context(|| format!("{}: case {:?}", place(), case.name))?;
        let problems = match plugin.ask(&table.arguments(case), &cluster, &pod) {
            Ok(answers) => compare(case, &answers).with_context(|| format!("{}: case {:?}", place(), case.name))?,
            Err(error) => vec![error.to_string()],
        };
        cases.push(TestedCase::new(case, problems));
        done.fetch_add(1, Relaxed);
    }
    drop(progress);
    let failed = cases.iter().filter(|case| !case.passed).count();
    let report = TestReport { passed: cases.len() - failed, failed, cases };
    output::print(&report, args.output.format)?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl TestedCase {
    fn new(case: &Case, problems: Vec<String>) -> Self {
        Self {
            name: case.name.clone(),
            passed: problems.is_empty(),
            filter_results: case.filter.len(),
            scores: case.scores.len(),
            problems,
        }
    }
}

impl Listing for TestReport {
    fn table(&self, wide: bool) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        for case in &self.cases {
            let result = if case.passed { "ok    " } else { "FAILED" };
            let compared = format!(" ({} filter results, {} scores)", case.filter_results, case.scores);
            let _ = writeln!(text, "{result} {}{}", case.name, if wide { &compared } else { "" });
            for problem in &case.problems {
                let _ = writeln!(text, "       {problem}");
            }
        }
        let _ = writeln!(text, "{} of {} cases passed", self.passed, self.cases.len());
        text
    }
}

/// Returns a line for each difference between the expected and the actual results.
fn compare(case: &Case, answers: &[NodeAnswer]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let of = |node: &str| {
        answers
            .iter()
            .find(|answer| *answer.node == *node)
            .with_context(|| format!("there is no node {node:?} in `nodes`"))
    };
    for (node, expected) in &case.filter {
        let (expected, found) = (expected.status()?, &of(node)?.rejected);
        if expected != *found {
            problems.push(format!(
                "{node}: filter: expected {}, found {}",
                shown(expected.as_ref()),
                shown(found.as_ref())
            ));
        }
    }
    for (node, expected) in &case.scores {
        let expected = match expected {
            Score::Number(score) => Some(*score),
            Score::Word(_) => None,
        };
        let found = of(node)?.score;
        if expected != found {
            let shown = |score: Option<i64>| score.map_or_else(|| "none".to_owned(), |score| score.to_string());
            problems.push(format!("{node}: score: expected {}, found {}", shown(expected), shown(found)));
        }
    }
    ensure!(!case.filter.is_empty() || !case.scores.is_empty(), "expects nothing; add `filter` or `scores`");
    Ok(problems)
}

fn shown(status: Option<&Status>) -> String {
    match status {
        None => "fits".to_owned(),
        Some(Status { code, reasons }) => format!("{code:?}: {}", reasons.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_output_is_kept() {
        output::check_schema::<TestReport>("plugin test");
    }
}
