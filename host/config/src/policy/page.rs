//! Reads the table of the user page docs/policy.md, so that tests can compare it with the code.

/// Returns the words in the plugin cell of the row that names this predicate or priority, or an empty list without
/// such a row.
pub(super) fn plugins_for(name: &str) -> Vec<&'static str> {
    let page = include_str!("../../../../docs/policy.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let mut named = rows.filter(|(names, _)| words(names).any(|word| word == name));
    named.next().map_or_else(Vec::new, |(_, plugins)| words(plugins).collect())
}

fn words(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}
