//! What is wrong with a plugin's arguments, told as Kubernetes tells it: `field: Invalid value: 3: must be even`.

use std::fmt::{self, Display};

use crate::field_value::{FieldValue, Quoted};

/// Collects problems, so that a person sees all of them at once.
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
    /// A value that may not be.
    pub fn invalid(&mut self, field: impl Display, value: impl FieldValue, detail: impl Display) {
        self.push(format_args!("{field}: Invalid value: {}: {detail}", Quoted(&value)));
    }

    /// A value that is none of those there are.
    pub fn not_supported(&mut self, field: impl Display, value: impl FieldValue, supported: &[&str]) {
        let supported = joined(supported.iter().map(|one| Quoted(one).to_string()));
        self.push(format_args!("{field}: Unsupported value: {}: supported values: {supported}", Quoted(&value)));
    }

    /// A value that was given before.
    pub fn duplicate(&mut self, field: impl Display, value: impl FieldValue) {
        self.push(format_args!("{field}: Duplicate value: {}", Quoted(&value)));
    }

    /// A field that has to be there.
    pub fn required(&mut self, field: impl Display, detail: impl Display) {
        self.push(format_args!("{field}: Required value: {detail}"));
    }

    /// A field that may not be there.
    pub fn forbidden(&mut self, field: impl Display, detail: impl Display) {
        self.push(format_args!("{field}: Forbidden: {detail}"));
    }

    /// Adds another's problems, with a path put before their fields: `list[1].` before `key`.
    pub fn add_under(&mut self, path: impl Display, others: Problems) {
        self.0.extend(others.0.into_iter().map(|problem| format!("{path}{problem}")));
    }

    // Once for all types that fields, values and details may have.
    fn push(&mut self, problem: fmt::Arguments<'_>) {
        self.0.push(problem.to_string());
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ok where there is none, else all of them in one line, each once.
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

/// With commas between.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        all += if all.is_empty() { "" } else { ", " };
        all += &text;
    }
    all
}
