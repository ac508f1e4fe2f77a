//! Accessors for the JSON trees of Kubernetes objects.

use serde_json::{Map, Value};

/// Returns the string field `name`; empty if absent.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the string at a JSON pointer; empty if absent.
pub fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the items of the list field `name`; empty if absent.
pub fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the items of the list field `name`, mutably.
pub fn items_mut<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Returns the members of the object field `name`; empty if absent.
pub fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// Sets the field `name` if it is absent or null.
pub fn set_default(value: &mut Value, name: &str, default: impl Into<Value>) {
    if let Some(object) = value.as_object_mut() {
        let member = object.entry(name).or_insert(Value::Null);
        if member.is_null() {
            *member = default.into();
        }
    }
}

/// Returns the object field `name`, after creating an empty object if the field is absent or not an object. Returns
/// `None` if `value` is not an object.
pub fn object_mut<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    let member = value.as_object_mut()?.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if !member.is_object() {
        *member = Value::Object(Map::new());
    }
    member.as_object_mut()
}

/// Copies the field `name` from `source` to `target`. Removes the field if `source` does not have it.
pub fn copy_member(target: &mut Value, source: &Value, name: &str) {
    let Some(object) = target.as_object_mut() else { return };
    match source.get(name) {
        Some(value) => drop(object.insert(name.to_owned(), value.clone())),
        None => drop(object.remove(name)),
    }
}

/// Removes the field `name`.
pub fn remove(value: &mut Value, name: &str) {
    if let Some(object) = value.as_object_mut() {
        object.remove(name);
    }
}

/// Returns true if the field `name` is `true`.
pub fn is_true(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

/// Sets a condition: replaces the condition of the same type, or appends it.
pub fn set_condition(status: &mut Value, condition: Value) {
    if !status.is_object() {
        *status = Value::Object(Map::new());
    }
    set_default(status, "conditions", Value::Array(Vec::new()));
    let kind = condition["type"].clone();
    if let Some(conditions) = status["conditions"].as_array_mut() {
        match conditions.iter_mut().find(|existing| existing["type"] == kind) {
            Some(existing) => *existing = condition,
            None => conditions.push(condition),
        }
    }
}
