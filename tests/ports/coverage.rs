//! The coverage of a run: how often each outcome occurred.

use std::collections::BTreeMap;

/// The number of occurrences by outcome.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<&'static str, usize>);

impl Coverage {
    /// Counts an outcome if it occurred.
    pub fn add(&mut self, outcome: &'static str, occurred: bool) {
        *self.0.entry(outcome).or_default() += usize::from(occurred);
    }

    /// Returns the outcomes that did not occur.
    pub fn missing(&self, outcomes: &[&'static str]) -> Vec<&'static str> {
        let occurred = |outcome: &&&str| self.0.get(**outcome).is_some_and(|count| *count > 0);
        outcomes.iter().filter(|outcome| !occurred(outcome)).copied().collect()
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(outcome, count)| write!(f, "\n    {outcome:<44} {count:>7}"))
    }
}
