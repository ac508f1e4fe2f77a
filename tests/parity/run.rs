//! Asks both schedulers about cases, compares the answers, and records the coverage.

use std::cell::RefCell;
use std::collections::{BTreeMap, btree_map};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow, bail, ensure};
use berth_tests::comparison::{self, read_number};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::answer::Answers;
use crate::berth::Berth;
use crate::cache_mode::CacheMode;
use crate::case::Case;
use crate::coverage::Coverage;
use crate::draw::cases;
use crate::entries::{self, Behavior, Entry};
use crate::explained;
use crate::hints;
use crate::oracle::Oracle;

/// The state that all trials share.
pub struct Parity {
    program: PathBuf,
    berth: Berth,
    /// The default plugins of earlier versions of the contract, by version. Each is loaded with its first case.
    released: Mutex<BTreeMap<&'static str, Berth>>,
    /// The coverage of each entry, by the entry's `plugin`.
    coverage: Mutex<BTreeMap<&'static str, Coverage>>,
}

/// The default number of cases per entry.
const CASES: u32 = 150;

/// The maximum number of attempts to shrink a case that differs.
const MAX_SHRINKS: u32 = 3000;

impl Parity {
    /// Loads Berth's plugins. `program` is the path of the oracle program.
    ///
    /// # Errors
    /// Returns an error if the default plugins can't be loaded.
    pub fn new(program: PathBuf) -> Result<Self> {
        let berth = Berth::load()?;
        Ok(Self { program, berth, released: Mutex::default(), coverage: Mutex::default() })
    }

    /// Checks a case in `cases/`.
    ///
    /// # Errors
    /// Returns an error if the schedulers' answers differ, or one of the schedulers refuses the case.
    pub fn check_kept(&self, file: &Path) -> Result<()> {
        self.check_case(file, &self.berth)
    }

    /// Checks a case in `cases/` with the default plugins that were built for an earlier version of the contract.
    ///
    /// # Errors
    /// As [`Self::check_kept`]; also if the plugins can't be loaded.
    pub fn check_released(&self, version: &'static str, file: &Path) -> Result<()> {
        let mut released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        let berth = match released.entry(version) {
            btree_map::Entry::Occupied(loaded) => loaded.into_mut(),
            btree_map::Entry::Vacant(empty) => empty.insert(Berth::load_released(version)?),
        };
        self.check_case(file, berth)
    }

    fn check_case(&self, file: &Path, berth: &Berth) -> Result<()> {
        let case = Case::read(file)?;
        let mut oracle = Oracle::start(&self.program)?;
        let theirs = oracle.ask(&case)?;
        for mode in CacheMode::ALL {
            let differences = differences(&case, &theirs, &berth.ask(&case, mode)?);
            ensure!(differences.is_empty(), "{}\nresult cache in mode {mode:?}:\n{}", case.why, differences.join("\n"));
        }
        Ok(())
    }

    /// Draws cases for an entry and checks them.
    ///
    /// # Errors
    /// Returns an error if the schedulers' answers differ, if a scheduler refuses a case, or if `PARITY_SEED` is not
    /// set and the cases do not cover the entry's fields and behaviors.
    pub fn check_drawn(&self, entry: &'static Entry) -> Result<()> {
        let (count, seed) = (read_number("PARITY_CASES", CASES)?, read_number("PARITY_SEED", 0)?);
        // Coverage is checked only without `PARITY_SEED`, because other seeds can miss a rare behavior.
        let covers = std::env::var_os("PARITY_SEED").is_none();
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&seed.to_le_bytes());
        let config =
            Config { cases: count, max_shrink_iters: MAX_SHRINKS, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let oracle = RefCell::new(Oracle::start(&self.program)?);
        let coverage = RefCell::new(Coverage::default());
        let outcome = runner.run(&cases((entry.draw)()), |case| {
            let coverage = &mut coverage.borrow_mut();
            let differences = self.compare(&case, entry, &mut oracle.borrow_mut(), coverage);
            let differences = differences.map_err(|error| TestCaseError::fail(format!("{error:#}")))?;
            if differences.is_empty() { Ok(()) } else { Err(TestCaseError::fail(differences.join("\n"))) }
        });
        let coverage = coverage.into_inner();
        let missing = coverage.missing(entry);
        self.coverage.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.plugin, coverage);
        match outcome {
            Err(TestError::Fail(reason, case)) => bail!("{reason}\n{}", write_case(entry, case)?),
            Err(TestError::Abort(reason)) => Err(anyhow!("no cases can be drawn: {reason}")),
            Ok(()) => {
                ensure!(!covers || missing.is_empty(), "{count} cases did not cover:\n{}", missing.join("\n"));
                Ok(())
            }
        }
    }

    /// Checks the explanations of drawn cases: see [`explained`].
    ///
    /// # Errors
    /// Returns an error if an explanation or a suggestion is wrong.
    pub fn check_explained(&self) -> Result<()> {
        explained::check_drawn(&self.berth, &mut Oracle::start(&self.program)?)
    }

    fn compare(&self, case: &Case, entry: &Entry, oracle: &mut Oracle, coverage: &mut Coverage) -> Result<Vec<String>> {
        let theirs = oracle.ask(case)?;
        // Cases after the first mismatch come from shrinking and are not counted.
        if coverage.mismatches.iter().all(|differed| *differed == 0) {
            coverage.add_case(case);
            coverage.add_answers(case, &theirs, entry);
        }
        for (at, mode) in CacheMode::ALL.into_iter().enumerate() {
            let mut differences = differences(case, &theirs, &self.berth.ask(case, mode)?);
            if !differences.is_empty() {
                coverage.mismatches[at] = 1;
                differences.insert(0, format!("result cache in mode {mode:?}:"));
                return Ok(differences);
            }
        }
        Ok(Vec::new())
    }

    /// Returns a table of the coverage by entry. The last three columns are 1 if a case differed in that mode of
    /// [`CacheMode::ALL`], otherwise 0.
    pub fn table(&self) -> String {
        let coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = format!(
            "{:<32} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9}",
            "plugin",
            "fields",
            "cases",
            "asked",
            "filtered",
            "scored",
            "skipped",
            "failed",
            "queue",
            "evicted",
            "woken",
            "waiting",
            "≠cached",
            "≠uncached",
            "≠verified"
        );
        for (entry, seen) in entries::all().filter_map(|entry| Some((entry, coverage.get(entry.plugin)?))) {
            let fields = format!("{}/{}", seen.fields(entry), entry.fields.len());
            let did = [
                Behavior::Filters,
                Behavior::Scores,
                Behavior::Skips,
                Behavior::Fails,
                Behavior::Queues,
                Behavior::Evicts,
            ];
            let did = did.map(|behavior| seen.occurrences(behavior));
            let [filtered, scored, skipped, failed, queue, evicted] = did;
            let [woken, waiting] =
                [Behavior::Requeues, Behavior::KeepsWaiting].map(|behavior| seen.occurrences(behavior));
            let (cases, asked, [cached, uncached, verified]) = (seen.cases, seen.questions, seen.mismatches);
            // Writing to a string does not fail.
            let _ = write!(
                table,
                "\n{:<32} {fields:>7} {cases:>7} {asked:>7} {filtered:>9} {scored:>7} {skipped:>7} {failed:>7} {queue:>7} {evicted:>7} {woken:>7} {waiting:>7} {cached:>7} {uncached:>9} {verified:>9}",
                entry.plugin
            );
        }
        table
    }
}

fn differences(case: &Case, theirs: &Answers, ours: &Answers) -> Vec<String> {
    let mut lines = Answers::differences(theirs, ours);
    lines.extend(hints::differences(case, &theirs.steps, &theirs.hints, &ours.hints));
    lines
}

/// Writes a case that differs to a file. Returns a message with the case and the file's path.
fn write_case(entry: &Entry, case: Case) -> Result<String> {
    let case = Case { why: "What differed, and why.".into(), ..case };
    let name = format!("parity-{}.json", entry.plugin.replace(' ', "-"));
    comparison::write_case(&case, &name, env!("CARGO_TARGET_TMPDIR"), "tests/parity/cases")
}
