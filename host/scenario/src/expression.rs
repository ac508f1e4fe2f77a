//! Expressions in CEL.

use berth_kube::cel_value;
use cel::parser::{Expression, PrattParser};
use cel::{Context, Value as CelValue};
use serde_json::{Map, Value};

/// The deepest nesting of brackets.
const DEEPEST: u16 = 32;

/// The longest expression in bytes.
const LONGEST: usize = 4096;

/// Values of an expression, by name.
pub type Variables = Map<String, Value>;

/// Evaluates an expression.
///
/// # Errors
/// The text is no expression, or names something that does not exist.
pub fn evaluate(text: &str, variables: &Variables) -> Result<Value, String> {
    let expression = parse(text)?;
    let mut context = Context::default();
    for (name, value) in variables {
        context.add_variable_from_value(name.as_str(), cel_value(value));
    }
    let value = context.resolve(&expression).map_err(|error| format!("{text:?} can't be evaluated: {error}"))?;
    value.json().map_err(|error| format!("{text:?} has no value that JSON has: {error}"))
}

/// Returns whether an expression is true.
///
/// # Errors
/// As [`evaluate`]; also if the value is neither true nor false.
pub fn is_true(text: &str, variables: &[(&str, Value)]) -> Result<bool, String> {
    let expression = parse(text)?;
    let mut context = Context::default();
    for (name, value) in variables {
        context.add_variable_from_value(*name, cel_value(value));
    }
    match context.resolve(&expression) {
        Ok(CelValue::Bool(is_true)) => Ok(is_true),
        Ok(other) => Err(format!("{text:?} is {other:?}, and not true or false")),
        Err(error) => Err(format!("{text:?} can't be evaluated: {error}")),
    }
}

fn parse(text: &str) -> Result<Expression, String> {
    if text.len() > LONGEST {
        return Err(format!("the expression has {} bytes, more than {LONGEST}", text.len()));
    }
    let parsed = PrattParser::new().max_recursion_depth(DEEPEST).parse(text);
    parsed.map_err(|error| format!("{text:?} is no CEL expression: {error}"))
}
