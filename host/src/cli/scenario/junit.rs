//! Writes the results as JUnit XML, for the reports of CI systems.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::report::Report;

/// Writes the report to a file.
///
/// # Errors
/// The file can't be written.
pub(super) fn write(report: &Report, path: &Path) -> Result<()> {
    let mut suite = TestSuite::new("scenarios");
    for scenario in &report.scenarios {
        let status = match (scenario.passed, &scenario.error) {
            (true, _) => TestCaseStatus::success(),
            (false, Some(error)) => failed(NonSuccessKind::Error, error, &scenario.details()),
            (false, None) => {
                let problems = scenario.outcome.failure.iter().flat_map(|failure| &failure.problems);
                let message = problems.map(String::as_str).collect::<Vec<_>>().join("; ");
                failed(NonSuccessKind::Failure, &message, &scenario.details())
            }
        };
        let mut case = TestCase::new(scenario.file.clone(), status);
        case.set_classname("berth.scenario")
            .set_time(Duration::try_from_secs_f64(scenario.seconds).unwrap_or_default());
        suite.add_test_case(case);
    }
    let mut xml = Xml::new("berth scenario run");
    xml.set_time(Duration::try_from_secs_f64(report.seconds).unwrap_or_default());
    xml.add_test_suite(suite);
    let place = || format!("--junit: writing {}", path.display());
    xml.serialize(File::create(path).with_context(place)?).with_context(place)
}

fn failed(kind: NonSuccessKind, message: &str, details: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message).set_description(details);
    status
}
