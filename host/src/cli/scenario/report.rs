//! The output of `berth scenario run`.

use std::fmt::Write as _;
use std::time::Duration;

use berth_scenario::{Failure, Outcome, ScenarioError};
use serde::Serialize;

use crate::cli::output::Listing;

/// The results of all scenarios.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// The scenarios, in the order of the command line.
    pub scenarios: Vec<ScenarioResult>,
    /// The number of scenarios that passed.
    pub passed: usize,
    /// The number of scenarios that failed.
    pub failed: usize,
    /// The real time that all of them took, in seconds.
    pub seconds: f64,
}

/// The result of a scenario.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct ScenarioResult {
    /// The path of the file.
    pub file: String,
    /// Whether the scenario passed.
    pub passed: bool,
    /// The real time that the scenario took, in seconds.
    pub seconds: f64,
    /// Why the scenario could not run; absent if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What happened.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl ScenarioResult {
    /// Returns the result for a file.
    pub fn new(file: String, outcome: Result<Outcome, ScenarioError>, took: Duration) -> Self {
        let (outcome, error) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(error) => (Outcome::default(), Some(error.to_string())),
        };
        let passed = error.is_none() && outcome.failure.is_none();
        Self { file, passed, seconds: took.as_secs_f64(), error, outcome }
    }

    /// Returns why the scenario did not pass; empty if it did.
    pub fn details(&self) -> String {
        let mut text = String::new();
        if let Some(error) = &self.error {
            let _ = writeln!(text, "{error}");
        }
        if let Some(Failure { step, name, problems, explanations }) = &self.outcome.failure {
            let named = if name.is_empty() { String::new() } else { format!(" ({name})") };
            let _ = writeln!(text, "{step}{named}:");
            for problem in problems {
                let _ = writeln!(text, "  {problem}");
            }
            for explanation in explanations {
                let _ = writeln!(text, "\n{}", explanation.trim_end());
            }
        }
        text
    }
}

impl Report {
    /// Returns the report of these results.
    pub fn new(scenarios: Vec<ScenarioResult>, took: Duration) -> Self {
        let passed = scenarios.iter().filter(|scenario| scenario.passed).count();
        Self { passed, failed: scenarios.len() - passed, seconds: took.as_secs_f64(), scenarios }
    }
}

impl Listing for Report {
    fn table(&self, wide: bool) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        for scenario in &self.scenarios {
            let result = if scenario.passed { "ok    " } else { "FAILED" };
            let Outcome { steps, conditions, .. } = &scenario.outcome;
            let passed = human(scenario.outcome.cluster_time());
            let millis = scenario.seconds * 1000.0;
            let more = if wide { format!(", {steps} steps, {conditions} conditions") } else { String::new() };
            let _ = writeln!(text, "{result} {} ({millis:.0} ms, {passed} of cluster time{more})", scenario.file);
            for line in scenario.details().lines() {
                let _ = writeln!(text, "{}", format!("       {line}").trim_end());
            }
        }
        let Self { passed, failed, seconds, .. } = self;
        let _ = writeln!(text, "{passed} passed, {failed} failed in {seconds:.1} s");
        text
    }
}

/// Returns a duration for people.
fn human(duration: Duration) -> String {
    berth_apimachinery::human_duration(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use berth_scenario::Scenario;

    #[test]
    fn the_schemas_are_up_to_date() {
        crate::cli::output::check_schema::<super::Report>("scenario run");
        let schema = serde_json::to_string_pretty(&Scenario::schema()).expect("JSON") + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schema/scenario-v1alpha1.json");
        crate::cli::check_document(path.as_ref(), &schema);
    }
}
