//! The files in `cases/`.

use std::path::{Path, PathBuf};

use berth_config::Configuration;

/// Returns the path of a folder in `cases/`.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/cases").join(name)
}

/// Returns the files in a folder of `cases/`, sorted by name.
pub fn files(name: &str) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder(name)).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = listed.collect();
    files.sort();
    files
}

/// Loads a file that must be valid.
pub fn load(path: &Path) -> Configuration {
    berth_config::load(path).unwrap_or_else(|error| panic!("{error}"))
}
