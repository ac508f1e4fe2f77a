//! Checks that the tests, the program and the image's program are built with the same dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use super::root;

/// The flags of the image's program, as in scripts/static.
const IMAGE: [&str; 3] = ["--no-default-features", "--features", "berth/embed"];

/// The features of each build of each dependency, by name and version.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Returns the features with which cargo compiles the dependencies of a build with these flags.
fn features(edges: &str, flags: &[&str]) -> Features {
    let cargo = std::env::var("CARGO").expect("cargo runs the test");
    let tree = ["tree", "--workspace", "--prefix", "none", "--format", "{p}|{f}", "--edges", edges];
    let output = Command::new(cargo).args(tree).args(flags).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the tree is text");
    let mut all = Features::new();
    for (package, features) in text.lines().filter_map(|line| line.split_once('|')) {
        // A mark of packages whose dependencies are already listed.
        let features = features.trim_end_matches("(*)").trim_end();
        all.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    all
}

/// Checks that a build compiles no dependency with features that the other build does not have.
fn check(build: &Features, other: &Features, remedy: &str) {
    // `berth` is the crate that has the simulator as a feature.
    let dependencies = build.iter().filter(|(package, _)| !package.starts_with("berth v"));
    let again: Vec<String> = dependencies
        .filter_map(|(package, features)| Some((package, features, other.get(package)?)))
        .filter(|(_, features, other)| !features.is_subset(other))
        .map(|(package, features, other)| format!("{package} with {features:?} instead of {other:?}"))
        .collect();
    assert!(
        again.is_empty(),
        "these dependencies, and all crates that use them, are compiled again. {remedy}:\n{}",
        again.join("\n")
    );
}

#[test]
fn no_build_compiles_a_dependency_again() {
    let program = features("normal,build", &[]);
    assert!(program.len() > 100, "{program:?}");
    check(&features("normal,build", &IMAGE), &program, "Select their features in tests/Cargo.toml too");
    let tests = features("normal,build,dev", &[]);
    check(&program, &tests, "Select the features of development dependencies for all builds");
}
