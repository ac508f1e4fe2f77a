//! `berth plugin test`: compares a plugin's results with a table of test cases.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use berth_core::plugins::Status;

use super::cases::{Case, Score, Table};
use crate::cli::out;
use berth_core::limits::Limits;
use berth_plugin_host::{Said, Solo};

/// Arguments of `berth plugin test`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// YAML file of test cases: nodes, pods and expected answers.
    cases: PathBuf,
    /// Component file (*.wasm).
    module: PathBuf,
}

/// Runs the cases and prints a line for each. The exit status tells whether all cases hold.
pub(super) fn test(args: &Args) -> Result<ExitCode> {
    let table = Table::read(&args.cases)?;
    let place = || args.cases.display().to_string();
    let cluster = table.cluster().with_context(place)?;
    let plugin = Solo::load(&args.module, None, Limits::default())?;
    let mut failed = 0;
    for case in &table.cases {
        let pod = case.pod().with_context(|| format!("{}: case {:?}", place(), case.name))?;
        let problems = match plugin.ask(&table.arguments(case), &cluster, &pod) {
            Ok(said) => compare(case, &said).with_context(|| format!("{}: case {:?}", place(), case.name))?,
            Err(error) => vec![error.to_string()],
        };
        let held = if problems.is_empty() { "ok    " } else { "FAILED" };
        out::line(format_args!("{held} {}", case.name))?;
        problems.iter().try_for_each(|problem| out::line(format_args!("       {problem}")))?;
        failed += usize::from(!problems.is_empty());
    }
    out::line(format_args!("{} of {} cases passed", table.cases.len() - failed, table.cases.len()))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a line for each difference between the expected and the actual results.
fn compare(case: &Case, said: &[Said]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let of = |node: &str| {
        said.iter().find(|said| *said.node == *node).with_context(|| format!("there is no node {node:?} in `nodes`"))
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
