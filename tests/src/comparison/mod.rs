//! Comparisons with another implementation, which runs as an oracle program: shared by tests/parity and tests/ports.

pub mod case;
mod lines;
pub mod preemption;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

pub use self::lines::LineProcess;

/// Returns the number in an environment variable, or the default if the variable is not set.
///
/// # Errors
/// Returns an error if the variable is not a number.
pub fn read_number(variable: &str, default: u32) -> Result<u32> {
    match std::env::var(variable) {
        Ok(text) => text.parse().with_context(|| format!("{variable} is {text:?}, not a number")),
        Err(_) => Ok(default),
    }
}

/// Returns the JSON files of a folder, sorted by name.
///
/// # Errors
/// Returns an error if the folder can't be read.
pub fn kept_cases(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let files: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut files: Vec<PathBuf> = files?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}

/// Writes a case that differs to the file `name` in `target/campaign`. `kept` is the folder of the kept cases. Returns a
/// message with the case and the file's path.
///
/// # Errors
/// Returns an error if the file can't be written.
pub fn write_case(case: &impl Serialize, name: &str, temporary: &str, kept: &str) -> Result<String> {
    let folder = Path::new(temporary).with_file_name("campaign");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = folder.join(name);
    let text = serde_json::to_string_pretty(case)?;
    std::fs::write(&file, format!("{text}\n")).with_context(|| file.display().to_string())?;
    Ok(format!("{text}\nThe case is in {}. After the fix, move it to {kept}.", file.display()))
}
