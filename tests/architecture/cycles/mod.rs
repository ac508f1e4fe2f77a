//! Counts the dependency cycles between the files of each crate.
//!
//! A file depends on another file of its crate if it uses an item that the other file defines. Declaring a module
//! and re-exporting its items do not count. A submodule is a part of the modules that it is in, so that it may use
//! their items. Files that depend on each other, directly or through others, are one cycle. Code that is compiled
//! only for tests does not count.

mod crates;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::crates::Crate;
use super::{root, tracked};

/// The maximum number of cycles. Lower this number when a cycle is gone.
const MAX_CYCLES: usize = 7;

type Files = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// Returns the root files of all crates: of libraries and programs, and of tests and benchmarks in a folder.
fn crate_roots() -> Vec<PathBuf> {
    let is_root = |path: &str| {
        let name = Path::new(path).file_name().and_then(|name| name.to_str());
        matches!(name, Some("lib.rs" | "main.rs")) && !path.starts_with("guest-sdk/template")
    };
    let files = tracked(".").into_iter().filter(|path| is_root(path));
    files.collect::<BTreeSet<_>>().into_iter().map(|path| root().join(path)).collect()
}

/// Returns the groups of files that depend on each other.
fn cycles(files: &Files) -> Vec<BTreeSet<&Path>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        files.keys().map(|file| (file.as_path(), reached_from(files, file))).collect();
    let mut cycles: Vec<BTreeSet<&Path>> = Vec::new();
    for (file, others) in &reached {
        if others.contains(file) && !cycles.iter().any(|cycle| cycle.contains(file)) {
            cycles.push(others.iter().filter(|other| reached[*other].contains(file)).copied().collect());
        }
    }
    cycles
}

/// Returns the files on which a file depends, directly or through others.
fn reached_from<'a>(files: &'a Files, file: &'a Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Path> = vec![file];
    while let Some(file) = next.pop() {
        let used = files.get(file).into_iter().flatten().map(PathBuf::as_path);
        next.extend(used.filter(|used| reached.insert(*used)));
    }
    reached
}

/// Returns a line for each file of a cycle, with the files of the cycle that it uses.
fn describe(cycle: &BTreeSet<&Path>, files: &Files) -> String {
    let short = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let lines = cycle.iter().map(|file| {
        let used = files[*file].iter().filter(|used| cycle.contains(used.as_path()));
        format!("  {} uses {}", short(file), used.map(|used| short(used)).collect::<Vec<_>>().join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn few_files_depend_on_each_other() {
    let mut found = Vec::new();
    for root in crate_roots() {
        let files = Crate::read(&root).dependencies();
        found.extend(cycles(&files).iter().map(|cycle| (cycle.len(), describe(cycle, &files))));
    }
    for (at, (length, text)) in found.iter().enumerate() {
        println!("cycle {} of {length} files\n{text}", at + 1);
    }
    let sum: usize = found.iter().map(|(length, _)| length).sum();
    println!("{} cycles of {sum} files", found.len());
    assert!(
        found.len() <= MAX_CYCLES,
        "{} cycles, at most {MAX_CYCLES} are allowed; scripts/cycles lists them",
        found.len()
    );
}

/// Writes a crate with these files, and returns its cycles as lists of file names.
fn cycles_of(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    for (name, text) in sources {
        std::fs::write(folder.path().join(name), text).expect("the file can be written");
    }
    let files = Crate::read(&folder.path().join("lib.rs")).dependencies();
    let name = |path: &&Path| path.file_name().expect("the path has a file name").to_string_lossy().into_owned();
    cycles(&files).iter().map(|cycle| cycle.iter().map(name).collect()).collect()
}

#[test]
fn a_cycle_is_found_through_a_reexport_and_a_path() {
    let root = ("lib.rs", "mod a; mod b; pub use a::A; // mod c;");
    let (a, b) = (("a.rs", "pub struct A(crate::b::B);"), ("b.rs", "use crate::A; pub struct B(Box<A>);"));
    assert_eq!(cycles_of(&[root, a, b]), [["a.rs", "b.rs"]]);
}

#[test]
fn tests_comments_and_submodules_make_no_cycle() {
    let root = ("lib.rs", "mod a; mod b; mod c; use c::C; pub struct Root(C);");
    let a = ("a.rs", "pub struct A(crate::b::B);");
    let b =
        ("b.rs", "/// As `crate::a::A`.\npub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; fn f(_: A) {} }");
    let c = ("c.rs", "pub struct C(Option<Box<super::Root>>);");
    assert_eq!(cycles_of(&[root, a, b, c]), Vec::<Vec<String>>::new());
}
