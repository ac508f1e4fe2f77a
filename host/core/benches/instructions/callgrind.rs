//! This program under callgrind, valgrind's counter of instructions.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::cases::Case;

/// Collecting is on in this function and what it calls. By a pattern, for how names of functions are written changes.
const COUNTED: &str = "--toggle-collect=*counted_step*";

/// A case under way.
pub struct Count {
    valgrind: Child,
    profile: PathBuf,
}

/// What was counted.
pub struct Counted {
    /// How many, by everything that counts in the case.
    pub instructions: u64,
    /// Where they went, for `callgrind_annotate`.
    pub profile: PathBuf,
}

impl Count {
    /// Has this program run the case.
    pub fn start(case: &Case, nodes: usize) -> Result<Self> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("instructions");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let profile = folder.join(format!("{}-{nodes}.callgrind", case.name));
        let valgrind = Command::new("valgrind")
            .args(["--tool=callgrind", COUNTED])
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .arg(env::current_exe()?)
            .args([case.name, &nodes.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("valgrind does not start")?;
        Ok(Self { valgrind, profile })
    }

    /// Waits for its end.
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
