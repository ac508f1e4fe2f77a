//! Checks that Berth knows every flag of the real kube-scheduler.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use berth_tests::programs;
use libtest_mimic::Trial;
use tokio::process::Command;

use crate::harness::standalone_trial;

/// Returns the trial, which is shown as ignored if there is no kube-scheduler.
pub fn trials() -> Vec<Trial> {
    let program = std::env::var_os("PARITY_SCHEDULER").map(PathBuf::from);
    let ignored = program.is_none();
    let trial = standalone_trial("replacing_kube_scheduler::every_flag_is_known", || Box::pin(every_flag_is_known()));
    vec![trial.with_ignored_flag(ignored)]
}

async fn every_flag_is_known() -> Result<()> {
    let program = std::env::var_os("PARITY_SCHEDULER").context("PARITY_SCHEDULER is not set")?;
    let theirs = Command::new(program).arg("--help").output().await?;
    let theirs = flags(&String::from_utf8(theirs.stdout)?);
    ensure!(theirs.len() > 50, "too few flags found in kube-scheduler's help: {theirs:?}");
    let ours = programs::run_berth(&["run", "--help"]).await?;
    let ours = flags(&ours.stdout);
    // These flags are handled before the subcommands, so the help of `berth run` does not list them.
    let global = ["help", "version"].map(str::to_owned).into();
    let unknown: Vec<_> = theirs.difference(&ours).filter(|flag| !BTreeSet::contains(&global, *flag)).collect();
    ensure!(unknown.is_empty(), "berth run --help does not list flags of kube-scheduler: {unknown:?}");
    Ok(())
}

/// Returns the names of long flags in lines that start with the flag or with its short form.
fn flags(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start);
    let long = lines.filter_map(|line| {
        let line = line.split_once(", ").filter(|(short, _)| short.len() == 2).map_or(line, |(_, rest)| rest);
        line.strip_prefix("--")
    });
    long.map(|rest| rest.split(|c: char| c != '-' && !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned())
        .collect()
}
