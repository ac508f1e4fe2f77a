//! Adds the fields that plugins name by their paths to written objects.

use berth_core::model::NamedFields;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Adds the named fields to a written object, and keeps the written values. Leaves out a named field if the object
/// with the field reads as another model value. For example, a named `spec.overhead` can be a part of the pod's
/// requests, which are already written in another form.
pub(super) fn add_named<T: DeserializeOwned, M: PartialEq>(
    object: Value,
    fields: &NamedFields,
    into_model: impl Fn(T) -> M,
) -> Value {
    if fields.all().is_empty() {
        return object;
    }
    let read = |object: &Value| T::deserialize(object).ok().map(&into_model);
    let model = read(&object);
    fields.all().iter().fold(object, |object, field| {
        let Ok(named) = serde_json::from_str(&field.json) else { return object };
        let mut with_field = object.clone();
        merge(&mut with_field, named);
        if read(&with_field) == model { with_field } else { object }
    })
}

/// Adds the fields of `named` to `to`.
///
/// The elements of two lists are merged in pairs if the lists have equal lengths. A written list can be shorter than
/// the list of the API object, because the model only has some of the elements. The longer list takes its place if it
/// contains all written elements.
fn merge(to: &mut Value, named: Value) {
    match (to, named) {
        (Value::Object(to), Value::Object(named)) => {
            for (name, value) in named {
                match to.get_mut(&name) {
                    Some(written) => merge(written, value),
                    None => drop(to.insert(name, value)),
                }
            }
        }
        (Value::Array(to), Value::Array(named)) if to.len() == named.len() => {
            to.iter_mut().zip(named).for_each(|(to, named)| merge(to, named));
        }
        (to @ Value::Array(_), named @ Value::Array(_)) if contains(&named, to) => *to = named,
        _ => {}
    }
}

/// Returns whether `whole` has all values of `part`. Each element of a list in `part` needs an element of its own.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| contains(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            let mut rest = whole.iter();
            part.iter().all(|part| rest.any(|whole| contains(whole, part)))
        }
        (whole, part) => whole == part,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn named_fields_are_added_to_the_written_values() {
        for (mut written, named, expected) in [
            (json!({"a": 1}), json!({"a": 2, "b": {"c": 3}}), json!({"a": 1, "b": {"c": 3}})),
            (json!({"l": [{"n": 1}, {}]}), json!({"l": [{}, {"m": 2}]}), json!({"l": [{"n": 1}, {"m": 2}]})),
            (
                json!({"l": [{"n": 2}]}),
                json!({"l": [{"n": 1}, {"n": 2, "m": 3}]}),
                json!({"l": [{"n": 1}, {"n": 2, "m": 3}]}),
            ),
            (json!({"l": [{"n": 2}]}), json!({"l": [{"m": 1}, {"m": 3}]}), json!({"l": [{"n": 2}]})),
            (json!({"l": [2, 1]}), json!({"l": [1, 2, 3]}), json!({"l": [2, 1]})),
        ] {
            merge(&mut written, named);
            assert_eq!(written, expected);
        }
    }
}
