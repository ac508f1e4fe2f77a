//! Applies the structural schema of a definition to custom objects: pruning, defaults and validation. Validation covers
//! types, `enum`, required fields and bounds, but not `pattern`, `oneOf` or CEL rules.

use serde_json::{Map, Value};

use crate::failure::Problems;
use crate::value::{is_true, items};

/// Removes the fields that the schema does not declare; keeps `apiVersion`, `kind` and `metadata`. Removes nothing if
/// the root of the schema preserves unknown fields. Returns the paths of the removed fields.
pub fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    if is_true(schema, "x-kubernetes-preserve-unknown-fields") {
        return dropped;
    }
    if let Some(members) = object.as_object_mut() {
        prune_members(schema, members, "", &mut dropped, &["apiVersion", "kind", "metadata"]);
    }
    dropped
}

fn prune_members(
    schema: &Value,
    members: &mut Map<String, Value>,
    path: &str,
    dropped: &mut Vec<String>,
    always: &[&str],
) {
    let properties = schema.get("properties");
    let additional = schema.get("additionalProperties");
    let keeps = is_true(schema, "x-kubernetes-preserve-unknown-fields") || additional == Some(&Value::Bool(true));
    members.retain(|name, value| {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if always.contains(&name.as_str()) {
            return true;
        }
        let inner = properties.and_then(|p| p.get(name)).or(additional.filter(|a| a.is_object()));
        match inner {
            Some(inner) => prune_value(inner, value, &path, dropped),
            None if keeps => {}
            None => {
                dropped.push(path);
                return false;
            }
        }
        true
    });
}

fn prune_value(schema: &Value, value: &mut Value, path: &str, dropped: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let embedded: &[&str] = match is_true(schema, "x-kubernetes-embedded-resource") {
                true => &["apiVersion", "kind", "metadata"],
                false => &[],
            };
            prune_members(schema, members, path, dropped, embedded);
        }
        Value::Array(list) => {
            if let Some(inner) = schema.get("items") {
                for (index, item) in list.iter_mut().enumerate() {
                    prune_value(inner, item, &format!("{path}[{index}]"), dropped);
                }
            }
        }
        _ => {}
    }
}

/// Sets the schema's defaults, and removes nulls where the schema does not allow them.
pub fn default(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let nullable = |inner: Option<&Value>| inner.is_some_and(|inner| is_true(inner, "nullable"));
            let properties = schema.get("properties");
            members.retain(|name, value| {
                !value.is_null() || properties.is_none_or(|p| p.get(name).is_none() || nullable(p.get(name)))
            });
            for (name, inner) in properties.and_then(Value::as_object).into_iter().flatten() {
                if let Some(default) = inner.get("default") {
                    members.entry(name.clone()).or_insert_with(|| default.clone());
                }
                if let Some(value) = members.get_mut(name) {
                    default_of(inner, value);
                }
            }
            if let Some(additional) = schema.get("additionalProperties").filter(|a| a.is_object()) {
                let named = |name: &String| properties.is_some_and(|p| p.get(name).is_some());
                members
                    .iter_mut()
                    .filter(|(name, _)| !named(name))
                    .for_each(|(_, value)| default_of(additional, value));
            }
        }
        Value::Array(list) => {
            if let Some(inner) = schema.get("items") {
                list.iter_mut().for_each(|item| default_of(inner, item));
            }
        }
        _ => {}
    }
}

fn default_of(schema: &Value, value: &mut Value) {
    default(schema, value);
}

/// Validates `value` against `schema`. `path` is the field path of `value` in the object.
pub fn validate(schema: &Value, value: &Value, path: &str, problems: &mut Problems) {
    if value.is_null() && is_true(schema, "nullable") {
        return;
    }
    if !has_type(schema, value) {
        let expected = schema.get("type").and_then(Value::as_str).unwrap_or("integer or string");
        let found = kind_of(value);
        problems.invalid(path, value, &format!("{path} in body must be of type {expected}: \"{found}\""));
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        problems.unsupported(path, value.as_str().unwrap_or_default(), &allowed);
    }
    match value {
        Value::Object(members) => validate_members(schema, members, path, problems),
        Value::Array(list) => {
            check_bounds(schema, list.len() as f64, ["minItems", "maxItems"], path, value, problems);
            for (index, item) in list.iter().enumerate() {
                if let Some(inner) = schema.get("items") {
                    validate(inner, item, &format!("{path}[{index}]"), problems);
                }
            }
        }
        Value::String(text) => {
            check_bounds(schema, text.chars().count() as f64, ["minLength", "maxLength"], path, value, problems)
        }
        Value::Number(number) => {
            check_bounds(schema, number.as_f64().unwrap_or_default(), ["minimum", "maximum"], path, value, problems)
        }
        Value::Bool(_) | Value::Null => {}
    }
}

fn validate_members(schema: &Value, members: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for name in items(schema, "required").filter_map(Value::as_str) {
        if !members.contains_key(name) {
            problems.required(below(name), "");
        }
    }
    let properties = schema.get("properties");
    let additional = schema.get("additionalProperties").filter(|a| a.is_object());
    for (name, value) in members {
        if path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
            continue;
        }
        if let Some(inner) = properties.and_then(|p| p.get(name)).or(additional) {
            validate(inner, value, &below(name), problems);
        }
    }
}

fn check_bounds(
    schema: &Value,
    actual: f64,
    [low, high]: [&str; 2],
    path: &str,
    value: &Value,
    problems: &mut Problems,
) {
    let bound = |name| schema.get(name).and_then(Value::as_f64);
    if let Some(least) = bound(low).filter(|least| actual < *least) {
        problems.invalid(path, value, &format!("{path} in body should be greater than or equal to {least}"));
    }
    if let Some(most) = bound(high).filter(|most| actual > *most) {
        problems.invalid(path, value, &format!("{path} in body should be less than or equal to {most}"));
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    if is_true(schema, "x-kubernetes-int-or-string") {
        return value.is_i64() || value.is_string();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        _ => true,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "spec": {"type": "object", "required": ["size"], "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 9},
                "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
                "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "map": {"type": "object", "additionalProperties": {"type": "string"}}}}}})
    }

    #[test]
    fn unknown_members_are_pruned_and_defaults_set() {
        let mut object = json!({"kind": "X", "metadata": {"name": "a"}, "oops": 1,
            "spec": {"size": 1, "extra": 2, "free": {"x": 1}, "map": {"k": "v"}, "mode": null}});
        assert_eq!(prune(&schema(), &mut object), ["oops", "spec.extra"]);
        default(&schema(), &mut object);
        assert_eq!(object["spec"], json!({"size": 1, "free": {"x": 1}, "map": {"k": "v"}, "mode": "a"}));
        assert_eq!(object["metadata"]["name"], "a");
    }

    #[test]
    fn values_are_checked() {
        for (spec, fine) in [
            (json!({"size": 3, "mode": "b", "tags": ["x"]}), true),
            (json!({}), false),
            (json!({"size": 10}), false),
            (json!({"size": "3"}), false),
            (json!({"size": 1, "mode": "c"}), false),
            (json!({"size": 1, "tags": ["a", "b", "c"]}), false),
            (json!({"size": 1, "map": {"k": 1}}), false),
        ] {
            let mut problems = Problems::default();
            validate(&schema(), &json!({"spec": spec}), "", &mut problems);
            assert_eq!(problems.is_empty(), fine, "{spec}: {problems:?}");
        }
    }
}
