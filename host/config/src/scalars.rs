//! Checks of a scalar value against its schema.

use serde_json::Value as Json;

use super::duration::parse_duration;
use super::hints::did_you_mean;
use super::tree::{Node, Value};
use super::v1::{Data, Duration};
use super::v1alpha1::Memory;

/// Returns the type that the schema requires apart from `null`, or `None` if the schema accepts any type.
pub(super) fn type_of(schema: &Json) -> Option<&str> {
    let named = match &schema["type"] {
        Json::Array(types) => types.iter().filter_map(Json::as_str).find(|name| *name != "null"),
        one => one.as_str(),
    };
    named.or_else(|| (!choices(schema).is_empty()).then_some("string"))
}

/// Checks that the node has the type and value that the schema requires.
///
/// # Errors
/// Returns the problem, as text that follows the field's path.
pub(super) fn check(node: &Node, wanted: &str, schema: &Json) -> Result<(), String> {
    match (wanted, &node.value) {
        ("boolean", Value::Bool(_)) => Ok(()),
        ("integer", Value::Integer(n)) => check_range(*n, schema),
        ("number", Value::Integer(_) | Value::Float(_)) => Ok(()),
        ("string", Value::Text(text)) => check_text(text, schema),
        _ => Err(format!("is {}; expected {}{}", node.kind(), article(wanted), remedy(node, wanted, schema))),
    }
}

fn article(wanted: &str) -> &str {
    match wanted {
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "array" => "a list",
        "object" => "an object",
        _ => "a string",
    }
}

/// Returns a hint for a common mistake: missing or superfluous quotes, a missing unit, list dash or field name.
fn remedy(node: &Node, wanted: &str, schema: &Json) -> String {
    match (wanted, &node.value) {
        ("string", Value::Integer(n)) if schema["format"] == Duration::FORMAT => format!("; add a unit, such as {n}s"),
        ("string", Value::Integer(n)) => format!("; put it into quotes: \"{n}\""),
        ("string", Value::Bool(b)) => format!("; put it into quotes: \"{b}\""),
        ("integer", Value::Text(text)) if text.parse::<i64>().is_ok() => format!("; write it without quotes: {text}"),
        ("boolean", Value::Text(text)) if matches!(&**text, "true" | "false") => {
            format!("; write it without quotes: {text}")
        }
        ("object", Value::Text(text)) if schema["required"] == serde_json::json!(["name"]) => {
            format!("; write {{name: {text}}}")
        }
        ("array", Value::Map(_) | Value::Text(_)) => "; begin each element with \"- \"".to_owned(),
        _ => String::new(),
    }
}

fn check_range(n: i64, schema: &Json) -> Result<(), String> {
    let bound = |name: &str| schema[name].as_i64();
    let (lowest, highest) = match schema["format"].as_str() {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("uint64") => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    };
    let (least, most) = (bound("minimum").unwrap_or(lowest), bound("maximum").unwrap_or(highest));
    if (least..=most).contains(&n) {
        return Ok(());
    }
    // Without `maximum`, the upper bound is that of the integer type. The message for a number that is too small leaves
    // this bound out.
    let is_open = n < least && bound("maximum").is_none();
    Err(if is_open { format!("{n}: must be {least} or more") } else { format!("{n}: must be from {least} to {most}") })
}

fn check_text(text: &str, schema: &Json) -> Result<(), String> {
    let choices = choices(schema);
    if !choices.is_empty() && !choices.contains(&text) {
        let known = choices.iter().map(|choice| format!("{choice:?}")).collect::<Vec<_>>().join(", ");
        let hint = if choices.len() > 1 { did_you_mean(text, choices.into_iter()) } else { String::new() };
        return Err(format!("{text:?} is not known here; accepted: {known}{hint}"));
    }
    if text.is_empty() && schema["minLength"].as_u64().is_some_and(|least| least > 0) {
        return Err("is empty".to_owned());
    }
    match schema["format"].as_str() {
        Some(Duration::FORMAT) => parse_duration(text).map(drop),
        Some(Memory::FORMAT) => Memory::parse(text).map(drop),
        Some(Data::FORMAT) => match serde_json::from_value::<Data>(text.into()) {
            Ok(_) => Ok(()),
            Err(_) => Err("is not base64".to_owned()),
        },
        _ => Ok(()),
    }
}

/// Returns the accepted texts, or an empty list if the schema accepts any text.
fn choices(schema: &Json) -> Vec<&str> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    listed.chain(described).chain([&schema["const"]]).filter_map(Json::as_str).collect()
}
