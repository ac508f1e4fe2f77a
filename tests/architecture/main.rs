//! Checks that ARCHITECTURE.md matches the code, that files depend on each other in few cycles, and that differences
//! from kube-scheduler and decision records are listed once.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod contract;
mod cycles;
mod decisions;
mod features;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files below `path` that Git tracks or would track. Build output is left out, because Git ignores it.
fn tracked(path: &str) -> Vec<String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root().join(path))
        .output()
        .expect("git lists files");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let files = String::from_utf8(listed.stdout).expect("paths are text");
    // A file that is deleted but still in the index is not a file of the working tree.
    files.lines().filter(|file| root().join(path).join(file).exists()).map(str::to_owned).collect()
}

/// Returns the folders below `path` with files that Git tracks or would track.
fn folders(path: &str) -> BTreeSet<String> {
    tracked(path).iter().filter_map(|file| file.split_once('/')).map(|(folder, _)| folder.to_owned()).collect()
}

/// Returns the rows of ARCHITECTURE.md's tables, and whether the row is of the table of crates.
fn all_rows() -> Vec<([String; 3], bool)> {
    let text = read("ARCHITECTURE.md");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.map(|line| (cells(line).try_into().expect("three cells a row"), line.starts_with("| `berth")));
    rows.collect()
}

/// Returns the rows of the table of folders: folder, subject, first file to read.
fn rows() -> Vec<[String; 3]> {
    all_rows().into_iter().filter(|(_, is_crate)| !is_crate).map(|(row, _)| row).collect()
}

/// Returns the rows of the table of crates: crate, subject, the crates that it depends on.
fn crates() -> Vec<[String; 3]> {
    all_rows().into_iter().filter(|(_, is_crate)| *is_crate).map(|(row, _)| row).collect()
}

/// Returns the parts of the text that are in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_of_folders_is_complete() {
    let rows = rows();
    let named: BTreeSet<&str> =
        rows.iter().flat_map(|row| quoted(&row[0])).map(|path| path.trim_matches('/')).collect();
    let is_named = |path: &str| named.iter().any(|name| *name == path || name.starts_with(&format!("{path}/")));
    // Folders whose names start with a dot (`.github`, for example) are not part of the architecture.
    let top = folders(".").into_iter().filter(|folder| !folder.starts_with('.'));
    let parts = folders("host/src").into_iter().map(|folder| format!("host/src/{folder}"));
    // The folders of the crate `berth` itself.
    let own = ["build", "src", "tests"];
    let host = folders("host").into_iter().filter(|folder| !own.contains(&folder.as_str()));
    let host = host.map(|folder| format!("host/{folder}"));
    let missing: Vec<String> = top.chain(parts).chain(host).filter(|folder| !is_named(folder)).collect();
    assert!(missing.is_empty(), "the table of ARCHITECTURE.md does not name {missing:?}");
}

#[test]
fn paths_in_the_architecture_exist() {
    let mut missing = Vec::new();
    for [folder, _, begin] in rows() {
        let folders: Vec<&str> = quoted(&folder).collect();
        missing.extend(folders.iter().filter(|path| !root().join(path).exists()).map(|path| (*path).to_owned()));
        let base = root().join(folders[0]);
        // A cell names a file to begin with. Other words in backticks are identifiers or commands.
        let files = quoted(&begin).filter(|word| word.contains('/') || word.contains('.'));
        missing.extend(files.filter(|file| !base.join(file).exists()).map(|file| format!("{}{file}", folders[0])));
    }
    let text = read("ARCHITECTURE.md");
    let paths = quoted(&text).filter(|word| word.starts_with("host/") && !word.contains(' '));
    missing.extend(paths.filter(|path| !root().join(path).exists()).map(str::to_owned));
    assert!(missing.is_empty(), "ARCHITECTURE.md names paths that do not exist: {missing:?}");
}

#[test]
fn the_core_depends_on_no_io_crate() {
    let manifest = root().join("host/core/Cargo.toml");
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--edges=normal,build", "--prefix=none", "--format={p}", "--offline", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo lists dependencies");
    assert!(tree.status.success(), "cargo tree: {}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("names are text");
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("berth-core"), "the output of cargo tree does not contain berth-core: {tree}");
    for banned in ["tokio", "kube", "wasmtime", "berth"] {
        assert!(!names.contains(banned), "host/core depends on {banned}");
    }
}

/// Returns the crates of the host that the crate in this folder depends on, without those of its tests.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = read(&format!("{folder}/Cargo.toml"));
    let table = manifest.split("\n[dependencies]\n").nth(1).expect("the manifest has a table of dependencies");
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let is_host = |name: &str| match name.strip_prefix("berth-") {
        // The crates in guest-sdk/ depend on none of the host's.
        Some(crate_name) => !root().join("guest-sdk").join(crate_name).exists(),
        None => false,
    };
    names.filter(|name| is_host(name)).map(str::to_owned).collect()
}

#[test]
fn the_crates_of_the_host_depend_in_one_direction() {
    let crates = crates();
    let name_of = |row: &[String; 3]| row[0].trim_matches('`').to_owned();
    let names: Vec<String> = crates.iter().map(name_of).collect();
    let folders =
        folders("host").into_iter().filter(|folder| root().join("host").join(folder).join("Cargo.toml").exists());
    let existing: BTreeSet<String> =
        folders.map(|folder| format!("berth-{folder}")).chain(["berth".to_owned()]).collect();
    assert_eq!(
        names.iter().cloned().collect::<BTreeSet<_>>(),
        existing,
        "the crates in ARCHITECTURE.md (left) and in host/ (right)"
    );
    for (at, row) in crates.iter().enumerate() {
        let name = &names[at];
        let folder = name.strip_prefix("berth-").map_or("host".to_owned(), |folder| format!("host/{folder}"));
        let depends = dependencies(&folder);
        let above: BTreeSet<String> = names[..at].iter().cloned().collect();
        let quoted: BTreeSet<String> =
            quoted(&row[2]).filter(|word| word.starts_with("berth-")).map(str::to_owned).collect();
        // Either a list, or "all", or "all except" a list.
        let documented = if row[2].starts_with("all") { &above - &quoted } else { quoted };
        assert_eq!(
            depends, documented,
            "the dependencies of {name} in Cargo.toml (left) and in ARCHITECTURE.md (right)"
        );
        assert!(depends.is_subset(&above), "{name} depends on a crate below it in ARCHITECTURE.md");
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
