//! Plugin names that are valid as names of a file, crate, package and module.

use std::fmt;

use anyhow::{Result, bail, ensure};

use super::language::Language;

/// The maximum length of a name in characters, as for a DNS label.
const LONGEST: usize = 63;
/// The name that the templates use.
const TEMPLATE: &str = "team-nodes";

/// A name of lower-case letters, digits and single dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name(String);

impl Name {
    /// Checks the name.
    pub fn new(name: &str, language: Language) -> Result<Name> {
        let is_part = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins || !name.split('-').all(is_part) {
            let example = suggestion(name).map_or_else(String::new, |example| format!(", such as {example:?}"));
            bail!(
                "{name:?} is not a plugin name: use lower-case letters, digits and single dashes, with a letter first{example}"
            );
        }
        ensure!(name.len() <= LONGEST, "{name:?} is not a plugin name: use at most {LONGEST} characters");
        ensure!(
            !language.reserved().contains(&name),
            "{name:?} can't be the name of a plugin in this language, because its tools reserve the name; choose another name"
        );
        Ok(Name(name.to_owned()))
    }

    /// Returns the template text with this name in place of the template's name, in each of its spellings.
    pub fn put_into(&self, text: &str) -> String {
        [dashes, underscores, camel]
            .iter()
            .fold(text.to_owned(), |text, spelled| text.replace(&spelled(TEMPLATE), &spelled(&self.0)))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

fn dashes(name: &str) -> String {
    name.to_owned()
}

fn underscores(name: &str) -> String {
    name.replace('-', "_")
}

fn camel(name: &str) -> String {
    let capital = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    name.split('-').map(capital).collect()
}

/// Returns another name that is valid in every language.
pub(super) fn similar(name: &str) -> String {
    let suggested = suggestion(name).unwrap_or_else(|| TEMPLATE.to_owned());
    if suggested == name { format!("{name}-plugin") } else { suggested }
}

/// Returns a similar valid name, such as `team-nodes` for `TeamNodes`.
fn suggestion(name: &str) -> Option<String> {
    let mut suggested = String::new();
    for letter in name.chars().take(LONGEST) {
        let starts_word = letter.is_ascii_uppercase() || !letter.is_ascii_alphanumeric();
        if starts_word && !suggested.is_empty() && !suggested.ends_with('-') {
            suggested.push('-');
        }
        if letter.is_ascii_alphanumeric() {
            suggested.push(letter.to_ascii_lowercase());
        }
    }
    let suggested =
        suggested.trim_matches('-').trim_start_matches(|first: char| first.is_ascii_digit() || first == '-');
    (!suggested.is_empty()).then(|| suggested.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, language, refusal) in [
            ("team-nodes", Language::Rust, ""),
            ("a1-2", Language::Go, ""),
            ("fn", Language::Go, ""),
            ("fn", Language::Rust, "reserve the name"),
            ("berth-guest", Language::TypeScript, "reserve the name"),
            ("TeamNodes", Language::C, "such as \"team-nodes\""),
            ("9 lives", Language::C, "such as \"lives\""),
            ("team--nodes", Language::C, "single dashes"),
            ("-", Language::C, "with a letter first"),
            ("../up", Language::C, "such as \"up\""),
            ("é", Language::C, "with a letter first"),
            ("", Language::C, "with a letter first"),
            (&"a".repeat(64), Language::C, "at most 63 characters"),
        ] {
            let error = Name::new(name, language).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(refusal) && error.is_empty() == refusal.is_empty(), "{name:?}: {error}");
        }
    }

    #[test]
    fn a_name_comes_in_each_spelling() {
        let name = Name::new("gpu-2-last", Language::Go).unwrap();
        assert_eq!(name.put_into("team-nodes team_nodes TeamNodes team"), "gpu-2-last gpu_2_last Gpu2Last team");
    }
}
