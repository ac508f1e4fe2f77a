//! Parity tests: compare the answers of Berth's default plugins about every node with those of kube-scheduler's
//! plugins.
//!
//! Cases are drawn for each plugin of the table in [`entries`]. Both schedulers get each case: kube-scheduler
//! through the program in tests/controlplane/cmd/oracle, Berth through its core and components. Every verdict,
//! every reason and every raw and normalized score must be equal. The message and the total scores of the whole
//! cycle, the queueing hints and the order of the queue must be equal too, and, where no node fits, the result of
//! preemption. Both schedulers are asked again after each change of the cluster, Berth with its cached results. Berth
//! then gets the whole case again without the result cache, and again with verification of cached results
//! ([`cache_mode`]). A case that differs is shrunk. After the fault is fixed, keep the case in `cases/`: every run
//! starts with these cases.
//!
//! Explanations of pods are compared as well, see [`explained`].
//!
//! `PARITY_ORACLE` names the program, which `scripts/oracle` builds. `PARITY_CASES` sets the number of cases per
//! entry. `PARITY_SEED`, 0 by default, is the seed of the drawn cases; `scripts/campaign` sets a new seed each time.

mod answer;
mod berth;
mod cache_mode;
mod coverage;
mod draw;
mod entries;
mod explained;
mod hints;
mod oracle;
mod run;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};

use berth_test_kit::released;
use berth_tests::comparison::{self, case, preemption};

use crate::run::Parity;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok((parity, trials)) => {
            let conclusion = libtest_mimic::run(&arguments, trials);
            println!("{}", parity.table());
            conclusion.exit_code()
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The kept cases that show a fault of the plugins in `tests/released/0.1`, which was fixed afterwards.
const FIXED_SINCE: [&str; 2] =
    ["namespace-selector-that-matches-an-empty-label-set", "spread-counts-a-missing-zone-as-an-empty-zone"];

fn trials() -> Result<(Arc<Parity>, Vec<Trial>)> {
    let program = oracle::Oracle::program();
    if program.is_none() {
        eprintln!(
            "parity: PARITY_ORACLE is not set, so nothing is compared; build the program with scripts/oracle, which \
             needs Go"
        );
    }
    let ignored = program.is_none();
    let parity = Arc::new(Parity::new(program.unwrap_or_default())?);
    let mut trials = Vec::new();
    for file in comparison::kept_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("parity/cases"))? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !FIXED_SINCE.contains(&name.as_str()) {
            for version in released::VERSIONS {
                let (parity, file) = (Arc::clone(&parity), file.clone());
                let run = move || finish(parity.check_released(version, &file));
                trials.push(Trial::test(format!("released-{version}::{name}"), run));
            }
        }
        let parity = Arc::clone(&parity);
        trials.push(Trial::test(format!("kept::{name}"), move || finish(parity.check_kept(&file))));
    }
    for entry in entries::all() {
        let parity = Arc::clone(&parity);
        trials.push(Trial::test(format!("drawn::{}", entry.plugin), move || finish(parity.check_drawn(entry))));
    }
    let explained = Arc::clone(&parity);
    trials.push(Trial::test("explained::drawn", move || finish(explained.check_explained())));
    let mut trials: Vec<Trial> = trials.into_iter().map(|trial| trial.with_ignored_flag(ignored)).collect();
    trials.push(Trial::test("preemption::differences_are_found", || finish(preemption::differences_are_found())));
    Ok((parity, trials))
}

fn finish(result: Result<()>) -> Result<(), Failed> {
    result.map_err(|error| format!("{error:#}").into())
}
