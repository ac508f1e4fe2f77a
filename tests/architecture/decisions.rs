//! Checks the numbers of the decision records in wit/decisions, and their index.

use std::collections::BTreeMap;

use super::{read, tracked};

const FOLDER: &str = "wit/decisions";

/// Returns the file names of the records, in their order.
fn records() -> Vec<String> {
    let mut files = tracked(FOLDER);
    files.retain(|file| file != "README.md");
    files.sort();
    files
}

/// Returns the number at the beginning of a record's file name.
fn number(file: &str) -> u32 {
    let digits = file.split('-').next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("{FOLDER}/{file}: the name does not begin with a number"))
}

/// Returns the title in a record's first line: its number and the decision.
fn title(file: &str) -> String {
    let text = read(&format!("{FOLDER}/{file}"));
    let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
    title.unwrap_or_else(|| panic!("{FOLDER}/{file}: the first line is not a title")).to_owned()
}

#[test]
fn each_decision_record_has_a_number_of_its_own() {
    let mut numbered = BTreeMap::new();
    for file in records() {
        let title = title(&file);
        let of_title = title.split('.').next().and_then(|number| number.parse().ok());
        assert_eq!(of_title, Some(number(&file)), "{FOLDER}/{file} and its title have different numbers: {title}");
        if let Some(other) = numbered.insert(number(&file), file.clone()) {
            panic!("{FOLDER}: {other} and {file} have the same number; give the newer record the next free number");
        }
    }
}

#[test]
fn the_index_lists_the_decision_records() {
    let expected: Vec<String> = records().iter().map(|file| format!("- [{}]({file})", title(file))).collect();
    let index = read(&format!("{FOLDER}/README.md"));
    let listed: Vec<&str> = index.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(listed, expected, "{FOLDER}/README.md must list these lines:\n{}", expected.join("\n"));
}
