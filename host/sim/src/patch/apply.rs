//! Server-side apply without ownership of fields: merges the applied configuration into the object. Lists with keys are
//! merged by key, sets by value. Other lists are replaced.

use serde_json::{Map, Value};

use berth_apimachinery::schema::{self, Field, Shape};

/// Merges the applied configuration `intent` into `object`, whose type in the schema table is called `name`. An object
/// of an unknown type is merged field by field, and its lists are replaced.
pub fn merge(name: &str, object: &mut Value, intent: &Value) {
    match schema::type_named(name) {
        Some(found) => merge_object(object, intent, &|member| found.field(member)),
        // The type is unknown for custom resources.
        None => merge_object(object, intent, &|_| None),
    }
}

fn merge_object(object: &mut Value, intent: &Value, field: &dyn Fn(&str) -> Option<&'static Field>) {
    let Some(intent) = intent.as_object() else { return };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(object) = object.as_object_mut() else { return };
    for (name, wanted) in intent {
        let existing = object.entry(name.clone()).or_insert(Value::Null);
        match field(name) {
            Some(known) => merge_field(known, existing, wanted),
            None if wanted.is_object() => merge_object(existing, wanted, &|_| None),
            None => *existing = wanted.clone(),
        }
    }
}

fn merge_field(field: &Field, existing: &mut Value, wanted: &Value) {
    match (&field.shape, wanted) {
        (Shape::Object(name), Value::Object(_)) => merge(name, existing, wanted),
        (Shape::Map(_), Value::Object(_)) => merge_object(existing, wanted, &|_| None),
        (Shape::List(item), Value::Array(items)) if !field.map_keys.is_empty() => {
            if !existing.is_array() {
                *existing = Value::Array(Vec::new());
            }
            let Some(list) = existing.as_array_mut() else { return };
            for wanted in items {
                let same = |candidate: &&mut Value| {
                    field.map_keys.iter().all(|key| same_key(key, candidate.get(key), wanted.get(key)))
                };
                match (list.iter_mut().find(same), &**item) {
                    (Some(found), Shape::Object(name)) => merge(name, found, wanted),
                    (Some(found), _) => *found = wanted.clone(),
                    (None, _) => list.push(wanted.clone()),
                }
            }
        }
        (Shape::List(_), Value::Array(items)) if field.set && existing.is_array() => {
            let Some(list) = existing.as_array_mut() else { return };
            for wanted in items {
                if !list.contains(wanted) {
                    list.push(wanted.clone());
                }
            }
        }
        _ => *existing = wanted.clone(),
    }
}

/// Compares one key of two list items. A port without a protocol counts as TCP.
fn same_key(key: &str, left: Option<&Value>, right: Option<&Value>) -> bool {
    let text = |value: Option<&Value>| match (key, value) {
        ("protocol", None) => Some(Value::from("TCP")),
        (_, value) => value.cloned(),
    };
    text(left) == text(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_merged_by_their_keys() {
        let mut pod = json!({"spec": {"containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80, "protocol": "TCP"}]}, {"name": "b"}]}});
        let intent = json!({"metadata": {"labels": {"l": "1"}, "finalizers": ["f"]},
            "spec": {"containers": [{"name": "a", "image": "y", "ports": [{"containerPort": 80, "name": "web"}]}], "tolerations": [{"key": "k"}]}});
        merge("core.v1.Pod", &mut pod, &intent);
        assert_eq!(
            pod["spec"]["containers"],
            json!([
            {"name": "a", "image": "y", "ports": [{"containerPort": 80, "protocol": "TCP", "name": "web"}]}, {"name": "b"}])
        );
        assert_eq!(
            (&pod["metadata"]["labels"]["l"], &pod["spec"]["tolerations"]),
            (&json!("1"), &json!([{"key": "k"}]))
        );
    }
}
