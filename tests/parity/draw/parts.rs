//! The building blocks of drawn objects: parts, which are JSON objects that are merged.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// A strategy that draws some fields of an object, as a JSON object.
pub type Part = BoxedStrategy<Value>;

/// Draws one of these values. Put the simplest first, because shrinking moves toward it.
pub fn any_of<T: Clone + std::fmt::Debug + Into<Value> + 'static>(values: &[T]) -> Part {
    select(values.to_vec()).prop_map(Into::into).boxed()
}

/// Draws an object with only the field at a path such as `spec.nodeName`.
pub fn field(path: &'static str, value: impl Strategy<Value = Value> + 'static) -> Part {
    value.prop_map(move |value| path.rsplit('.').fold(value, |value, name| json!({ name: value }))).boxed()
}

/// Draws an object with only the field at a path, or an empty object.
pub fn optional(path: &'static str, value: impl Strategy<Value = Value> + 'static) -> Part {
    prop_oneof![Just(json!({})), field(path, value)].boxed()
}

/// Draws a list with a length in this range.
pub fn list(of: Part, range: std::ops::RangeInclusive<usize>) -> Part {
    vec(of, range).prop_map(Value::Array).boxed()
}

/// Draws all of these parts, merged into one object.
pub fn object(parts: Vec<Part>) -> Part {
    parts.prop_map(|parts| parts.into_iter().fold(json!({}), merged)).boxed()
}

/// Draws a map from some of these keys to one value each.
pub fn map(keys: &[&'static str], value: fn(&'static str) -> Part) -> Part {
    let entry = |key: &&'static str| {
        let key = *key;
        prop_oneof![Just(json!({})), value(key).prop_map(move |value| json!({ key: value }))].boxed()
    };
    object(keys.iter().map(entry).collect())
}

/// Merges two objects. If both have a field, objects are merged and other values come from `patch`.
pub fn merged(mut into: Value, patch: Value) -> Value {
    match (into.as_object_mut(), patch) {
        (Some(fields), Value::Object(patch)) => merge_fields(fields, patch),
        (_, patch) => return patch,
    }
    into
}

fn merge_fields(into: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, value) in patch {
        let before = into.remove(&name);
        into.insert(name, before.map_or_else(|| value.clone(), |before| merged(before, value.clone())));
    }
}

/// Sets these fields to the values in `seen` of the first object with this name. Removes fields that the first object
/// did not have. The first object itself is added to `seen`.
pub fn keep_first_values(seen: &mut BTreeMap<String, Value>, name: String, object: &mut Value, fields: &[&str]) {
    let Some(object) = object.as_object_mut() else { return };
    let now: Value =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), object.get(*field)?.clone()))).collect();
    let first = seen.entry(name).or_insert(now);
    for field in fields {
        match first.get(*field) {
            Some(value) => drop(object.insert((*field).to_owned(), value.clone())),
            None => drop(object.remove(*field)),
        }
    }
}
