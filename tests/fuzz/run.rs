//! Draws inputs until the time is up, and writes a failing input to a file.

use std::cell::Cell;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, anyhow, bail, ensure};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::target::{Check, Memory, OpenTarget, Target};
use crate::{HEAP, watch};

/// The folder in `tests/` that keeps the inputs of fixed failures.
pub const FAILURES: &str = "fuzz/cases";

/// Limits for shrinking a failing input: the number of attempts, and milliseconds.
const MAX_SHRINKS: u32 = 5_000;
const MAX_SHRINK_MILLIS: u32 = 60_000;

/// The extension of the file with the input that is being checked, and the number of bytes at the beginning of this
/// file that contain the length of the input.
const RUNNING: &str = "running";
const LENGTH: usize = 8;

/// The interval between progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(20);

/// After this many inputs, at least one must have been accepted. Otherwise, the target tests only refusals.
const MIN_INPUTS: u64 = 2_000;

/// The parameters of a run.
#[derive(Clone, Copy)]
pub struct Campaign {
    /// The time for each target.
    seconds: Duration,
    seed: u64,
}

impl Campaign {
    /// Reads the time for all targets together from `CAMPAIGN_SECONDS` (8 seconds if unset), and the seed from
    /// `CAMPAIGN_SEED` (if unset, a new seed, which is printed).
    ///
    /// # Errors
    /// Returns an error if a variable is not a number.
    pub fn from_environment(targets: usize) -> Result<Self> {
        let seconds = read_number("CAMPAIGN_SECONDS")?.unwrap_or(8);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
        let seed = read_number("CAMPAIGN_SEED")?.unwrap_or(now as u64);
        println!("fuzz: CAMPAIGN_SEED={seed} CAMPAIGN_SECONDS={seconds}");
        Ok(Self { seconds: Duration::from_secs(seconds) / u32::try_from(targets)?, seed })
    }

    fn random(&self, target: &Target) -> TestRng {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        for (byte, letter) in bytes[8..].iter_mut().zip(target.name.bytes()) {
            *byte = letter;
        }
        TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
    }
}

fn read_number(variable: &str) -> Result<Option<u64>> {
    let text = std::env::var(variable).ok().filter(|text| !text.is_empty());
    text.map(|text| text.parse().with_context(|| format!("{variable} is {text:?}, not a number"))).transpose()
}

/// Checks an input from a file.
///
/// # Errors
/// Returns an error if the file can't be read, or with the violation that the check found.
pub fn check_file(target: &Target, file: &Path) -> Result<()> {
    let mut input = fs::read(file).with_context(|| file.display().to_string())?;
    if file.extension().is_some_and(|extension| extension == RUNNING) {
        input = Running::input(input)?;
    }
    check_with_limits(&(target.open)()?.check, target.memory, &input).map(drop)
}

/// Draws inputs until the target's time is up.
///
/// # Errors
/// Returns an error with the violation and the smallest input that was found for it.
pub fn check_drawn(target: &Target, campaign: &Campaign) -> Result<()> {
    let OpenTarget { inputs, check } = (target.open)()?;
    let running = Running::new(target)?;
    let config = Config {
        max_shrink_iters: MAX_SHRINKS,
        max_shrink_time: MAX_SHRINK_MILLIS,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, campaign.random(target));
    let (count, accepted) = (Cell::new(0_u64), Cell::new(0_u64));
    let mut problem = None;
    let began = Instant::now();
    let mut last_progress = began;
    while began.elapsed() < campaign.seconds {
        let input = inputs.new_tree(&mut runner).map_err(|reason| anyhow!("no inputs can be drawn: {reason}"))?;
        let outcome = runner.run_one(input, |input| {
            let fail = |error: anyhow::Error| TestCaseError::fail(format!("{error:#}"));
            running.write(&input).map_err(fail)?;
            count.set(count.get() + 1);
            accepted.set(accepted.get() + u64::from(check_with_limits(&check, target.memory, &input).map_err(fail)?));
            Ok(())
        });
        match outcome {
            Err(TestError::Fail(reason, input)) => {
                problem = Some(anyhow!("{reason}\n{}", write_failure(target, &input)?));
                break;
            }
            Err(TestError::Abort(reason)) => bail!("proptest rejected an input: {reason}"),
            Ok(_) => {}
        }
        if last_progress.elapsed() >= PROGRESS_INTERVAL {
            last_progress = Instant::now();
            println!("fuzz: {}: {} inputs, {} accepted", target.name, count.get(), accepted.get());
        }
    }
    running.remove()?;
    if let Some(problem) = problem {
        return Err(problem);
    }
    let (count, accepted) = (count.get(), accepted.get());
    println!("fuzz: {}: {count} inputs, {accepted} accepted, none failed", target.name);
    ensure!(count < MIN_INPUTS || accepted > 0, "none of {count} inputs was accepted: the target tests only refusals");
    Ok(())
}

/// Checks an input. A panic, or an allocation above the target's limit, is an error. Returns true if the input was
/// accepted.
fn check_with_limits(check: &Check, memory: Memory, input: &[u8]) -> Result<bool> {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    watch::begin();
    let outcome = catch_unwind(AssertUnwindSafe(|| check(input)));
    if let Some(panicked) = watch::finish() {
        bail!("the check panicked: {panicked}");
    }
    let allocated = HEAP.peak_usage().saturating_sub(before);
    let accepted = outcome.unwrap_or_else(|_| bail!("the check panicked"))?;
    let limit = memory.base + memory.times * input.len();
    ensure!(allocated <= limit, "{allocated} bytes were allocated for {} bytes, more than {limit}", input.len());
    Ok(accepted)
}

/// A file with the input that is being checked. It remains if the process ends during the check.
struct Running {
    path: PathBuf,
    file: File,
}

impl Running {
    fn new(target: &Target) -> Result<Self> {
        let path = folder()?.join(format!("fuzz-{}-{}.{RUNNING}", target.name, std::process::id()));
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        Ok(Self { path, file })
    }

    /// Writes the length and then the input, in a single write, because there are many inputs. Bytes of an earlier,
    /// longer input can remain after it.
    fn write(&self, input: &[u8]) -> Result<()> {
        let length = (input.len() as u64).to_le_bytes();
        Ok(self.file.write_all_at(&[&length, input].concat(), 0)?)
    }

    /// Returns the input in the bytes of a file that [`Running::write`] wrote.
    fn input(mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let content = bytes.split_off(bytes.len().min(LENGTH));
        let length = u64::from_le_bytes(bytes.try_into().map_err(|_| anyhow!("the file has no length"))?);
        let length = usize::try_from(length)?;
        Ok(content.get(..length).context("the file is cut off")?.to_vec())
    }

    fn remove(self) -> Result<()> {
        Ok(fs::remove_file(self.path)?)
    }
}

/// Writes a failing input to a file. Returns how to repeat the failure.
fn write_failure(target: &Target, input: &[u8]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let file = folder()?.join(format!("fuzz-{}-{:016x}", target.name, hasher.finish()));
    fs::write(&file, input).with_context(|| file.display().to_string())?;
    let (file, name) = (file.display(), target.name);
    Ok(format!(
        "The input: {}\nIt is in {file}\nRepeat it: FUZZ_INPUT={file} cargo test -p berth-tests --test fuzz\n\
         After the fix, move it to: tests/{FAILURES}/{name}/",
        String::from_utf8_lossy(&input[..input.len().min(2_000)]),
    ))
}

/// Returns the path of `target/campaign`, which is created if needed.
fn folder() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("campaign");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}
