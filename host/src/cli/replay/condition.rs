//! `--fail-if`: conditions over the measures of two policies, in CEL.

use anyhow::{Result, anyhow, bail};
use berth_kube::cel_value;
use berth_replay::{Column, Comparison};
use cel::parser::{Expression, PrattParser};
use cel::{Context, Value};

/// The deepest nesting of brackets.
const DEEPEST: u16 = 32;

/// The longest condition in bytes.
const LONGEST: usize = 1024;

/// A parsed condition.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    text: String,
    expression: Expression,
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// The text is too long or no CEL expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the condition has {} bytes, more than {LONGEST}", text.len()));
        }
        let parsed = PrattParser::new().max_recursion_depth(DEEPEST).parse(text);
        let invalid = |error: &dyn std::fmt::Display| format!("{text:?} is no CEL expression: {error}");
        let expression = parsed.map_err(|error| invalid(&error))?;
        Ok(Self { text: text.to_owned(), expression })
    }

    /// Returns the policies for which the condition is true, as a sentence each.
    ///
    /// # Errors
    /// The condition names a field that does not exist, or is neither true nor false.
    pub fn failures(&self, comparison: &Comparison) -> Result<Vec<String>> {
        let Some((base, policies)) = comparison.columns.split_first() else { return Ok(Vec::new()) };
        let mut failures = Vec::new();
        for new in policies {
            if self.is_true(base, new)? {
                failures.push(format!("{}: {}", new.name, self.text));
            }
        }
        Ok(failures)
    }

    fn is_true(&self, base: &Column, new: &Column) -> Result<bool> {
        let mut context = Context::default();
        for (name, column) in [("base", base), ("new", new)] {
            context.add_variable_from_value(name, cel_value(&serde_json::to_value(column)?));
        }
        match context.resolve(&self.expression) {
            Ok(Value::Bool(is_true)) => Ok(is_true),
            Ok(other) => bail!("--fail-if: {:?} is {other:?}, and not true or false", self.text),
            Err(error) => Err(anyhow!(
                "--fail-if: {:?} can't be evaluated: {error}; -o json shows the fields, and double(x) makes a whole number \
                 one that can be multiplied by 1.1",
                self.text
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use berth_replay::{Measures, Pending};

    use super::*;

    fn column(name: &str, p99: f64, evictions: u64) -> Column {
        let pending = Pending { p99, ..Pending::default() };
        let measures = Measures { pending, evictions, ..Measures::default() };
        Column { name: name.into(), measures, ..Column::default() }
    }

    #[test]
    fn a_condition_compares_each_policy_with_the_base() {
        let columns = vec![column("base", 1.0, 2), column("slow", 1.2, 2), column("fast", 1.0, 3)];
        let comparison = Comparison { columns };
        for (text, expected) in [
            ("new.pending.p99 > 1.1 * base.pending.p99", vec!["slow"]),
            ("new.evictions > base.evictions", vec!["fast"]),
            ("new.evictions > 3 || new.pending.p99 < 0.5", vec![]),
            ("double(new.evictions) > 1.4 * double(base.evictions)", vec!["fast"]),
        ] {
            let failures = Condition::parse(text).expect("CEL").failures(&comparison).expect("true or false");
            let expected: Vec<String> = expected.iter().map(|name| format!("{name}: {text}")).collect();
            assert_eq!(failures, expected);
        }
    }

    #[test]
    fn a_mistake_is_an_error() {
        let comparison = Comparison { columns: vec![column("base", 1.0, 2), column("new", 1.0, 2)] };
        for text in ["new.pending.p98 > 1.0", "new.evictions", "old.evictions > 1", "1.5 * new.evictions > 1.0"] {
            let condition = Condition::parse(text).expect("CEL");
            let error = condition.failures(&comparison).expect_err(text).to_string();
            assert!(error.starts_with("--fail-if: ") && error.contains(text), "{error}");
        }
        for text in ["new.pending >", &"x".repeat(LONGEST + 1)] {
            assert!(Condition::parse(text).is_err());
        }
    }
}
