//! Errors in a plugin's arguments, formatted as Kubernetes does it: `field: Invalid value: 3: must be even`.

use std::fmt::{self, Display};

use crate::field_value::{FieldValue, Quoted};

/// Collects errors, so that the user sees all of them at once.
///
/// ```
/// use berth_guest::Problems;
///
/// let mut problems = Problems::default();
/// problems.invalid("shape[0].score", 11, "not in valid range [0, 10]");
/// assert_eq!(
///     problems.into_result().unwrap_err(),
///     "shape[0].score: Invalid value: 11: not in valid range [0, 10]",
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Adds an invalid value.
    pub fn invalid(&mut self, field: impl Display, value: impl FieldValue, detail: impl Display) {
        self.push(format_args!("{field}: Invalid value: {}: {detail}", Quoted(&value)));
    }

    /// Adds a value that is not one of the supported values.
    pub fn not_supported(&mut self, field: impl Display, value: impl FieldValue, supported: &[&str]) {
        let supported = joined(supported.iter().map(|one| Quoted(one).to_string()));
        self.push(format_args!("{field}: Unsupported value: {}: supported values: {supported}", Quoted(&value)));
    }

    /// Adds a value that occurs twice.
    pub fn duplicate(&mut self, field: impl Display, value: impl FieldValue) {
        self.push(format_args!("{field}: Duplicate value: {}", Quoted(&value)));
    }

    /// Adds a required field that is missing.
    pub fn required(&mut self, field: impl Display, detail: impl Display) {
        self.push(format_args!("{field}: Required value: {detail}"));
    }

    /// Adds a field that must not be set.
    pub fn forbidden(&mut self, field: impl Display, detail: impl Display) {
        self.push(format_args!("{field}: Forbidden: {detail}"));
    }

    /// Adds all errors of `others`, with `path` in front of their fields: `list[1].` before `key`.
    pub fn add_under(&mut self, path: impl Display, others: Problems) {
        self.0.extend(others.0.into_iter().map(|problem| format!("{path}{problem}")));
    }

    // Not generic, so that the component has this code once and not once per type of field, value and detail.
    fn push(&mut self, problem: fmt::Arguments<'_>) {
        self.0.push(problem.to_string());
    }

    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns Ok if there are no errors. Otherwise returns all errors in one line, without duplicates.
    pub fn into_result(self) -> Result<(), String> {
        let mut distinct: Vec<String> = Vec::new();
        for problem in self.0 {
            if !distinct.contains(&problem) {
                distinct.push(problem);
            }
        }
        match distinct.as_slice() {
            [] => Ok(()),
            [only] => Err(only.clone()),
            _ => Err(format!("[{}]", joined(distinct.into_iter()))),
        }
    }
}

/// Joins texts with commas.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        all += if all.is_empty() { "" } else { ", " };
        all += &text;
    }
    all
}
