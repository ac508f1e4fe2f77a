//! Steps that check the cluster.

use std::time::Duration;

use super::{Runner, duration};
use crate::cluster::View;
use crate::conditions::{self, Problem};
use crate::error::ScenarioError;
use crate::file::{Condition, Wait};

/// The time without a change of a pod after which `expect` looks at the cluster.
const QUIET: Duration = Duration::from_secs(3);

/// The longest time for which `expect` waits.
const MOST_UNREST: Duration = Duration::from_secs(600);

/// The longest wait if `wait` gives none.
const WITHIN: Duration = Duration::from_secs(60);

impl Runner<'_> {
    pub(super) async fn wait(&mut self, wait: &Wait, path: &str) -> Result<Vec<Problem>, ScenarioError> {
        let within = wait.within.as_deref().map(|text| duration(text, &format!("{path}.wait.within"))).transpose()?;
        let deadline = self.cluster.clock.instant() + within.unwrap_or(WITHIN);
        let mut last = Ok(Vec::new());
        let place = |index: usize| format!("{path}.wait.until[{index}]");
        let is_true = |view: &View| {
            last = check_all(&wait.until, view, &place);
            last.as_ref().map_or(true, Vec::is_empty)
        };
        self.cluster.wait_until(deadline, is_true).await;
        self.count(&wait.until, last)
    }

    pub(super) async fn expect(&mut self, expected: &[Condition], path: &str) -> Result<Vec<Problem>, ScenarioError> {
        self.cluster.settle(QUIET, MOST_UNREST).await;
        let found = check_all(expected, &self.cluster.view(), &|index| format!("{path}.expect[{index}]"));
        self.count(expected, found)
    }

    fn count(
        &mut self,
        conditions: &[Condition],
        found: Result<Vec<Problem>, ScenarioError>,
    ) -> Result<Vec<Problem>, ScenarioError> {
        let problems = found?;
        self.conditions += conditions.len() - problems.len();
        Ok(problems)
    }
}

fn check_all(
    conditions: &[Condition],
    view: &View,
    place: &dyn Fn(usize) -> String,
) -> Result<Vec<Problem>, ScenarioError> {
    let mut problems = Vec::new();
    for (index, condition) in conditions.iter().enumerate() {
        let checked = conditions::check(condition, view);
        problems.extend(checked.map_err(|why| ScenarioError::field(place(index), why))?);
    }
    Ok(problems)
}
