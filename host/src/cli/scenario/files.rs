//! Finds scenario files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use berth_scenario::Scenario;

/// The deepest nesting of directories that is searched.
const DEEPEST: usize = 16;

/// Returns the files that the paths name, and the scenarios in the directories that they name, in order.
///
/// # Errors
/// A path does not exist, or there is no scenario.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        ensure!(path.exists(), "{} does not exist", path.display());
        if path.is_dir() {
            let before = files.len();
            search(path, &mut files, DEEPEST).with_context(|| format!("reading {}", path.display()))?;
            if files.len() == before {
                bail!("{} has no scenario: no *.yaml file with `kind: Scenario`", path.display());
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Adds the scenarios below a directory. Other YAML files are the objects that scenarios create.
fn search(directory: &Path, files: &mut Vec<PathBuf>, depth: usize) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() && depth > 0 {
            search(&path, files, depth - 1)?;
        } else if is_scenario(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns whether a file says that it is a scenario. A scenario with a mistake is one, so that the mistake is reported.
fn is_scenario(path: &Path) -> bool {
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let says_so = |text: String| text.lines().any(|line| line.trim_end() == "kind: Scenario");
    is_yaml && (Scenario::load(path).is_ok() || std::fs::read_to_string(path).is_ok_and(says_so))
}
