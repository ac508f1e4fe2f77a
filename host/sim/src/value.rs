//! Short ways through JSON trees of Kubernetes objects.

use serde_json::{Map, Value};

/// The string member `name`; empty where there is none.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The string at a JSON pointer; empty where there is none.
pub fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The items of the list member `name`; none where there is none.
pub fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// The items of the list member `name`, to change them.
pub fn items_mut<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// The members of the object member `name`; none where there is none.
pub fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// Sets the member `name` where it is absent or null.
pub fn set_default(value: &mut Value, name: &str, default: impl Into<Value>) {
    if let Some(object) = value.as_object_mut() {
        let member = object.entry(name).or_insert(Value::Null);
        if member.is_null() {
            *member = default.into();
        }
    }
}

/// The object at the member `name`, made empty where it is absent or something else; none where `value` is no object.
pub fn object_mut<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    let member = value.as_object_mut()?.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if !member.is_object() {
        *member = Value::Object(Map::new());
    }
    member.as_object_mut()
}

/// Puts `source`'s member `name` into `target`, or takes it away where `source` has none.
pub fn copy_member(target: &mut Value, source: &Value, name: &str) {
    let Some(object) = target.as_object_mut() else { return };
    match source.get(name) {
        Some(value) => drop(object.insert(name.to_owned(), value.clone())),
        None => drop(object.remove(name)),
    }
}

/// Takes the member `name` away.
pub fn remove(value: &mut Value, name: &str) {
    if let Some(object) = value.as_object_mut() {
        object.remove(name);
    }
}

/// True where the member `name` is `true`.
pub fn is_true(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

/// Sets a condition by its type: replaces the one there is, or adds it at the end.
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
