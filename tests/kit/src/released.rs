//! Components as earlier commits built them, from `tests/released`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lzma_rust2::XzReader;

/// The versions of the contract with components in `tests/released`.
pub const VERSIONS: [&str; 1] = ["0.1"];

/// Returns the folder of a version in `tests/released`.
#[must_use]
pub fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../released").join(version)
}

/// Unpacks the components of a version into the build folder, unless an earlier test did. Returns their folder. It has a
/// folder for the default plugins, `default`, and one for the examples of each language.
///
/// # Errors
/// The archive can't be read, or the folder can't be written.
pub fn components(version: &str) -> Result<PathBuf> {
    let archive = folder(version).join("components.tar.xz");
    let test = std::env::current_exe()?;
    let build = test.ancestors().nth(2).context("the test is not in a build folder")?;
    let unpacked = build.join(format!("released-{version}"));
    if unpacked.is_dir() {
        return Ok(unpacked);
    }
    // Another test may unpack at the same time: the first one that has finished gives the folder its name.
    let own = tempfile::tempdir_in(build)?;
    let reader = fs::File::open(&archive).with_context(|| archive.display().to_string())?;
    let reader = XzReader::new(std::io::BufReader::new(reader), true);
    tar::Archive::new(reader).unpack(own.path()).with_context(|| archive.display().to_string())?;
    match fs::rename(own.path(), &unpacked) {
        Err(error) if !matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
            Err(error).with_context(|| unpacked.display().to_string())
        }
        _ => Ok(unpacked),
    }
}

/// Returns the components in a folder, ordered by name.
///
/// # Errors
/// The folder can't be read, or has no components.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} has no components", folder.display());
    Ok(files)
}
