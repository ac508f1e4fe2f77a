//! Strategic merge patches: merges lists by the keys of their items, and follows the patch directives.

use serde_json::{Map, Value};

use berth_apimachinery::schema::{self, Field, Shape, Type};

/// The names of the directives.
const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_VALUES: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";

/// Merges `change` into `object`, whose type in the schema table is called `name`.
///
/// # Errors
/// A message with the name of the invalid directive or key.
pub fn merge(name: &str, object: &mut Value, change: &Value) -> Result<(), String> {
    merge_value(schema::type_named(name), object, change)
}

fn merge_value(kind: Option<&'static Type>, object: &mut Value, change: &Value) -> Result<(), String> {
    let Some(change) = change.as_object() else {
        *object = change.clone();
        return Ok(());
    };
    match directive(change)? {
        Some("replace") => {
            *object = plain(&Value::Object(change.clone()));
            return Ok(());
        }
        Some("delete") => {
            *object = Value::Object(Map::new());
            return Ok(());
        }
        _ => {}
    }
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(members) = object.as_object_mut() else { return Ok(()) };
    retain_keys(members, change)?;
    for (name, wanted) in change {
        if let Some(list) = name.strip_prefix(DELETE_VALUES) {
            delete_values(members, list, wanted)?;
        }
    }
    for (name, wanted) in change.iter().filter(|(name, _)| !name.starts_with('$')) {
        let order = change.get(&format!("{SET_ORDER}{name}"));
        merge_member(kind.and_then(|kind| kind.field(name)), members, name, wanted, order)?;
    }
    for (name, order) in change {
        if let Some(list) = name.strip_prefix(SET_ORDER)
            && !change.contains_key(list)
        {
            set_order(kind.and_then(|kind| kind.field(list)), members, list, order)?;
        }
    }
    Ok(())
}

/// Merges one field; a null removes the field. `order` is the requested order of a list. `None` means the order of the
/// items in the patch.
fn merge_member(
    field: Option<&'static Field>,
    members: &mut Map<String, Value>,
    name: &str,
    wanted: &Value,
    order: Option<&Value>,
) -> Result<(), String> {
    if wanted.is_null() {
        members.remove(name);
        return Ok(());
    }
    let existing = members.entry(name.to_owned()).or_insert(Value::Null);
    match (field.map(|field| &field.shape), wanted) {
        (Some(Shape::List(item)), Value::Array(changes)) => {
            let field_merges = field.is_some_and(|field| field.merges);
            let key = field.and_then(|field| field.merge_key);
            let order = match order {
                Some(order) => order.as_array().ok_or_else(|| format!("{SET_ORDER}{name} is not a list"))?,
                None => changes,
            };
            match (field_merges, key) {
                (true, Some(key)) => merge_list(item_type(item), existing, changes, order, key),
                (true, None) => {
                    merge_values(existing, changes, order);
                    Ok(())
                }
                (false, _) => {
                    *existing = plain(wanted);
                    Ok(())
                }
            }
        }
        (Some(shape), Value::Object(_)) => merge_value(item_type(shape), existing, wanted),
        (None, Value::Object(_)) => merge_value(None, existing, wanted),
        _ => {
            *existing = wanted.clone();
            Ok(())
        }
    }
}

fn item_type(shape: &Shape) -> Option<&'static Type> {
    match shape {
        Shape::Object(name) => schema::type_named(name),
        _ => None,
    }
}

/// Merges a list whose items are identified by `key`.
fn merge_list(
    kind: Option<&'static Type>,
    existing: &mut Value,
    changes: &[Value],
    order: &[Value],
    key: &str,
) -> Result<(), String> {
    let before = existing.as_array().cloned().unwrap_or_default();
    let mut list = before.clone();
    let replaces =
        |change: &Value| change.get(PATCH).and_then(Value::as_str) == Some("replace") && change.get(key).is_none();
    if changes.iter().any(replaces) {
        let fresh = changes.iter().filter(|change| !replaces(change)).map(plain).collect();
        *existing = Value::Array(fresh);
        return Ok(());
    }
    for change in changes {
        let Some(members) = change.as_object() else {
            return Err(format!("an item of a list merged by {key} is not an object"));
        };
        let wanted =
            members.get(key).ok_or_else(|| format!("map: {change} does not contain declared merge key: {key}"))?;
        match directive(members)? {
            Some("delete") => list.retain(|item| item.get(key) != Some(wanted)),
            Some("replace") => {
                list.retain(|item| item.get(key) != Some(wanted));
                list.push(plain(change));
            }
            _ => match list.iter_mut().find(|item| item.get(key) == Some(wanted)) {
                Some(item) => merge_value(kind, item, change)?,
                None => {
                    let mut item = Value::Object(Map::new());
                    merge_value(kind, &mut item, change)?;
                    list.push(item);
                }
            },
        }
    }
    *existing = Value::Array(sort_list(list, order, &before, Some(key)));
    Ok(())
}

/// Merges a list of plain values, such as finalizers: adds the missing values.
fn merge_values(existing: &mut Value, changes: &[Value], order: &[Value]) {
    let before = existing.as_array().cloned().unwrap_or_default();
    let mut list = before.clone();
    for change in changes {
        if !list.contains(change) {
            list.push(change.clone());
        }
    }
    *existing = Value::Array(sort_list(list, order, &before, None));
}

/// Sorts a merged list as Kubernetes does. Items in `order` keep that order, and the other items keep their order.
/// Another item comes before an item in `order` only if it did so in `before`, the list before the patch.
fn sort_list(list: Vec<Value>, order: &[Value], before: &[Value], key: Option<&str>) -> Vec<Value> {
    let place = |list: &[Value], item: &Value| {
        list.iter().position(|one| match key {
            Some(key) => one.get(key) == item.get(key),
            None => one == item,
        })
    };
    let (mut named, others): (Vec<Value>, Vec<Value>) = list.into_iter().partition(|item| place(order, item).is_some());
    named.sort_by_key(|item| place(order, item));
    let mut arranged = Vec::with_capacity(named.len() + others.len());
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    while let (Some(one), Some(other)) = (named.peek(), others.peek()) {
        let earlier = matches!((place(before, other), place(before, one)), (Some(other), Some(one)) if other < one);
        arranged.extend(if earlier { others.next() } else { named.next() });
    }
    arranged.extend(named);
    arranged.extend(others);
    arranged
}

fn directive(change: &Map<String, Value>) -> Result<Option<&str>, String> {
    match change.get(PATCH).map(|value| value.as_str().unwrap_or_default()) {
        None => Ok(None),
        Some(known @ ("replace" | "delete" | "merge")) => Ok(Some(known)),
        Some(other) => Err(format!("Unknown patch type found: {other}")),
    }
}

fn retain_keys(members: &mut Map<String, Value>, change: &Map<String, Value>) -> Result<(), String> {
    let Some(keys) = change.get(RETAIN_KEYS) else { return Ok(()) };
    let keys = keys.as_array().ok_or_else(|| format!("{RETAIN_KEYS} is not a list"))?;
    members.retain(|name, _| keys.iter().any(|key| key == name));
    Ok(())
}

fn delete_values(members: &mut Map<String, Value>, list: &str, values: &Value) -> Result<(), String> {
    let values = values.as_array().ok_or_else(|| format!("{DELETE_VALUES}{list} is not a list"))?;
    if let Some(existing) = members.get_mut(list).and_then(Value::as_array_mut) {
        existing.retain(|item| !values.contains(item));
    }
    Ok(())
}

/// Sorts a list for which the patch contains an order but no items.
fn set_order(
    field: Option<&'static Field>,
    members: &mut Map<String, Value>,
    list: &str,
    order: &Value,
) -> Result<(), String> {
    let order = order.as_array().ok_or_else(|| format!("{SET_ORDER}{list} is not a list"))?;
    if let Some(existing) = members.get_mut(list).and_then(Value::as_array_mut) {
        let before = existing.clone();
        *existing = sort_list(std::mem::take(existing), order, &before, field.and_then(|field| field.merge_key));
    }
    Ok(())
}

/// Returns a value of a patch without its directives and nulls.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| !name.starts_with('$') && !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patched(object: Value, change: Value) -> Result<Value, String> {
        let mut object = object;
        merge("core.v1.Pod", &mut object, &change).map(|()| object)
    }

    #[test]
    fn lists_with_keys_are_merged() {
        let pod = json!({"spec": {"containers": [{"name": "a", "image": "x", "env": [{"name": "E", "value": "1"}]}, {"name": "b", "image": "y"}],
            "tolerations": [{"key": "t"}]}});
        let change = json!({"spec": {"containers": [{"name": "a", "image": "z", "env": [{"name": "F", "value": "2"}]}, {"name": "c"}],
            "tolerations": [{"key": "u"}]}});
        assert_eq!(
            patched(pod, change).unwrap(),
            json!({"spec": {
            "containers": [{"name": "a", "image": "z", "env": [{"name": "F", "value": "2"}, {"name": "E", "value": "1"}]},
                {"name": "c"}, {"name": "b", "image": "y"}],
            "tolerations": [{"key": "u"}]}})
        );
    }

    #[test]
    fn directives_are_followed() {
        let containers = json!([{"name": "a"}, {"name": "b"}]);
        for (change, expected) in [
            (json!([{"name": "a", "$patch": "delete"}]), json!([{"name": "b"}])),
            (json!([{"$patch": "replace"}, {"name": "c"}]), json!([{"name": "c"}])),
            (
                json!([{"name": "b", "image": "y", "$patch": "replace"}]),
                json!([{"name": "a"}, {"name": "b", "image": "y"}]),
            ),
        ] {
            let pod = json!({"spec": {"containers": containers}});
            let result = patched(pod, json!({"spec": {"containers": change}})).unwrap();
            assert_eq!(result["spec"]["containers"], expected, "{change}");
        }
        let pod = json!({"metadata": {"finalizers": ["a", "b"], "labels": {"x": "1", "y": "2"}}});
        let change = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"], "labels": {"x": null, "z": "3"}}});
        let expected = json!({"metadata": {"finalizers": ["c", "b"], "labels": {"y": "2", "z": "3"}}});
        assert_eq!(patched(pod, change).unwrap(), expected);
        let pod = json!({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}});
        let change = json!({"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "m"}, "emptyDir": null}]}});
        assert_eq!(
            patched(pod, change).unwrap(),
            json!({"spec": {"volumes": [{"name": "v", "configMap": {"name": "m"}}]}})
        );
    }

    #[test]
    fn an_order_is_set() {
        for (order, expected) in [(["a", "b"], ["w", "a", "x", "b"]), (["b", "a"], ["w", "x", "b", "a"])] {
            let pod = json!({"spec": {"containers": [{"name": "w"}, {"name": "a"}, {"name": "x"}, {"name": "b"}]}});
            let order: Vec<Value> = order.iter().map(|name| json!({"name": name})).collect();
            for change in [json!([{"name": "b", "image": "y"}]), Value::Null] {
                let mut spec = json!({"$setElementOrder/containers": order});
                if change.is_array() {
                    spec["containers"] = change;
                }
                let result = patched(pod.clone(), json!({"spec": spec})).unwrap();
                let names: Vec<&str> = result["spec"]["containers"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(|c| c["name"].as_str())
                    .collect();
                assert_eq!(names, expected);
            }
        }
    }

    #[test]
    fn invalid_patches_are_rejected() {
        for change in [
            json!({"spec": {"containers": [{"image": "y"}]}}),
            json!({"spec": {"$patch": "upset"}}),
            json!({"spec": {"containers": ["a"]}}),
            json!({"spec": {"$setElementOrder/containers": 1}}),
        ] {
            assert!(patched(json!({"spec": {"containers": [{"name": "a"}]}}), change.clone()).is_err(), "{change}");
        }
    }
}
