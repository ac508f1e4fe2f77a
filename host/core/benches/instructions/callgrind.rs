//! Runs this program under callgrind, valgrind's instruction counter.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::cases::Case;

/// Counts in this function and the functions that it calls. This is a pattern, because the format of function names
/// changes.
const COUNTED: &str = "--toggle-collect=*counted_step*";

/// A running case.
pub struct Count {
    valgrind: Child,
    profile: PathBuf,
}

/// The result of a case.
pub struct Counted {
    /// The number of instructions of all counted repetitions.
    pub instructions: u64,
    /// The profile by function, for `callgrind_annotate`.
    pub profile: PathBuf,
}

impl Count {
    /// Starts this program with the case under callgrind. `records` says whether decisions are recorded.
    pub fn start(case: &Case, nodes: usize, records: bool) -> Result<Self> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("instructions");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let profile = folder.join(format!("{}-{nodes}-{records}.callgrind", case.name));
        let valgrind = Command::new("valgrind")
            .args(["--tool=callgrind", COUNTED])
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .arg(env::current_exe()?)
            .args([case.name, &nodes.to_string(), &records.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("valgrind does not start")?;
        Ok(Self { valgrind, profile })
    }

    /// Waits for the end of the case.
    pub fn end(self) -> Result<Counted> {
        let output = self.valgrind.wait_with_output()?;
        if !output.status.success() {
            bail!("valgrind ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        let profile = fs::read_to_string(&self.profile).with_context(|| self.profile.display().to_string())?;
        let total =
            profile.lines().find_map(|line| line.strip_prefix("totals: ")).context("callgrind gave no total")?;
        let instructions = total.trim().parse().with_context(|| format!("callgrind's total: {total}"))?;
        ensure!(instructions > 0, "nothing was counted: callgrind finds no function by {COUNTED}");
        Ok(Counted { instructions, profile: self.profile })
    }
}
