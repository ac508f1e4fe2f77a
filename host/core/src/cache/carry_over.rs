//! Transfers an assumption about an object to a newer version of the object.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The newer version differs in an assumed field.
struct Conflict;

/// Applies the changes between `over` and `assumed` to `newer`. Returns `None` if `newer` differs from `over` in one of
/// the changed fields, if nothing changed, or if one of the three texts is no JSON. Lists are compared as a whole.
pub(super) fn carried_over(over: &str, assumed: &str, newer: &str) -> Option<String> {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    let (over, assumed, newer) = (read(over)?, read(assumed)?, read(newer)?);
    if over == assumed {
        return None;
    }
    let merged = merge(Some(&over), Some(&assumed), Some(newer)).ok()?;
    merged.map(|value| value.to_string())
}

fn merge(over: Option<&Value>, assumed: Option<&Value>, newer: Option<Value>) -> Result<Option<Value>, Conflict> {
    if over == assumed {
        return Ok(newer);
    }
    let nothing = Map::new();
    let holds_fields = |value: Option<&Value>| value.is_none_or(Value::is_object);
    let (true, true, Some(Value::Object(assumed))) = (holds_fields(over), holds_fields(newer.as_ref()), assumed) else {
        return if newer.as_ref() == over { Ok(assumed.cloned()) } else { Err(Conflict) };
    };
    let over = over.and_then(Value::as_object).unwrap_or(&nothing);
    let mut merged = match newer {
        Some(Value::Object(newer)) => newer,
        _ => Map::new(),
    };
    let names: BTreeSet<&String> = over.keys().chain(assumed.keys()).collect();
    for name in names {
        if let Some(value) = merge(over.get(name), assumed.get(name), merged.remove(name))? {
            merged.insert(name.clone(), value);
        }
    }
    Ok(Some(Value::Object(merged)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_assumed_fields_must_be_unchanged() {
        for (over, assumed, newer, expected) in [
            // Another field changes, appears, disappears.
            (r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":1,"b":3}"#, Some(r#"{"a":2,"b":3}"#)),
            (r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1,"b":{}}"#, Some(r#"{"a":2,"b":{}}"#)),
            (r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":1}"#, Some(r#"{"a":2}"#)),
            // The assumed field came true or has another value.
            (r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#, None),
            (r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#, None),
            (r#"{"a":1}"#, r#"{"a":2}"#, r#"{}"#, None),
            // A field is added, with its parent.
            (r#"{}"#, r#"{"s":{"a":1}}"#, r#"{"s":{"b":1}}"#, Some(r#"{"s":{"a":1,"b":1}}"#)),
            (r#"{}"#, r#"{"s":{"a":1}}"#, r#"{"s":{"a":2}}"#, None),
            (r#"{}"#, r#"{"s":{"a":1}}"#, r#"{"s":1}"#, None),
            // A field is removed.
            (r#"{"a":1,"b":1}"#, r#"{"b":1}"#, r#"{"a":1,"b":2}"#, Some(r#"{"b":2}"#)),
            (r#"{"a":1,"b":1}"#, r#"{"b":1}"#, r#"{"a":2,"b":1}"#, None),
            // Lists are compared as a whole.
            (r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, r#"{"a":[1],"b":1}"#, Some(r#"{"a":[1,2],"b":1}"#)),
            (r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, r#"{"a":[3,1]}"#, None),
            // Nothing is assumed, or the text is no JSON.
            (r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":1,"b":1}"#, None),
            ("a", "b", "c", None),
        ] {
            assert_eq!(carried_over(over, assumed, newer).as_deref(), expected, "{over} {assumed} {newer}");
        }
    }
}
