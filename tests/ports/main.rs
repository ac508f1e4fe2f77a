//! Comparison of the plugins Coscheduling and CapacityScheduling in plugins/examples with the originals of
//! `sigs.k8s.io/scheduler-plugins`, which run in the program of tests/scheduler-plugins.
//!
//! [`groups`] compares Coscheduling over a sequence of steps: Berth runs scheduling cycles, and the original is then
//! asked about the same pods and nodes. [`quotas`] compares CapacityScheduling's verdict about single pods, and
//! preemption. Differences on purpose are listed in `groups/known.rs` and `quotas/mod.rs`.
//!
//! `PORTS_ORACLE` names the program, which `scripts/ports-oracle` builds. `PORTS_CASES` sets the number of drawn cases
//! per port. `PORTS_SEED`, 0 by default, is the seed of the drawn cases; `scripts/campaign` sets a new seed each time.
//! Every run starts with the cases in `cases/`.

mod berth;
mod calls;
mod coverage;
mod groups;
mod oracle;
mod quotas;

use std::cell::RefCell;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use berth_tests::comparison::{self, read_number};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::berth::Port;
use crate::coverage::Coverage;
use crate::oracle::Oracle;

/// The default number of cases per port.
const CASES: u32 = 60;

/// The maximum number of attempts to shrink a case that differs.
const MAX_SHRINKS: u32 = 400;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Compares one case. Returns the differences.
type Compare<C> = fn(&Port, &mut Oracle, &C, &mut Coverage) -> Result<Vec<String>>;

fn trials() -> Result<Vec<Trial>> {
    let program = Oracle::program();
    if program.is_none() {
        eprintln!(
            "ports: PORTS_ORACLE is not set, so nothing is compared; build the program with scripts/ports-oracle, \
             which needs Go"
        );
    }
    let (ignored, program) = (program.is_none(), program.unwrap_or_default());
    let mut trials = Vec::new();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("ports/cases");
    for language in ["rust", "go"] {
        let component = plugins().join(language).join("coscheduling.wasm");
        let skipped = ignored || (language != "rust" && !is_built(language, &component));
        for file in comparison::kept_cases(&kept.join("coscheduling"))? {
            let (program, component, name) = (program.clone(), component.clone(), case_name(&file));
            let run = move || finish(check_kept(&program, groups::PLUGIN, &component, &file, groups::compare));
            trials.push(Trial::test(format!("kept::coscheduling::{language}::{name}"), run).with_ignored_flag(skipped));
        }
        let program = program.clone();
        let run = move || {
            let (outcomes, name) = (&groups::outcomes::OUTCOMES, format!("coscheduling-{language}"));
            finish(check_drawn(
                &program,
                groups::PLUGIN,
                &component,
                &name,
                groups::draw::cases(),
                groups::compare,
                outcomes,
            ))
        };
        trials.push(Trial::test(format!("drawn::coscheduling::{language}"), run).with_ignored_flag(skipped));
    }
    let component = plugins().join("capacity-scheduling.wasm");
    for file in comparison::kept_cases(&kept.join("capacity-scheduling"))? {
        let (program, component, name) = (program.clone(), component.clone(), case_name(&file));
        let run = move || finish(check_kept(&program, quotas::PLUGIN, &component, &file, quotas::compare));
        trials.push(Trial::test(format!("kept::capacity-scheduling::{name}"), run).with_ignored_flag(ignored));
    }
    let run = move || {
        let (outcomes, name) = (&quotas::OUTCOMES, "capacity-scheduling");
        finish(check_drawn(
            &program,
            quotas::PLUGIN,
            &component,
            name,
            quotas::draw::cases(),
            quotas::compare,
            outcomes,
        ))
    };
    trials.push(Trial::test("drawn::capacity-scheduling", run).with_ignored_flag(ignored));
    Ok(trials)
}

fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/plugins")
}

/// Returns true if the language is to be tested: `BERTH_TEST_LANGUAGES` lists the languages whose tools `make test`
/// could get. If the variable is unset, a component of an earlier build is tested.
fn is_built(language: &str, component: &Path) -> bool {
    match std::env::var("BERTH_TEST_LANGUAGES") {
        Ok(built) => built.split_whitespace().any(|name| name == language),
        Err(_) => component.is_file(),
    }
}

fn case_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn finish(result: Result<()>) -> Result<(), Failed> {
    result.map_err(|error| format!("{error:#}").into())
}

fn check_kept<C: DeserializeOwned>(
    program: &Path,
    plugin: &'static str,
    component: &Path,
    file: &Path,
    compare: Compare<C>,
) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let case = serde_json::from_str(&text).with_context(|| format!("{} is not a valid case", file.display()))?;
    let (port, mut oracle) = (Port::load(plugin, component)?, Oracle::start(program)?);
    let differences = compare(&port, &mut oracle, &case, &mut Coverage::default())?;
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

/// Draws cases and checks them. Without `PORTS_SEED`, the cases must cover all outcomes; other seeds can miss a rare one.
fn check_drawn<C: Debug + Serialize>(
    program: &Path,
    plugin: &'static str,
    component: &Path,
    name: &str,
    cases: impl Strategy<Value = C>,
    compare: Compare<C>,
    outcomes: &[&'static str],
) -> Result<()> {
    let (count, seed) = (read_number("PORTS_CASES", CASES)?, read_number("PORTS_SEED", 0)?);
    let covers = std::env::var_os("PORTS_SEED").is_none();
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases: count, max_shrink_iters: MAX_SHRINKS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let port = Port::load(plugin, component)?;
    let oracle = RefCell::new(Oracle::start(program)?);
    let coverage = RefCell::new(Coverage::default());
    let outcome = runner.run(&cases, |case| {
        let differences = compare(&port, &mut oracle.borrow_mut(), &case, &mut coverage.borrow_mut());
        let differences = differences.map_err(|error| TestCaseError::fail(format!("{error:#}")))?;
        if differences.is_empty() { Ok(()) } else { Err(TestCaseError::fail(differences.join("\n"))) }
    });
    match outcome {
        Err(TestError::Fail(reason, case)) => {
            let file = format!("ports-{name}.json");
            let folder = format!("tests/ports/cases/{}", name.trim_end_matches("-rust").trim_end_matches("-go"));
            bail!("{reason}\n{}", comparison::write_case(&case, &file, env!("CARGO_TARGET_TMPDIR"), &folder)?)
        }
        Err(TestError::Abort(reason)) => Err(anyhow!("no cases can be drawn: {reason}")),
        Ok(()) => {
            let coverage = coverage.into_inner();
            println!("{count} cases of {name}:{coverage}");
            let missing = coverage.missing(outcomes);
            ensure!(!covers || missing.is_empty(), "{count} cases did not cover: {}", missing.join(", "));
            Ok(())
        }
    }
}
