//! A requirement on a label, in a node selector or a label selector (`labels.NewRequirement`).

use crate::types::{self, SelectorOperator};
use crate::{LabelMap, Problems, names};

/// A requirement on a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expression {
    pub(super) key: String,
    pub(super) test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    GreaterThan(i64),
    LessThan(i64),
}

impl Expression {
    pub(super) fn new(requirement: &types::Requirement) -> Result<Expression, Problems> {
        let types::Requirement { key, operator, values } = requirement;
        let mut problems = Problems::default();
        let violations = names::key_problems(key);
        if !violations.is_empty() {
            problems.invalid("key", key, violations.join("; "));
        }
        let test = match operator {
            SelectorOperator::In => Test::In(some_values(values, &mut problems)),
            SelectorOperator::NotIn => Test::NotIn(some_values(values, &mut problems)),
            SelectorOperator::Exists => no_values(values, Test::Exists, &mut problems),
            SelectorOperator::DoesNotExist => no_values(values, Test::DoesNotExist, &mut problems),
            SelectorOperator::GreaterThan => Test::GreaterThan(one_number(values, &mut problems)),
            SelectorOperator::LessThan => Test::LessThan(one_number(values, &mut problems)),
        };
        for (at, value) in values.iter().enumerate() {
            let violations = names::value_problems(value);
            if !violations.is_empty() {
                problems.invalid(format_args!("values[{at}][{key}]"), value, violations.join("; "));
            }
        }
        if problems.is_empty() { Ok(Expression { key: key.clone(), test }) } else { Err(problems) }
    }

    pub(super) fn matches(&self, labels: &LabelMap) -> bool {
        let number = |value: Option<&str>| value.and_then(|value| value.parse::<i64>().ok());
        let value = labels.get(&self.key);
        match &self.test {
            Test::In(values) => value.is_some_and(|value| values.iter().any(|known| known == value)),
            Test::NotIn(values) => value.is_none_or(|value| values.iter().all(|known| known != value)),
            Test::Exists => value.is_some(),
            Test::DoesNotExist => value.is_none(),
            Test::GreaterThan(bound) => number(value).is_some_and(|number| number > *bound),
            Test::LessThan(bound) => number(value).is_some_and(|number| number < *bound),
        }
    }
}

fn some_values(values: &[String], problems: &mut Problems) -> Vec<String> {
    if values.is_empty() {
        problems.invalid("values", values, "for 'in', 'notin' operators, values set can't be empty");
    }
    values.to_vec()
}

fn no_values(values: &[String], test: Test, problems: &mut Problems) -> Test {
    if !values.is_empty() {
        problems.invalid("values", values, "values set must be empty for exists and does not exist");
    }
    test
}

fn one_number(values: &[String], problems: &mut Problems) -> i64 {
    if values.len() != 1 {
        problems.invalid("values", values, "for 'Gt', 'Lt' operators, exactly one value is required");
    }
    let mut number = 0;
    for (at, value) in values.iter().enumerate() {
        match value.parse() {
            Ok(parsed) => number = parsed,
            Err(_) => problems.invalid(
                format_args!("values[{at}]"),
                value,
                "for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        }
    }
    number
}
