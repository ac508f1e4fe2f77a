//! Checks that the lists in the documentation match the code.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the paths of the entries of a folder, relative to the repository's root, in order.
fn entries(folder: &str) -> BTreeSet<String> {
    let listed = fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let names = listed
        .map(|entry| entry.expect("the entry can be read").file_name().into_string().expect("the file name is UTF-8"));
    names.map(|name| format!("{folder}/{name}")).collect()
}

/// Returns the words in backticks of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the rows of a page's tables as lists of cells.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    page.lines().filter_map(|line| Some(line.strip_prefix("| ")?.split(" | ").map(str::trim).collect()))
}

#[test]
fn the_index_links_every_page() {
    let index = read("docs/README.md");
    let pages = entries("docs").into_iter().chain(entries("docs/first-filter")).chain(entries("docs/schema"));
    let pages = pages.filter_map(|path| path.strip_prefix("docs/").map(str::to_owned));
    let is_page = |path: &String| path != "README.md" && (path.ends_with(".md") || path.ends_with(".json"));
    let missing: Vec<String> = pages.filter(is_page).filter(|path| !index.contains(&format!("]({path})"))).collect();
    assert!(missing.is_empty(), "docs/README.md does not link {missing:?}");
}

#[test]
fn the_contract_page_lists_every_export() {
    let (worlds, page) = (read("wit/0.2/worlds.wit"), read("docs/contract.md"));
    let (_, everything) = worlds.split_once("world everything {").expect("wit/0.2/worlds.wit has the world everything");
    let exports = everything.lines().filter_map(|line| line.trim().strip_prefix("export ")?.strip_suffix(';'));
    let section = page.split("\n## ").find(|section| section.starts_with("What a component exports"));
    let listed: BTreeSet<&str> = rows(section.expect("docs/contract.md has the section about exports"))
        .filter(|cells| cells.len() == 3 && cells[0].starts_with('`'))
        .flat_map(|cells| quoted(cells[0]).collect::<Vec<_>>())
        .collect();
    assert_eq!(
        listed,
        exports.collect(),
        "the exports in the table of docs/contract.md (left) and in the world everything (right)"
    );
}

/// Returns the plugin that a crate defines: its name, and its extension points as the documentation spells them. Both
/// come from the crate's `plugin!` macro.
fn plugin(source: &str) -> Option<(String, BTreeSet<String>)> {
    let (_, keys) = source.split_once("berth_guest::plugin!(")?;
    let (keys, _) = keys.split_once(");").expect("the macro plugin! ends with );");
    let (_, name) = keys.split_once("name: \"")?;
    let (name, keys) = name.split_once('"')?;
    let points = keys.split(',').filter_map(|key| {
        Some(match key.split_once(':')?.0.trim() {
            "filter" | "filter_nodes" => "filter",
            "score" | "score_nodes" => "score",
            "pre_enqueue" => "pre-enqueue",
            "queue_sort" => "queue-sort",
            "pre_filter" => "pre-filter",
            "post_filter" => "post-filter",
            "reserve" => "reserve",
            "permit" => "permit",
            "pre_bind" => "pre-bind",
            "bind" => "bind",
            "post_bind" => "post-bind",
            _ => return None,
        })
    });
    Some((name.to_owned(), points.map(str::to_owned).collect()))
}

#[test]
fn the_page_of_plugins_lists_every_plugin() {
    let folders = entries("plugins").into_iter().chain(entries("plugins/policy"));
    let sources = folders.map(|folder| root().join(folder).join("src/lib.rs")).filter(|source| source.exists());
    let plugins: BTreeMap<String, BTreeSet<String>> = sources
        .filter_map(|source| plugin(&fs::read_to_string(source).expect("the source file can be read")))
        .collect();
    assert!(plugins.len() > 20, "{plugins:?}");
    let page = read("plugins/README.md");
    let listed: BTreeMap<String, BTreeSet<String>> = rows(&page)
        .filter(|cells| cells.len() >= 3 && cells[0] != "plugin")
        .map(|cells| (cells[0].to_owned(), cells[1].split(", ").map(str::to_owned).collect()))
        .collect();
    assert_eq!(
        listed, plugins,
        "the plugins in plugins/README.md (left) and in the `plugin!` macros of the crates (right)"
    );
}

/// Pages that name metrics of Berth. docs/differences.md also names metrics that Berth does not have.
const PAGES_WITH_METRICS: [&str; 3] =
    ["docs/troubleshooting.md", "docs/reliability.md", "docs/running-in-a-cluster.md"];

#[test]
fn the_documentation_names_existing_metrics() {
    let sources = entries("host/admin/src/metrics").into_iter().filter(|path| path.ends_with(".rs"));
    let sources: String = sources.map(|path| read(&path)).collect();
    let mut unknown = BTreeSet::new();
    for page in PAGES_WITH_METRICS {
        let text = read(page);
        let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
        let metrics = words.filter(|word| {
            ["scheduler_", "berth_plugin_", "berth_configuration_", "berth_writes_"].iter().any(|p| word.starts_with(p))
                && !word.ends_with('_')
        });
        // The registry appends `_total` to the names of counters.
        let exists = |name: &str| {
            let name = name.strip_suffix("_total").unwrap_or(name);
            sources.contains(&format!("\"{name}\""))
        };
        unknown.extend(metrics.filter(|name| !exists(name)).map(|name| format!("{page}: {name}")));
    }
    assert!(unknown.is_empty(), "host/admin/src/metrics does not define these metrics: {unknown:#?}");
}
