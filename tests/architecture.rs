//! ARCHITECTURE.md is true to the code, and docs/differences.md is the one list of differences from kube-scheduler.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Folders that git knows in `path`, which leaves out what builds leave behind.
fn folders(path: &str) -> BTreeSet<String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root().join(path))
        .output()
        .expect("git lists files");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let files = String::from_utf8(listed.stdout).expect("paths are text");
    files.lines().filter_map(|file| file.split_once('/')).map(|(folder, _)| folder.to_owned()).collect()
}

/// The rows of the table: folder, what it is, where to begin.
fn rows() -> Vec<[String; 3]> {
    let text = read("ARCHITECTURE.md");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = text.lines().filter(|line| line.starts_with("| `")).map(cells).collect();
    rows.into_iter().map(|row| row.try_into().expect("three cells a row")).collect()
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn its_table_names_every_folder() {
    let rows = rows();
    let named: BTreeSet<&str> =
        rows.iter().flat_map(|row| quoted(&row[0])).map(|path| path.trim_matches('/')).collect();
    let is_named = |path: &str| named.iter().any(|name| *name == path || name.starts_with(&format!("{path}/")));
    // What only a forge or an editor reads is no part of the architecture.
    let top = folders(".").into_iter().filter(|folder| !folder.starts_with('.'));
    let host = folders("host/src").into_iter().map(|folder| format!("host/src/{folder}"));
    let missing: Vec<String> = top.chain(host).filter(|folder| !is_named(folder)).collect();
    assert!(missing.is_empty(), "the table of ARCHITECTURE.md does not name {missing:?}");
}

#[test]
fn its_paths_exist() {
    let mut missing = Vec::new();
    for [folder, _, begin] in rows() {
        let folders: Vec<&str> = quoted(&folder).collect();
        missing.extend(folders.iter().filter(|path| !root().join(path).exists()).map(|path| (*path).to_owned()));
        let base = root().join(folders[0]);
        // A file to begin with; other words in backticks are names in it, or commands.
        let files = quoted(&begin).filter(|word| word.contains('/') || word.contains('.'));
        missing.extend(files.filter(|file| !base.join(file).exists()).map(|file| format!("{}{file}", folders[0])));
    }
    let text = read("ARCHITECTURE.md");
    let paths = quoted(&text).filter(|word| word.starts_with("host/") && !word.contains(' '));
    missing.extend(paths.filter(|path| !root().join(path).exists()).map(str::to_owned));
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
}

#[test]
fn the_core_touches_nothing() {
    let manifest = root().join("host/core/Cargo.toml");
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--edges=normal,build", "--prefix=none", "--format={p}", "--offline", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo lists dependencies");
    assert!(tree.status.success(), "cargo tree: {}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("names are text");
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("berth-core"), "cargo tree says nothing about it: {tree}");
    for banned in ["tokio", "kube", "wasmtime", "berth"] {
        assert!(!names.contains(banned), "host/core depends on {banned}");
    }
}

#[test]
fn differences_are_listed_once() {
    let text = read("plugins/README.md");
    assert!(text.contains("](../docs/differences.md)"), "plugins/README.md does not refer to docs/differences.md");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("| plugin |")).collect();
    assert!(!headings.is_empty(), "plugins/README.md has no table of plugins");
    for heading in headings {
        assert!(!heading.contains("differ"), "plugins/README.md lists differences of its own: {heading}");
    }
}
