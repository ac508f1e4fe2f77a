//! The output of `berth replay`.

use std::fmt::Write as _;

use berth_core::Timestamp;
use berth_replay::{Difference, Outcome};
use serde::Serialize;
use serde_json::Value;

use crate::cli::output::Listing;

/// The result of a replay.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// The path of the capture.
    capture: String,
    /// The number of files of the capture.
    files: usize,
    #[serde(flatten)]
    outcome: Outcome,
    /// The file with the first difference; absent if there is no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    differing_file: Option<String>,
    /// The files that could not be played back to their ends, with the reasons.
    truncated: Vec<String>,
}

impl Report {
    /// Returns an empty report about a capture with this number of files.
    pub fn new(capture: String, files: usize) -> Self {
        Self { capture, files, outcome: Outcome::default(), differing_file: None, truncated: Vec::new() }
    }

    /// Adds the outcome of the next file.
    pub fn add(&mut self, file: String, outcome: Outcome, truncated: Option<String>) {
        self.truncated.extend(truncated.map(|reason| format!("{file}: {reason}")));
        if outcome.first_difference.is_some() {
            self.differing_file.get_or_insert(file);
        }
        self.outcome.add(outcome);
    }

    /// Returns whether the capture was played back to its end, with the recorded actions.
    pub fn is_identical(&self) -> bool {
        self.outcome.differing_steps == 0 && self.truncated.is_empty()
    }
}

impl Listing for Report {
    fn table(&self, _wide: bool) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = lines(self, &mut text);
        text
    }
}

fn lines(report: &Report, text: &mut String) -> std::fmt::Result {
    let Outcome { steps, cycles, actions, differing_steps, lost_steps, began, ended, first_difference, other_versions } =
        &report.outcome;
    match report.files {
        1 => writeln!(text, "{}", report.capture)?,
        files => writeln!(text, "{}, {files} files", report.capture)?,
    }
    if let (Some(began), Some(ended)) = (began, ended) {
        writeln!(text, "{began} to {ended} ({})", length(*began, *ended))?;
    }
    writeln!(text, "{steps} events, {cycles} scheduling cycles, {actions} actions")?;
    match first_difference {
        None => writeln!(text, "Every action is the recorded one.")?,
        Some(difference) => {
            writeln!(text, "{differing_steps} events have other actions than the recorded ones. The first one:")?;
            if let Some(file) = report.differing_file.as_ref().filter(|_| report.files > 1) {
                writeln!(text, "  {file}")?;
            }
            describe(difference, text)?;
        }
    }
    if !other_versions.is_empty() {
        let names: Vec<&str> = other_versions.iter().map(String::as_str).collect();
        writeln!(text, "Other versions of these plugins served when the capture was made: {}.", names.join(", "))?;
    }
    if *lost_steps > 0 {
        writeln!(text, "{lost_steps} events are not in the capture, because the disk was too slow or full.")?;
    }
    report.truncated.iter().try_for_each(|truncated| writeln!(text, "Not complete: {truncated}."))
}

fn describe(difference: &Difference, text: &mut String) -> std::fmt::Result {
    let Difference { step, at, event, action, recorded, replayed } = difference;
    let shown = |action: &Option<Value>| action.as_ref().map_or_else(|| "none".to_owned(), Value::to_string);
    writeln!(text, "  event {step} at {at}: {event}")?;
    writeln!(text, "  recorded action {}: {}", action + 1, shown(recorded))?;
    writeln!(text, "  replayed action {}: {}", action + 1, shown(replayed))
}

/// Returns the time between two moments, for people.
pub(super) fn length(began: Timestamp, ended: Timestamp) -> String {
    berth_apimachinery::human_duration(i64::try_from(ended.since(began).as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_of_the_output_is_kept() {
        crate::cli::output::check_schema::<super::Report>("replay");
    }
}
