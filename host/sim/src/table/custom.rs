//! The table cells of custom resources, by the JSON paths of their definitions.

use jiff::Timestamp;
use serde_json::Value;

use crate::clock;
use crate::custom::PrinterColumn;

/// Returns the value of a column at the time `now`; null if the object has no value of the column's type.
pub fn cell(column: &PrinterColumn, object: &Value, now: Timestamp) -> Value {
    let Some(found) = find(object, &column.path) else { return Value::Null };
    match (column.kind.as_str(), found) {
        ("date", Value::String(time)) => clock::age(Some(time), now).into(),
        ("string", Value::String(_)) | ("integer" | "number", Value::Number(_)) | ("boolean", Value::Bool(_)) => {
            found.clone()
        }
        ("string", other) => other.to_string().into(),
        _ => Value::Null,
    }
}

/// Follows a JSON path to its first match: `.a.b`, `.a[0]`, `.a['b.c']`, `.a[?(@.b=="c")].d`.
fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut at = object;
    let mut rest = path.trim_start_matches('$');
    while !rest.is_empty() {
        if let Some(bracket) = rest.strip_prefix('[') {
            let (inside, after) = bracket.split_once(']')?;
            at = index(at, inside)?;
            rest = after;
        } else {
            let plain = rest.strip_prefix('.').unwrap_or(rest);
            let end = end_of_name(plain);
            let name = plain.get(..end)?.replace("\\.", ".");
            at = at.get(&name)?;
            rest = &plain[end..];
        }
    }
    Some(at)
}

fn end_of_name(path: &str) -> usize {
    let mut escaped = false;
    for (at, character) in path.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '.' | '[' => return at,
            _ => {}
        }
    }
    path.len()
}

fn index<'a>(at: &'a Value, inside: &str) -> Option<&'a Value> {
    if let Ok(number) = inside.parse::<usize>() {
        return at.get(number);
    }
    if let Some(filter) = inside.strip_prefix("?(@.").and_then(|filter| filter.strip_suffix(')')) {
        let (name, wanted) = filter.split_once("==")?;
        let wanted = unquoted(wanted.trim());
        return at.as_array()?.iter().find(|item| item.get(name.trim()).and_then(Value::as_str) == Some(wanted));
    }
    at.get(unquoted(inside))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_followed() {
        let object = json!({"spec": {"size": 3, "list": ["a", "b"], "x.y": "z"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
        for (path, expected) in [
            (".spec.size", Some(json!(3))),
            (".spec.list[1]", Some(json!("b"))),
            (".spec['x.y']", Some(json!("z"))),
            (".spec.x\\.y", Some(json!("z"))),
            (".status.conditions[?(@.type==\"Ready\")].status", Some(json!("True"))),
            (".spec.none.deeper", None),
            (".spec.list[", None),
        ] {
            assert_eq!(find(&object, path).cloned(), expected, "{path}");
        }
    }
}
