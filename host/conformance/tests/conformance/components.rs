//! Examines every built component: the default plugins, and the examples in every language.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use berth_conformance::{Examination, Solo, Variety};
use berth_core::grants::{Grants, ReadGrant, WriteGrant};
use berth_core::limits::Limits;
use berth_plugin_host::DiskCache;
use berth_test_kit::released;

use super::arguments;

const SEEDS: RangeInclusive<u64> = 1..=3;

/// The CPU time for a component with one set of arguments and one seed.
const BUDGET: Duration = Duration::from_millis(200);

/// The folders in `target/plugins`. Its root holds the Rust examples that exist in no other language.
const FOLDERS: [&str; 8] = [".", "c", "default", "go", "python", "rust", "typescript", "zig"];

/// Grants by plugin name.
type AllGrants = BTreeMap<Box<str>, Grants>;

fn built(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/plugins").join(folder)
}

/// Returns the components in a folder, ordered by name.
fn components(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let files = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "wasm")).collect();
    files.sort();
    files
}

/// Prints a line also if the test passes; the test harness hides normal output of passed tests.
fn print_line(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr can be written to");
}

fn check_folder(folder: &str) {
    let files = components(&built(folder));
    if files.is_empty() {
        print_line(&format!(
            "conformance: no components in target/plugins/{folder}: they were not built, and are NOT examined"
        ));
    }
    // Components of other folders get their grants from the configuration.
    let grants = (folder == "default").then(default_grants);
    let broken: Vec<String> = files.iter().flat_map(|file| examined(file, grants.as_ref(), SEEDS)).collect();
    assert!(broken.is_empty(), "broken promises:\n{}", broken.join("\n"));
}

/// Returns the grants of the default plugins.
fn default_grants() -> AllGrants {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/grants.yaml");
    berth_config::load(&file).unwrap_or_else(|error| panic!("{error}")).berth.grants()
}

/// Returns what a plugin needs and `granted` lacks.
fn not_granted(needs: &Grants, granted: &Grants) -> impl Iterator<Item = String> {
    let read = |need: &ReadGrant| granted.read.iter().any(|grant| grant.kind == need.kind);
    let write = |need: &WriteGrant| {
        let is_inside = |field: &str, grant: &WriteGrant| {
            grant.fields.is_empty() || grant.fields.iter().any(|granted| field.starts_with(&**granted))
        };
        granted.write.iter().any(|grant| {
            grant.kind == need.kind
                && grant.verbs.is_superset(&need.verbs)
                && need.fields.iter().all(|field| is_inside(field, grant))
        })
    };
    let mut missing: Vec<String> = Vec::new();
    missing.extend(needs.read.iter().filter(|need| !read(need)).map(|need| format!("may not read {}", need.kind)));
    missing.extend(needs.write.iter().filter(|need| !write(need)).map(|need| format!("may not ask for {need:?}")));
    if needs.evict_pods.is_some() && granted.evict_pods.is_none() {
        missing.push("may not evict pods".to_owned());
    }
    missing.into_iter()
}

/// Returns the findings for a component with all its arguments and seeds. With `grants`, what the component needs and
/// is not granted is a finding too.
fn examined(file: &Path, grants: Option<&AllGrants>, seeds: RangeInclusive<u64>) -> Vec<String> {
    let compiled = DiskCache::folder_of_user();
    let plugin = Solo::load(file, compiled.as_deref(), Limits::default()).expect("a component that loads");
    let name = file.file_stem().expect("a name").to_string_lossy();
    let (mut broken, mut varied) = (Vec::new(), false);
    let words = arguments::words_of(&name);
    for arguments in arguments::of(&name) {
        let mut summary = String::new();
        for seed in seeds.clone() {
            let examination = Examination { seed, budget: BUDGET, words: words.clone(), ..Examination::default() };
            let conformance = plugin.examine(&arguments, examination).expect("it takes its arguments");
            let place = format!("{} {arguments}, seed {seed}", file.display());
            if let Some(grants) = grants {
                let granted = grants.get(plugin.name()).cloned().unwrap_or_default();
                broken.extend(not_granted(&conformance.needs, &granted).map(|need| format!("{place}: {need}")));
            }
            broken.extend(conformance.findings.iter().map(|finding| format!("{place}: {finding}")));
            varied |= varies(&conformance.variety) || !conformance.findings.is_empty();
            summary = format!("{:?} {:?}", conformance.variety, conformance.memory);
        }
        print_line(&format!("conformance: {} {arguments}: {summary}", file.display()));
    }
    if !varied {
        broken.push(format!("{}: gave the same answer for all nodes, with all its arguments", file.display()));
    }
    broken
}

/// Returns whether the answers of at least one extension point vary. The examination of a plugin with constant answers
/// proves nothing, because constant answers keep every promise.
fn varies(variety: &Variety) -> bool {
    let scores = variety.scores.is_some_and(|(lowest, highest)| lowest < highest);
    let keys = variety.sort_keys.is_some_and(|(lowest, highest)| lowest < highest);
    let filters = variety.fits > 0 && variety.rejected > 0;
    let nominates = variety.nominated > 0 && variety.not_nominated > 0;
    let approves = variety.approved > 0 && variety.not_approved > 0;
    scores || keys || filters || nominates || approves || (variety.enqueued > 0 && variety.held_back > 0)
}

#[test]
fn default_plugins() {
    assert!(!components(&built("default")).is_empty(), "there are none in target/plugins/default: run `make guests`");
    check_folder("default");
}

#[test]
fn examples_in_rust() {
    check_folder(".");
    check_folder("rust");
}

#[test]
fn examples_in_c() {
    check_folder("c");
}

#[test]
fn examples_in_go() {
    check_folder("go");
}

#[test]
fn examples_in_python() {
    check_folder("python");
}

#[test]
fn examples_in_typescript() {
    check_folder("typescript");
}

#[test]
fn examples_in_zig() {
    check_folder("zig");
}

/// The components that were built for an earlier version of the contract keep their promises on the present host.
#[test]
fn released_components() {
    for version in released::VERSIONS {
        let folder = released::components(version).expect("an archive of components");
        for language in std::fs::read_dir(&folder).expect("a folder for each language") {
            let language = language.expect("readable").path();
            let files = released::files(&language).expect("components");
            let broken: Vec<String> = files.iter().flat_map(|file| examined(file, None, 1..=1)).collect();
            assert!(broken.is_empty(), "broken promises of {}:\n{}", language.display(), broken.join("\n"));
        }
    }
}

#[test]
fn every_folder_of_components_is_examined() {
    let known = |folder: &str| FOLDERS.contains(&folder);
    for entry in std::fs::read_dir(built(".")).expect("components were built") {
        let entry = entry.expect("readable");
        let name = entry.file_name().to_string_lossy().into_owned();
        let left_out = entry.path().is_dir() && !known(&name) && !components(&entry.path()).is_empty();
        assert!(!left_out, "the components in target/plugins/{name} are not examined");
    }
}
